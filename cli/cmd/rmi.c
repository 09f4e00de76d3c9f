#include "cli/opt/cmd.h"
#include "cli/opt/words.h"
#include "cli/show/render.h"
#include "rootfs/image/image.h"
#include "runtime/worker/worker.h"

struct args {
	bool force, all;
	struct words names; /* owned */
};

static const struct argp_option options[] = {
	{ "all", 'a', NULL, 0, "all images", 0 },
	{ "force", 'f', NULL, 0, "also when boxes use it: they cannot start any more",
	  0 },
	{ 0 },
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct args *a = state->input;

	switch (key) {
	case 'a':
		a->all = true;
		return 0;
	case 'f':
		a->force = true;
		return 0;
	case ARGP_KEY_ARG:
		return words_add(&a->names, arg) < 0 ? cmd_bad(state, "too many words")
						     : 0;
	case ARGP_KEY_END:
		if (a->all == (a->names.n > 0))
			return cmd_bad(state,
				       a->all ? "--all and names exclude each other"
					      : "an image is missing");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp argp = {
	.options = options,
	.parser = parse,
	.args_doc = "IMAGE...",
	.doc = "Remove images by name or by the beginning of their digest.",
};

static void args_done(struct args *a)
{
	words_done(&a->names);
}

/* The map that an image was unpacked with is that of whoever can remove it. */
static int read_map(const struct store *st, const char *dir, struct idmap *ret,
		    struct err *e)
{
	_cleanup_json_ struct json *meta = NULL;
	int r;

	r = image_meta(st, dir, &meta, e);
	return r < 0 ? r : idmap_from_json(json_get(meta, "idmap"), ret, e);
}

static int remove_image(const struct app *app, const struct store *st, bool force,
			const struct image *image, struct err *e)
{
	const char *shown = image->name[0] ? image->name : image->digest;
	struct idmap map;
	int r;

	r = read_map(st, image->dir, &map, e);
	if (r == 0)
		r = image_remove(st, image->dir, force, worker_rmtree, &map, e);
	if (r == -EBUSY)
		return err_hint(e, "--force removes it all the same");
	if (r == 0)
		render_note(app, "the image '%s' is removed", shown);
	return r;
}

static int remove_named(const struct app *app, const struct store *st,
			const struct args *a)
{
	int status = CMD_DONE;

	for (size_t i = 0; i < a->names.n; i++) {
		struct image image;
		struct err e = ERR_NONE;

		if (image_find(st, a->names.v[i], NULL, &image, &e) < 0 ||
		    remove_image(app, st, a->force, &image, &e) < 0)
			status = cmd_fail(app, &e, CMD_FAILED);
	}
	return status;
}

struct sweep {
	const struct app *app;
	const struct store *st;
	bool force;
	int status;
};

static int sweep_one(void *ctx, const struct image *image)
{
	struct sweep *s = ctx;
	struct err e = ERR_NONE;

	if (remove_image(s->app, s->st, s->force, image, &e) < 0)
		s->status = cmd_fail(s->app, &e, CMD_FAILED);
	return 0;
}

static int remove_all(const struct app *app, const struct store *st, bool force)
{
	struct sweep s = { .app = app, .st = st, .force = force };
	struct err e = ERR_NONE;

	if (image_list(st, sweep_one, &s, &e) < 0)
		return cmd_fail(app, &e, CMD_FAILED);
	return s.status;
}

static int run(struct app *app, int argc, char **argv)
{
	_cleanup_(args_done) struct args a = { .force = false };
	_cleanup_store_ struct store st = STORE_NONE;
	struct err e = ERR_NONE;
	int r;

	r = cmd_parse(app, &cmd_rmi, argc, argv, &a);
	if (r != CMD_GO)
		return r;
	if (store_open(&st, &e) < 0)
		return cmd_fail(app, &e, CMD_FAILED);
	return a.all ? remove_all(app, &st, a.force) : remove_named(app, &st, &a);
}

const struct cmd cmd_rmi = {
	.name = "rmi",
	.summary = "remove images",
	.argp = &argp,
	.run = run,
};
