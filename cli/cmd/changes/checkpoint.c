#include "rootfs/store/checkpoint.h"
#include "cli/box/setup.h"
#include "cli/opt/cmd.h"
#include "cli/show/render.h"
#include "cli/snapshot/rewind.h"
#include "cli/snapshot/snap.h"

struct args {
	const char *name; /* borrowed */
};

static int keep(struct app *app, void *args, struct err *e)
{
	const char *name = ((const struct args *)args)->name;
	_cleanup_boxsetup_ struct boxsetup s = BOXSETUP(app);
	_cleanup_json_ struct json *j = NULL;
	int r = boxsetup_find(&s, e);

	if (r < 0)
		return r;
	r = rewind_keep(&s, name, "", e);
	if (r < 0)
		return r;
	render_note(app, "checkpoint '%s': what is under review", name);
	if (!app->json)
		return 0;
	j = json_object();
	json_set_str(j, "name", name);
	return render_json(app, j);
}

static int check_name(struct app *app, void *args, const char *name, struct err *e)
{
	if (checkpoint_number(name) >= 0)
		return err_set(e, -EINVAL, "bad name '%s'; numbers are turns of a task",
			       name);
	return snap_name(app, args, name, e);
}

const struct cmd cmd_checkpoint = {
	.name = "checkpoint",
	.group = CMD_CHANGES,
	.summary = "keep what is under review",
	.words = "NAME",
	.doc = "Keep what of the project is under review, also while the box is in "
	       "use; 'cubby rewind NAME' goes back to it. A task makes one before "
	       "each of its turns. What is installed is a matter of 'cubby snapshot'.",
	.operands = { CMD_TEXT_IF(struct args, name, check_name) },
	.least = 1,
	.missing = "a name is missing, such as 'before-tests'",
	.size = sizeof(struct args),
	.config = true,
	.work = keep,
};
