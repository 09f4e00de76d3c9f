#include "rootfs/store/checkpoint.h"

#include <stdio.h>

#include "base/num.h"
#include "cli/box/setup.h"
#include "cli/opt/cmd.h"
#include "cli/show/render.h"
#include "cli/snapshot/rewind.h"
#include "cli/snapshot/snap.h"

enum { MADE_MOST = 999999 };

struct args {
	const char *name; /* borrowed; NULL = "cN" */
};

static int note_highest(void *ctx, const struct checkpoint *c)
{
	uint64_t *highest = ctx, n;

	if (*c->name == 'c' && num_range(c->name + 1, 1, MADE_MOST, &n) == 0)
		*highest = MAX(*highest, n);
	return 0;
}

/* The one after the highest, so that names are not used again by accident; numbers alone are
 * turns of a task. */
static int next_name(const struct boxdir *b, char ret[CHECKPOINT_NAME], struct err *e)
{
	uint64_t highest = 0;
	int r = checkpoint_list(b, note_highest, &highest, e);

	snprintf(ret, CHECKPOINT_NAME, "c%u", (unsigned)highest + 1);
	return r;
}

static int keep(struct app *app, void *args, struct err *e)
{
	const char *name = ((const struct args *)args)->name;
	_cleanup_boxsetup_ struct boxsetup s = BOXSETUP(app);
	_cleanup_json_ struct json *j = NULL;
	char made[CHECKPOINT_NAME];
	int r = boxsetup_find(&s, e);

	if (r == 0 && !name)
		r = next_name(&s.dir, made, e);
	if (r < 0)
		return r;
	name = name ?: made;
	r = rewind_keep(&REVIEW(&s.dir, &s.spec), name, "", e);
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
	.words = "[NAME]",
	.doc = "Keep what of the project is under review, also while the box is in "
	       "use; 'cubby rewind NAME' goes back to it. Without NAME it is c1, c2 "
	       "and so on. A task makes one before each of its turns. What is "
	       "installed is a matter of 'cubby snapshot'.",
	.operands = { CMD_TEXT_IF(struct args, name, check_name) },
	.size = sizeof(struct args),
	.config = true,
	.work = keep,
};
