#include <string.h>

#include "cli/box/setup.h"
#include "cli/opt/cmd.h"
#include "cli/opt/words.h"
#include "cli/review/lines.h"
#include "cli/review/review.h"
#include "cli/show/render.h"
#include "cli/snapshot/snap.h"
#include "rootfs/store/checkpoint.h"

struct args {
	bool stat, patch, names, binary;
	const char *since;  /* a checkpoint; NULL = all that waits */
	struct words paths; /* owned */
};

static int show(const struct app *app, const struct args *a, const struct json *list)
{
	const struct reviewlines to = { .app = app, .out = app->out };

	if (app->json)
		return render_json(app, list);
	if (a->names) {
		reviewlines_names(app->out, list);
		return 0;
	}
	reviewlines_stat(&to, list, false);
	reviewlines_stat(&to, list, true);
	return 0;
}

/* It is not open where nothing of it was ever under review. */
static int open_view(struct review *rv, struct err *e)
{
	int r = review_open(rv, REVIEW_LOOK, e);

	return r == -ENOENT ? 0 : r;
}

/* The box of the first -b, and of the second. */
static int between(const struct app *app, const struct review *to, struct json *what,
		   struct json **ret, struct err *e)
{
	struct app first = *app;
	_cleanup_boxsetup_ struct boxsetup s = BOXSETUP(&first);
	_cleanup_review_ struct review from = REVIEW(&s.dir, &s.spec);
	const char *without;
	int r;

	first.box = app->other;
	r = boxsetup_find(&s, e) ?: open_view(&from, e);
	without = from.project < 0 ? app->other : app->box;
	if (r == 0 && (from.project < 0 || to->project < 0))
		return err_set(e, -ENOENT, "nothing of '%s' is under review",
			       *without ? without : "-");
	return r < 0 ? r
		     : review_between(&from, to, what, ret, ret ? NULL : app->out, e);
}

static int diff(struct app *app, void *args, struct err *e)
{
	const struct args *a = args;
	_cleanup_boxsetup_ struct boxsetup s = BOXSETUP(app);
	_cleanup_review_ struct review rv = REVIEW(&s.dir, &s.spec);
	_cleanup_json_ struct json *what = NULL, *list = NULL;
	bool patch = a->patch || a->binary || (!app->json && !a->stat && !a->names);
	struct json **to = patch ? NULL : &list;
	struct checkpoint c;
	int r;

	what = review_args(patch ? "patch" : "diff");
	json_set_bool(what, "binary", a->binary);
	r = boxsetup_find(&s, e) ?: open_view(&rv, e);
	for (const char *const *w = words_list(&a->paths); *w && r == 0; w++)
		r = review_add_path(&rv, what, s.place.cwd, *w, e);
	if (r == 0 && a->since)
		r = checkpoint_load(&s.dir, a->since, &c, e);
	if (r == 0 && app->other)
		r = between(app, &rv, what, to, e);
	else if (r == 0 && a->since)
		r = review_since(&rv, a->since, what, to, patch ? app->out : NULL, e);
	else if (r == 0 && rv.project >= 0)
		r = review_ask(&rv, what, to, patch ? app->out : NULL, e);
	if (r == 0 && !patch && !list) /* nothing of it was ever under review */
		list = json_array();
	return r < 0 || !list ? r : show(app, a, list);
}

static int check(struct app *app, void *args, struct err *e)
{
	const struct args *a = args;

	return a->since && app->other
		       ? err_set(e, -EINVAL, "--since is for one box, not for two")
		       : 0;
}

static const struct cmd_option options[] = {
	{ "stat", 0, NULL, "a line for each change", CMD_FLAG(struct args, stat) },
	{ "patch", 0, NULL, "as git writes patches (the default)",
	  CMD_FLAG(struct args, patch) },
	{ "binary", 0, NULL, "and what is no text, so that 'git apply' can do it",
	  CMD_FLAG(struct args, binary) },
	{ "name-only", 0, NULL, "only the names", CMD_FLAG(struct args, names) },
	{ "since", 0, "CHECKPOINT", "what is different from then",
	  CMD_TEXT_IF(struct args, since, snap_name) },
	{ 0 },
};

const struct cmd cmd_diff = {
	.name = "diff",
	.group = CMD_CHANGES,
	.summary = "show what the box would change in its project",
	.words = "[PATH...]",
	.doc = "Show what the box would change in its project (--project review) that "
	       "has not been taken over: all of it, or what is at and below PATH. "
	       "With -b twice, what is different between two boxes of the directory; "
	       "with --since, what the box has changed since a checkpoint, taken over "
	       "meanwhile or not.",
	.options = options,
	.operands = { CMD_LIST(struct args, paths) },
	.size = sizeof(struct args),
	.config = true,
	.check = check,
	.work = diff,
};
