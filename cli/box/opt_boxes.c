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

struct each {
	const struct opt_boxes_work *w;
	const struct boxlist *l;
	opt_boxes_fn *fn;
	struct json *done; /* owned: what was done, for --json */
};

static int one(const struct each *x, const struct boxlist_item *b, struct err *e)
{
	struct json *j = json_object();

	json_set_str(j, "key", b->key);
	json_set_str(j, "project", b->project);
	json_set(j, "running", json_bool(b->running));
	if (x->fn(x->w, b, e) < 0) {
		json_free(&j);
		return cmd_fail(x->w->app, e, CMD_FAILED);
	}
	json_add(x->done, j);
	return CMD_DONE;
}

static int named(const struct each *x, const char *name)
{
	struct err e = ERR_NONE;
	const struct boxlist_item *b = boxlist_find(x->l, name, &e);

	return b ? one(x, b, &e) : cmd_fail(x->w->app, &e, CMD_FAILED);
}

int opt_boxes_each(const struct app *app, const struct opt_boxes *o, opt_boxes_fn *fn,
		   const void *args)
{
	_cleanup_store_ struct store st = STORE_NONE;
	_cleanup_boxlist_ struct boxlist l = BOXLIST_NONE;
	_cleanup_json_ struct json *done = json_array();
	const struct opt_boxes_work w = { .app = app, .store = &st, .args = args };
	const struct each x = { .w = &w, .l = &l, .fn = fn, .done = done };
	struct err e = ERR_NONE;
	int status = CMD_DONE;

	if (store_open(&st, &e) < 0 || boxlist_read(&st, &l, &e) < 0)
		return cmd_fail(app, &e, CMD_FAILED);
	for (size_t i = 0; o->all && i < l.n; i++)
		if (one(&x, &l.v[i], &e) != CMD_DONE)
			status = CMD_FAILED;
	for (size_t i = 0; i < o->names.n; i++)
		if (named(&x, o->names.v[i]) != CMD_DONE)
			status = CMD_FAILED;
	if (!o->all && !o->names.n)
		status = named(&x, app->dir ? app->dir : ".");
	if (app->json && (status == CMD_DONE || json_len(done)))
		(void)render_json(app, done);
	return status;
}
