#include <string.h>

#include "cli/box/reviewshow.h"
#include "cli/opt/cmd.h"
#include "cli/opt/words.h"
#include "cli/show/render.h"

enum { KEY_STAT = 0x3100, KEY_PATCH, KEY_NAMES };

struct args {
	int how;
	struct words paths; /* owned */
};

static const struct argp_option options[] = {
	{ "stat", KEY_STAT, NULL, 0, "a line for each change", 0 },
	{ "patch", KEY_PATCH, NULL, 0, "as git writes patches (the default)", 0 },
	{ "name-only", KEY_NAMES, NULL, 0, "only the names", 0 },
	{ 0 },
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct args *a = state->input;

	switch (key) {
	case KEY_STAT:
	case KEY_PATCH:
	case KEY_NAMES:
		a->how = key;
		return 0;
	case ARGP_KEY_ARG:
		return words_add(&a->paths, arg) < 0 ? cmd_bad(state, "too many words")
						     : 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp argp = {
	.options = options,
	.parser = parse,
	.args_doc = "[PATH...]",
	.doc = "Show what the box would change in its project (--project review) that "
	       "has not been taken over: all of it, or what is at and below PATH. With "
	       "-b twice, what is different between two boxes of the directory.",
};

static int show(const struct app *app, const struct args *a, const struct json *list)
{
	struct reviewshow s = { .app = app, .out = app->out, .in = -1 };

	if (app->json)
		return render_json(app, list);
	if (a->how == KEY_NAMES) {
		reviewshow_names(app->out, list);
		return 0;
	}
	reviewshow_stat(&s, list, true);
	reviewshow_stat(&s, list, false);
	return 0;
}

/* @rv is NONE where nothing of it was ever under review. */
static int open_view(const struct app *app, struct boxsetup *s, struct review *rv,
		     struct err *e)
{
	int r = boxsetup_find(app, s, e);

	if (r < 0)
		return r;
	r = review_open(s, REVIEW_LOOK, rv, e);
	return r == -ENOENT ? 0 : r;
}

/* The box of the first -b, and of the second. */
static int between(const struct app *app, const struct review *to, struct json *what,
		   struct json **ret, struct err *e)
{
	_cleanup_boxsetup_ struct boxsetup s;
	_cleanup_review_ struct review from = REVIEW_NONE;
	struct app first = *app;
	int r;

	first.box = app->other;
	boxsetup_init(&s);
	r = open_view(&first, &s, &from, e);
	if (r == 0 && (!from.setup || !to->setup))
		return err_set(e, -ENOENT, "nothing of '%s' is under review",
			       from.setup ? app->box : app->other);
	return r < 0 ? r
		     : review_between(&from, to, what, ret, ret ? NULL : app->out, e);
}

static int diff(struct app *app, const struct args *a, struct err *e)
{
	_cleanup_boxsetup_ struct boxsetup s;
	_cleanup_review_ struct review rv = REVIEW_NONE;
	_cleanup_json_ struct json *what = NULL, *list = NULL;
	bool patch = a->how == KEY_PATCH || (!app->json && !a->how);
	struct json **to = patch ? NULL : &list;
	int r;

	boxsetup_init(&s);
	what = review_args(patch ? "patch" : "diff");
	r = open_view(app, &s, &rv, e);
	for (const char *const *w = words_list(&a->paths); *w && r == 0; w++)
		r = review_add_path(what, &s, *w, e);
	if (r == 0 && app->other)
		r = between(app, &rv, what, to, e);
	else if (r == 0 && rv.setup)
		r = review_ask(&rv, what, to, patch ? app->out : NULL, e);
	return r < 0 || !list ? r : show(app, a, list);
}

static int run(struct app *app, int argc, char **argv)
{
	struct args a = { .paths = WORDS_NONE };
	struct err e = ERR_NONE;
	int r = cmd_parse(app, &cmd_diff, argc, argv, &a);

	if (r == CMD_GO)
		r = diff(app, &a, &e) < 0 ? cmd_fail(app, &e, CMD_FAILED) : CMD_DONE;
	words_done(&a.paths);
	return r;
}

const struct cmd cmd_diff = {
	.name = "diff",
	.summary = "show what the box would change in its project",
	.argp = &argp,
	.config = true,
	.run = run,
};
