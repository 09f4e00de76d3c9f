#include "cli/opt/cmd.h"
#include "cli/store/place.h"

struct args {
	const char *old, *new; /* borrowed */
};

static int work(struct app *app, void *args, struct err *e)
{
	const struct args *a = args;

	return place_move(app, a->old, a->new, e);
}

const struct cmd cmd_mv = {
	.name = "mv",
	.group = CMD_BOXES,
	.summary = "give a box to another directory",
	.words = "OLD|KEY NEW",
	.doc = "Give the box of the directory OLD to the directory NEW. A directory "
	       "that was renamed is known again without it; this is for one that came "
	       "to another disk. No file of either directory is touched.",
	.operands = { CMD_TEXT(struct args, old), CMD_TEXT(struct args, new) },
	.least = 2,
	.missing = "two directories are wanted: that of the box, which 'cubby ls' "
		   "tells, and its new one",
	.size = sizeof(struct args),
	.config = true,
	.work = work,
};
