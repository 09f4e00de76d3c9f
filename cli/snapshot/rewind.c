#include "cli/snapshot/rewind.h"

#include <string.h>

#include "base/sys/sys.h"
#include "base/text.h"
#include "cli/review/show.h"
#include "cli/show/render.h"
#include "cli/store/boxend.h"
#include "rootfs/store/checkpoint.h"
#include "rootfs/store/snapshot.h"
#include "runtime/worker/pending.h"
#include "runtime/worker/worker.h"

/* ---- keeping ----------------------------------------------------------------------------- */

/* A new layer, unless that of @newest has the same. */
static int fill(const struct review *rv, int layers, const struct checkpoint *newest,
		struct checkpoint *c, struct err *e)
{
	_cleanup_json_ struct json *told = NULL;
	_cleanup_close_ int layer = chain_layer(layers, c->project, e);
	struct pending_kept k = { c->project, newest->project, newest->sign,
				  c->written };
	bool copied = false;
	int r = layer;

	if (r >= 0)
		r = pending_keep(rv->spec, rv->dir->dirfd, layers, &k, &told, e);
	if (r == 0) {
		copied = json_get_bool(told, "copied", false);
		c->applied = json_get_int(told, "applied", 0);
		c->written += json_get_int(told, "written", 0);
		(void)text_copy(c->sign, sizeof(c->sign),
				json_get_str(told, "sign") ?: "");
	}
	if (copied || layer < 0)
		return r;
	(void)sys_unlinkat(layers, c->project, AT_REMOVEDIR); /* else it is collected */
	(void)text_copy(c->project, sizeof(c->project), newest->project);
	return r;
}

/* Of one second that of the later turn. */
static int note_newest(void *ctx, const struct checkpoint *c)
{
	struct checkpoint *newest = ctx;
	bool later = c->made > newest->made ||
		     (c->made == newest->made &&
		      checkpoint_number(c->name) >= checkpoint_number(newest->name));

	if (*c->project && later)
		*newest = *c;
	return 0;
}

/* Shared is with whatever was kept last, also of a task whose checkpoints now are gone. */
static int keep(const struct review *rv, struct checkpoint *c, struct err *e)
{
	_cleanup_close_ int layers = chain_dir(rv->dir->store, e);
	_cleanup_close_ int lock = layers < 0 ? layers : chain_lock(layers, e);
	struct checkpoint newest = { .name = "" }, last = { .name = "" };
	int64_t number = checkpoint_number(c->name);
	int r = lock < 0 ? lock : checkpoint_list(rv->dir, note_newest, &newest, e);

	if (r >= 0 && number >= 0)
		r = checkpoint_forget(rv->dir, number, e);
	if (r >= 0 && number > 0)
		r = checkpoint_last(rv->dir, &last, e);
	if (r < 0)
		return r;
	c->written = last.written;
	r = fill(rv, layers, &newest, c, e);
	return r < 0 ? r : checkpoint_save(rv->dir, c, e);
}

/* Nothing of a copy that came to no end stays: a box may see to it that none does. */
static int keep_or_drop(const struct review *rv, struct checkpoint *c,
			const struct boxdir_rm *rm, struct err *e)
{
	int r = keep(rv, c, e);

	if (r < 0)
		(void)snapshot_collect(rv->dir->store, rm, ERR_IGNORED);
	return r;
}

int rewind_keep(const struct review *rv, const char *name, const char *task,
		struct err *e)
{
	const struct boxdir_rm rm = { worker_rmtree,
				      (void *)(uintptr_t)&rv->spec->map };
	struct checkpoint c = { .applied = 0 };
	struct stat st;
	int r;

	if (pending_is(rv->dir->dirfd))
		r = pending_take(rv->spec, rv->dir->dirfd, e);
	else
		r = sys_fstatat(rv->dir->dirfd, "project/upper", &st,
				AT_SYMLINK_NOFOLLOW);
	if (r == -ENOENT)
		return err_set(e, r, "nothing of this directory is under review");
	if (r < 0)
		return r;
	(void)text_copy(c.name, sizeof(c.name), name);
	(void)text_copy(c.task, sizeof(c.task), task);
	r = keep_or_drop(rv, &c, &rm, e);
	if (r < 0 && r != -EDQUOT) { /* a file that went away meanwhile, mostly */
		*e = ERR_NONE;
		r = keep_or_drop(rv, &c, &rm, e);
	}
	if (r == 0 &&
	    checkpoint_number(name) == 0) /* those of the last task are gone */
		r = snapshot_collect(rv->dir->store, &rm, e);
	return r;
}

/* ---- going back -------------------------------------------------------------------------- */

static int put_back(const struct review *rv, const struct checkpoint *c, struct err *e)
{
	_cleanup_close_ int lock = -1;
	int r = boxend_idle(rv->dir->store, rv->dir->key, e);

	if (r < 0)
		return r;
	if (!*c->project)
		return err_set(e, -EINVAL, "the checkpoint '%s' is empty", c->name);
	lock = boxdir_lock(rv->dir, true, e);
	if (lock < 0)
		return lock;
	return pending_take(rv->spec, rv->dir->dirfd, e) ?:
		checkpoint_restore(rv->dir, c, c->applied, e) ?:
		pending_take(rv->spec, rv->dir->dirfd, e);
}

/* With what waited then in the box: whose files the host had is known to the undo. */
static int take_back(const struct app *app, const struct review *of,
		     const struct checkpoint *c, struct err *e)
{
	_cleanup_review_ struct review rv = REVIEW(of->dir, of->spec);
	_cleanup_json_ struct json *what = review_args("undo");

	if (json_set_int(what, "after", c->applied) < 0)
		return err_sys(e, -ENOMEM, "cannot take back what was taken over");
	return review_open(&rv, REVIEW_ALONE, e)
		       ?: checkpoint_rewind(rv.dir->dirfd, c->applied, e)
		       ?: reviewshow_undo(app, &rv, what, e);
}

int rewind_back(const struct app *app, const struct review *rv,
		const struct checkpoint *c, struct err *e)
{
	int r = put_back(rv, c, e);

	return r < 0 ? r : take_back(app, rv, c, e);
}

int rewind_task(const struct app *app, const struct review *rv, const char *task,
		unsigned rounds, struct err *e)
{
	char name[16];
	struct checkpoint c, last = { .name = "" };
	int r;

	snprintf(name, sizeof(name), "%u", rounds);
	r = checkpoint_load(rv->dir, name, &c, e) ?: checkpoint_last(rv->dir, &last, e);
	if (r >= 0 && strcmp(last.task, task) != 0) {
		err_set(e, -ESTALE, "the checkpoints are of another task, '%s'",
			last.task);
		return err_hint(e, "without --at the task goes on as it ended");
	}
	r = r < 0 ? r : rewind_back(app, rv, &c, e);
	if (r >= 0 && rounds == 0)
		render_note(app, "the project is as it was before the task");
	else if (r >= 0)
		render_note(app, "the project is as it was after %u turn%s", rounds,
			    rounds == 1 ? "" : "s");
	return r;
}
