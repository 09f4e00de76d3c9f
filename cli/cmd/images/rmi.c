#include "cli/opt/cmd.h"
#include "cli/opt/words.h"
#include "cli/show/render.h"
#include "cli/store/place.h"
#include "rootfs/image/diffs.h"
#include "rootfs/image/image.h"
#include "runtime/worker/worker.h"

struct args {
	bool force, all;
	struct words names; /* owned */
};

/* The map that an image was unpacked with is that of whoever can remove it. */
static int read_map(const struct store *st, const char *dir, struct idmap *ret,
		    struct err *e)
{
	_cleanup_json_ struct json *meta = NULL;
	int r;

	r = image_meta(st, dir, &meta, e);
	return r < 0 ? r : idmap_from_json(json_get(meta, "idmap"), ret, e);
}

struct sweep {
	const struct app *app; /* borrowed */
	struct json *done;     /* borrowed: what is removed, for --json */
	bool force;
	int status;
};

static int remove_image(const struct sweep *s, const struct image *image, struct err *e)
{
	struct json *j;
	const char *shown = image->name[0] ? image->name : image->digest;
	struct idmap map;
	int r;

	r = read_map(s->app->store, image->dir, &map, e) ?:
		image_remove(s->app->store, image->dir, s->force, worker_rmtree, &map, e) ?:
		diffs_sweep(s->app->store, image->map, worker_rmtree, &map, e);
	if (r < 0)
		return r;
	render_note(s->app, "the image '%s' is removed", shown);
	j = json_object();
	json_set_str(j, "name", image->name);
	json_set_str(j, "digest", image->digest);
	json_add(s->done, j);
	return 0;
}

/* One of several names goes alone: 1. */
static int drop_name(const struct sweep *s, const struct image *image, const char *name,
		     struct err *e)
{
	struct json *j;
	int r = image_unname(s->app->store, image->dir, name, e);

	if (r <= 0)
		return r;
	render_note(s->app, "the name '%s' is removed; the image has others", name);
	j = json_object();
	json_set_str(j, "name", name);
	json_set_str(j, "digest", image->digest);
	json_add(s->done, j);
	return r;
}

static void remove_named(struct sweep *s, const struct words *names)
{
	for (size_t i = 0; i < names->n; i++) {
		struct image image;
		struct err e = ERR_NONE;
		int r = image_find(s->app->store, names->v[i], NULL, &image, &e) ?:
			drop_name(s, &image, names->v[i], &e) ?:
			remove_image(s, &image, &e);

		if (r < 0)
			s->status = cmd_fail(s->app, &e, CMD_FAILED);
	}
}

static int sweep_one(void *ctx, const struct image *image)
{
	struct sweep *s = ctx;
	struct err e = ERR_NONE;

	if (remove_image(s, image, &e) < 0)
		s->status = cmd_fail(s->app, &e, CMD_FAILED);
	return 0;
}

static int work(struct app *app, void *args, struct err *e)
{
	const struct args *a = args;
	_cleanup_json_ struct json *done = json_array();
	struct sweep s = { .app = app, .done = done, .force = a->force };
	int r = place_store(app, e);

	if (r < 0)
		return r;
	if (!a->all)
		remove_named(&s, &a->names);
	else if (image_list(app->store, sweep_one, &s, e) < 0)
		s.status = cmd_fail(app, e, CMD_FAILED);
	if (app->json && (s.status == CMD_DONE || json_len(done)))
		(void)render_json(app, done);
	return s.status;
}

static int check(struct app *, void *args, struct err *e)
{
	const struct args *a = args;

	if (a->all && a->names.n)
		return err_set(e, -EINVAL, "--all and names exclude each other");
	return a->all || a->names.n
		       ? 0
		       : err_set(e, -EINVAL,
				 "an image is missing; 'cubby images' lists them");
}

static const struct cmd_option options[] = {
	{ "all", 'a', NULL, "all images", CMD_FLAG(struct args, all) },
	{ "force", 'f', NULL, "also when boxes use it: they cannot start any more",
	  CMD_FLAG(struct args, force) },
	{ 0 },
};

const struct cmd cmd_rmi = {
	.name = "rmi",
	.group = CMD_IMAGES,
	.summary = "remove images",
	.words = "IMAGE...",
	.doc = "Remove images by name or by the beginning of their digest. Of an "
	       "image with several names the name alone goes.",
	.options = options,
	.operands = { CMD_LIST(struct args, names) },
	.size = sizeof(struct args),
	.no_box = true,
	.check = check,
	.work = work,
};
