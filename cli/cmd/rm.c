#include "cli/box/confirm.h"
#include "cli/box/end.h"
#include "cli/box/opt_boxes.h"
#include "cli/opt/cmd.h"
#include "cli/show/render.h"

struct args {
	struct opt_boxes boxes;
	bool force, yes;
};

static const struct argp_option options[] = {
	{ "force", 'f', NULL, 0, "stop the box first if it runs; as --yes", 0 },
	{ "yes", 'y', NULL, 0, "do not ask first", 0 },
	{ 0 },
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct args *a = state->input;

	(void)arg;
	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &a->boxes;
		return 0;
	case 'f':
		a->force = true;
		return 0;
	case 'y':
		a->yes = true;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_child children[] = { { .argp = &opt_boxes }, { 0 } };

static const struct argp argp = {
	.options = options,
	.parser = parse,
	.args_doc = "[DIR|NAME|KEY...]",
	.doc = "Remove the box of this directory, or those that are named, with all "
	       "that "
	       "was installed in it. The directory itself and the image stay.",
	.children = children,
};

static int remove_box(const struct opt_boxes_work *w, const struct boxlist_item *b,
		      struct err *e)
{
	const struct args *a = w->args;
	int r = a->yes || a->force || a->boxes.all
			? 0
			: confirm_one(w->app, w->store, b->key, e);

	if (r < 0)
		return r;
	r = a->force ? boxend_stop(w->store, b->key, e)
		     : boxend_idle(w->store, b->key, e);
	if (r == 0)
		r = boxend_remove(w->store, b->key, false, e);
	if (r == -EBUSY)
		return err_hint(e, "--force does both");
	if (r == 0)
		render_note(w->app, "the box of '%s' is removed", b->project);
	return r;
}

/* One that is named is meant; all of them may be a slip. */
static int permitted(const struct app *app, const struct args *a, struct err *e)
{
	_cleanup_store_ struct store st = STORE_NONE;
	_cleanup_boxlist_ struct boxlist l = BOXLIST_NONE;
	_cleanup_free_ const struct boxlist_item **v = NULL;
	int r = store_open(&st, e);

	if (r == 0)
		r = boxlist_read(&st, &l, e);
	if (r < 0)
		return r;
	v = calloc(l.n + 1, sizeof(*v));
	if (!v)
		return err_sys(e, -ENOMEM, "cannot list the boxes");
	for (size_t i = 0; i < l.n; i++)
		v[i] = &l.v[i];
	return confirm_removal(app, &st, v, l.n, a->yes || a->force, e);
}

static void args_done(struct args *a)
{
	opt_boxes_done(&a->boxes);
}

static int run(struct app *app, int argc, char **argv)
{
	_cleanup_(args_done) struct args a = { .boxes = { .exact = true } };
	struct err e = ERR_NONE;
	int r;

	r = cmd_parse(app, &cmd_rm, argc, argv, &a);
	if (r != CMD_GO)
		return r;
	if (a.boxes.all && permitted(app, &a, &e) < 0)
		return cmd_fail(app, &e, CMD_FAILED);
	return opt_boxes_each(app, &a.boxes, remove_box, &a);
}

const struct cmd cmd_rm = {
	.name = "rm",
	.summary = "remove a box with everything in it",
	.argp = &argp,
	.run = run,
};
