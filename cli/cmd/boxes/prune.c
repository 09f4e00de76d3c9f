#include <ctype.h>
#include <string.h>

#include "base/num.h"
#include "base/sys/sys.h"
#include "cli/opt/cmd.h"
#include "cli/review/removal.h"
#include "cli/show/render.h"
#include "cli/store/boxend.h"
#include "cli/store/boxlist.h"
#include "cli/store/place.h"
#include "rootfs/store/snapshot.h"
#include "rootfs/store/staging.h"
#include "runtime/box/ids.h"
#include "runtime/worker/worker.h"

struct args {
	uint64_t older_ms; /* 0 = only boxes whose directory is gone */
	bool dry_run, yes;
};

/* Why a box is stale; NULL = it is not. */
static const char *stale(const struct app *app, const struct args *a,
			 const struct boxlist_item *b)
{
	char moved[PATH_MAX];
	struct stat now;
	int64_t age = sys_wall().tv_sec - b->used;

	if (b->running && !boxend_lingers(app->store, b->key))
		return NULL;
	if (!b->between && sys_fstatat(AT_FDCWD, b->project, &now, 0) == -ENOENT &&
	    !(*b->mark && place_moved(b->project, b->mark, moved)))
		return "its directory is gone";
	if (a->older_ms && age > 0 && (uint64_t)age * 1000 > a->older_ms)
		return "not used for long";
	return NULL;
}

static int add_result(struct json *list, const struct boxlist_item *b, const char *why)
{
	struct json *o = json_object();

	(void)json_set_str(o, "directory", b->project);
	(void)json_set_str(o, "key", b->key);
	(void)json_set_str(o, "why", why);
	(void)json_add(list, o);
	return json_failed(list);
}

static int prune_one(const struct app *app, const struct args *a,
		     const struct boxlist_item *b)
{
	struct err e = ERR_NONE;

	if (!a->dry_run && (boxend_idle(app->store, b->key, &e) < 0 ||
			    boxend_remove(app, b->key, false, &e) < 0))
		return cmd_fail(app, &e, CMD_FAILED);
	if (app->json)
		return CMD_DONE;
	fputs(a->dry_run ? "would remove " : "removed ", app->out);
	render_safe(app->out, b->project);
	fprintf(app->out, *b->name ? ", name %s\n" : "%s\n", b->name);
	return CMD_DONE;
}

/* What is kept of setup steps and no box stands on can be had again, so nobody is asked. */
static int prune_steps(const struct app *app, const struct args *a, struct err *e)
{
	_cleanup_buf_ struct buf why = BUF_INIT(16 << 10);
	int64_t before = sys_wall().tv_sec - (int64_t)(a->older_ms / 1000);
	struct snapshot_steps steps;
	struct idmap map;
	const struct boxdir_rm rm = { worker_rmtree, &map };
	int r = snapshot_steps(app->store, before, !a->dry_run, &steps, e);

	if (r < 0 || !steps.unused)
		return r;
	if (!a->dry_run)
		r = box_ids_choose(app->store->path, &map, &why, e);
	if (r == 0 && !a->dry_run)
		r = snapshot_collect(app->store, &rm, e);
	if (r == 0 && !app->json)
		fprintf(app->out,
			"%s what is kept of %u setup step%s that no box has\n",
			a->dry_run ? "would remove" : "removed", steps.unused,
			steps.unused == 1 ? "" : "s");
	return r < 0 ? r : 1;
}

/* What a pull that was killed was making, for example. */
static int prune_tmp(const struct app *app, const struct args *a, struct err *e)
{
	_cleanup_buf_ struct buf why = BUF_INIT(16 << 10);
	struct idmap map;
	int n;

	if (a->dry_run)
		return 0;
	n = box_ids_choose(app->store->path, &map, &why, e)
		    ?: staging_clean(app->store, worker_rmtree, &map, e);
	if (n > 0 && !app->json)
		fprintf(app->out, "removed what %d command%s began and did not end\n",
			n, n == 1 ? "" : "s");
	return n;
}

static int prune_all(const struct app *app, const struct args *a,
		     const struct boxlist *l, int *status, struct err *e)
{
	_cleanup_json_ struct json *done = json_array();
	int r = done ? 0 : -ENOMEM, steps = 0, begun = 0;

	for (size_t i = 0; i < l->n && r == 0; i++) {
		const char *why = stale(app, a, &l->v[i]);

		if (!why)
			continue;
		if (prune_one(app, a, &l->v[i]) == CMD_DONE)
			r = add_result(done, &l->v[i], why);
		else
			*status = CMD_FAILED;
	}
	if (r == 0)
		steps = r = prune_steps(app, a, e);
	if (r >= 0)
		begun = r = prune_tmp(app, a, e);
	if (r >= 0 && app->json)
		r = render_json(app, done);
	else if (r >= 0 && !json_len(done) && !steps && !begun)
		render_note(app, "there is nothing to remove");
	return r < 0 && !e->code ? err_sys(e, r, "cannot tell what was removed")
				 : MIN(r, 0);
}

/* Before the first one goes. */
static int permitted(const struct app *app, const struct args *a,
		     const struct boxlist *l, struct err *e)
{
	_cleanup_free_ const struct boxlist_item **v = calloc(l->n + 1, sizeof(*v));
	size_t n = 0;

	if (!v)
		return err_sys(e, -ENOMEM, "cannot list the boxes");
	for (size_t i = 0; i < l->n; i++)
		if (stale(app, a, &l->v[i]))
			v[n++] = &l->v[i];
	return removal_confirm(app, v, n, a->yes || a->dry_run, e);
}

static int prune(struct app *app, void *args, struct err *e)
{
	const struct args *a = args;
	_cleanup_boxlist_ struct boxlist l = BOXLIST_NONE;
	int r = place_store(app, e), status = CMD_DONE;

	if (r < 0)
		return r;
	r = boxlist_read(app->store, &l, e);
	if (r < 0)
		return r;
	r = permitted(app, a, &l, e);
	if (r < 0)
		return r;
	r = prune_all(app, a, &l, &status, e);
	return r < 0 ? r : status;
}

static int take_older(struct app *, void *args, const char *word, struct err *e)
{
	struct args *a = args;

	if (num_ms(word, &a->older_ms) < 0 || !a->older_ms)
		return err_set(e, -EINVAL,
			       "bad time '%s'; it is such as 90s, 10m or 2h", word);
	if (isdigit((unsigned char)word[strlen(word) - 1]))
		return err_set(e, -EINVAL,
			       "'%s' has no unit; write '%sd' for days, '%sh' "
			       "for hours",
			       word, word, word);
	return 0;
}

static const struct cmd_option options[] = {
	{ "older", 'o', "TIME", "also boxes not used for TIME, such as 30d or 12h",
	  CMD_CALL(take_older) },
	{ "dry-run", 'n', NULL, "only tell what would be removed",
	  CMD_FLAG(struct args, dry_run) },
	{ "yes", 'y', NULL, "do not ask first", CMD_FLAG(struct args, yes) },
	{ 0 },
};

const struct cmd cmd_prune = {
	.name = "prune",
	.group = CMD_BOXES,
	.summary = "remove the boxes whose directory is gone",
	.doc = "Remove the boxes whose directory is gone, after asking, what is kept of "
	       "the setup of .cubby/box.json and no box has, and what commands that "
	       "were killed were making in the store. Boxes that run "
	       "stay, and those whose directory has another name now.",
	.options = options,
	.size = sizeof(struct args),
	.no_box = true,
	.work = prune,
};
