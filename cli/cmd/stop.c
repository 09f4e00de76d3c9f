#include "cli/box/end.h"
#include "cli/box/opt_boxes.h"
#include "cli/opt/cmd.h"
#include "cli/show/render.h"

static error_t parse(int key, char *arg, struct argp_state *state)
{
	(void)arg;
	if (key != ARGP_KEY_INIT)
		return ARGP_ERR_UNKNOWN;
	state->child_inputs[0] = state->input;
	return 0;
}

static const struct argp_child children[] = { { .argp = &opt_boxes }, { 0 } };

static const struct argp argp = {
	.parser = parse,
	.args_doc = "[DIR|KEY...]",
	.doc = "Stop the box of this directory, or those that are named: every process "
	       "in "
	       "it ends. What is on its disk stays.",
	.children = children,
};

static int stop(const struct opt_boxes_work *w, const struct boxlist_item *b,
		struct err *e)
{
	int r;

	if (!b->running) {
		render_note(w->app, "the box of '%s' is not running", b->project);
		return 0;
	}
	r = boxend_stop(w->store, b->key, e);
	if (r == 0)
		render_note(w->app, "the box of '%s' is stopped", b->project);
	return r;
}

static int run(struct app *app, int argc, char **argv)
{
	_cleanup_opt_boxes_ struct opt_boxes o = { .all = false };
	int r;

	r = cmd_parse(app, &cmd_stop, argc, argv, &o);
	return r == CMD_GO ? opt_boxes_each(app, &o, stop, NULL) : r;
}

const struct cmd cmd_stop = {
	.name = "stop",
	.summary = "stop a box; its disk stays",
	.argp = &argp,
	.run = run,
};
