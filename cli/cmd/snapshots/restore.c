#include "cli/opt/cmd.h"
#include "cli/show/render.h"
#include "cli/snapshot/setup_kept.h"
#include "cli/snapshot/snap.h"
#include "rootfs/store/snapshot.h"

struct args {
	const char *name; /* borrowed */
};

static int restore(struct app *app, void *args, struct err *e)
{
	const char *name = ((const struct args *)args)->name;
	_cleanup_boxsetup_ struct boxsetup s = BOXSETUP(app);
	_cleanup_json_ struct json *j = json_object();
	_cleanup_close_ int lock = -1;
	struct err none = ERR_NONE;
	int r;

	r = lock = snap_open(&s, e);
	if (r == -EBUSY && snapshot_check(&s.dir, name, &none) == -ENOENT) {
		*e = none; /* nobody stops a box for a name that is not there */
		return -ENOENT;
	}
	if (r >= 0)
		r = setup_kept_restore(&s.dir, name, e);
	if (r < 0)
		return r;
	if (app->json) {
		json_set_str(j, "name", name);
		json_set_str(j, "before", SNAPSHOT_BEFORE);
		return render_json(app, j);
	}
	render_note(app,
		    "the box is as in the snapshot '%s'; 'cubby restore %s' goes back",
		    name, SNAPSHOT_BEFORE);
	return 0;
}

const struct cmd cmd_restore = {
	.name = "restore",
	.group = CMD_SNAPSHOTS,
	.summary = "go back to a snapshot of a box",
	.words = "NAME",
	.doc = "Go back to a snapshot of this directory's box: what is installed, and "
	       "what of the project waits for 'cubby apply'. What is in the directory "
	       "itself stays as it is. The state that is left is the snapshot "
	       "'" SNAPSHOT_BEFORE "' from then on.",
	.operands = { CMD_TEXT_IF(struct args, name, snap_name) },
	.least = 1,
	.missing = "which snapshot? 'cubby snapshots' lists them",
	.size = sizeof(struct args),
	.config = true,
	.work = restore,
};
