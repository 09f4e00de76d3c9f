#include "cli/box/opt_boxes.h"

#include "base/text.h"
#include "cli/show/render.h"

static const struct argp_option options[] = {
	{ "all", 'a', NULL, 0, "all boxes", 0 },
	{ 0 },
};

void opt_boxes_done(struct opt_boxes *o)
{
	words_done(&o->names);
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct opt_boxes *o = state->input;

	switch (key) {
	case 'a':
		o->all = true;
		return 0;
	case ARGP_KEY_ARG:
		if (words_add(&o->names, arg) < 0)
			return cmd_bad(state, "too many words");
		return 0;
	case ARGP_KEY_END:
		if (o->all && o->names.n)
			return cmd_bad(state, "--all and '%s' exclude each other",
				       o->names.v[0]);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

const struct argp opt_boxes = { .options = options, .parser = parse };

static int one(const struct opt_boxes_work *w, const struct boxlist *l,
	       const char *name, opt_boxes_fn *fn)
{
	struct err e = ERR_NONE;
	const struct boxlist_item *b = boxlist_find(l, name, &e);

	if (!b || fn(w, b, &e) < 0)
		return cmd_fail(w->app, &e, CMD_FAILED);
	return CMD_DONE;
}

int opt_boxes_each(const struct app *app, const struct opt_boxes *o, opt_boxes_fn *fn,
		   const void *args)
{
	_cleanup_store_ struct store st = STORE_NONE;
	_cleanup_boxlist_ struct boxlist l = BOXLIST_NONE;
	struct opt_boxes_work w = { .app = app, .store = &st, .args = args };
	struct err e = ERR_NONE;
	int status = CMD_DONE;

	if (store_open(&st, &e) < 0 || boxlist_read(&st, &l, &e) < 0)
		return cmd_fail(app, &e, CMD_FAILED);
	for (size_t i = 0; o->all && i < l.n; i++)
		if (fn(&w, &l.v[i], &e) < 0)
			status = cmd_fail(app, &e, CMD_FAILED);
	for (size_t i = 0; i < o->names.n; i++)
		if (one(&w, &l, o->names.v[i], fn) != CMD_DONE)
			status = CMD_FAILED;
	if (!o->all && !o->names.n)
		status = one(&w, &l, app->dir ? app->dir : ".", fn);
	return status;
}
