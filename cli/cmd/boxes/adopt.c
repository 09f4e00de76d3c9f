#include "cli/opt/cmd.h"
#include "cli/store/place.h"

struct args {
	const char *old; /* borrowed */
};

static int work(struct app *app, void *args, struct err *e)
{
	const struct args *a = args;

	return place_move(app, a->old, NULL, e);
}

const struct cmd cmd_adopt = {
	.name = "adopt",
	.group = CMD_BOXES,
	.summary = "take over a box that was of another directory",
	.words = "OLD|KEY",
	.doc = "Give a box, named by its old directory or by its key, to this "
	       "directory.",
	.operands = { CMD_TEXT(struct args, old) },
	.least = 1,
	.missing = "a box is missing: its old directory or its key, which 'cubby "
		   "ls' tells",
	.size = sizeof(struct args),
	.config = true,
	.work = work,
};
