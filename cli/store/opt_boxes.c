#include "cli/store/opt_boxes.h"

#include <string.h>

#include "base/text.h"
#include "cli/show/render.h"
#include "cli/store/place.h"

const struct cmd_option opt_boxes[] = {
	{ "all", 'a', NULL, "all boxes", CMD_FLAG(struct opt_boxes, all) },
	{ 0 },
};

int opt_boxes_check(struct app *, void *args, struct err *e)
{
	const struct opt_boxes *o = args;

	if (o->all && o->names.n)
		return err_set(e, -EINVAL, "--all and '%s' exclude each other",
			       o->names.v[0]);
	return 0;
}

struct each {
	const struct app *app;
	const struct boxlist *l;
	opt_boxes_fn *fn;
	const void *args;  /* of @fn */
	struct json *done; /* owned: what was done, for --json */
};

static int one(const struct each *x, const struct boxlist_item *b, struct err *e)
{
	struct json *j = json_object();

	json_set_str(j, "key", b->key);
	json_set_str(j, "project", b->project);
	json_set(j, "running", json_bool(b->running));
	if (x->fn(x->app, x->args, b, e) < 0) {
		json_free(&j);
		return cmd_fail(x->app, e, CMD_FAILED);
	}
	json_add(x->done, j);
	return CMD_DONE;
}

static int named(const struct each *x, const char *name)
{
	struct err e = ERR_NONE;
	const struct boxlist_item *b = boxlist_find(x->l, name, x->app->box, &e);

	return b ? one(x, b, &e) : cmd_fail(x->app, &e, CMD_FAILED);
}

/* Without a name: the box of the current directory, for rm not one of a directory above. */
static int own_key(const struct app *app, const struct opt_boxes *o, char key[HASH_HEX],
		   struct err *e)
{
	_cleanup_spec_ struct spec s = SPEC_NONE;
	struct place_found p;
	char here[256], above[256];
	int r;

	r = place_find(app, &s, &p, e);
	if (r < 0)
		return r;
	memcpy(key, s.key, sizeof(s.key));
	if (!o->exact || strcmp(s.project, p.cwd) == 0)
		return 0;
	text_escaped(here, sizeof(here), p.cwd, strlen(p.cwd));
	text_escaped(above, sizeof(above), s.project, strlen(s.project));
	err_set(e, -ENOENT, "there is no box for '%s'", here);
	return err_hint(e, "it uses that of '%s', which must be named to be removed",
			above);
}

static int own(const struct each *x, const char *key, const char *dir)
{
	for (size_t i = 0; i < x->l->n; i++)
		if (strcmp(x->l->v[i].key, key) == 0) {
			return one(x, &x->l->v[i], ERR_IGNORED);
		}
	return named(x, dir); /* says that there is none */
}

int opt_boxes_each(const struct app *app, const struct opt_boxes *o, opt_boxes_fn *fn,
		   const void *args)
{
	_cleanup_boxlist_ struct boxlist l = BOXLIST_NONE;
	_cleanup_json_ struct json *done = json_array();
	const struct each x = {
		.app = app, .l = &l, .fn = fn, .args = args, .done = done
	};
	bool own_one = !o->all && !o->names.n;
	struct err e = ERR_NONE;
	char key[HASH_HEX];
	int status = CMD_DONE, r;

	r = place_store(app, &e);
	if (r == 0 && own_one)
		r = own_key(app, o, key, &e)
			    ?: boxlist_read_one(app->store, key, &l, &e);
	if (r == 0 && !l.n)
		r = boxlist_read(app->store, &l, &e);
	if (r < 0)
		return cmd_fail(app, &e, CMD_FAILED);
	for (size_t i = 0; o->all && i < l.n; i++)
		if (one(&x, &l.v[i], &e) != CMD_DONE)
			status = CMD_FAILED;
	for (size_t i = 0; i < o->names.n; i++)
		if (named(&x, o->names.v[i]) != CMD_DONE)
			status = CMD_FAILED;
	if (own_one)
		status = own(&x, key, app->dir ? app->dir : ".");
	if (app->json && (status == CMD_DONE || json_len(done)))
		(void)render_json(app, done);
	return status;
}
