#include <stdio.h>

#include "base/file.h"
#include "base/signals.h"
#include "base/sys/sys.h"
#include "cli/image/layoutout.h"
#include "cli/image/pick.h"
#include "cli/image/pulling.h"
#include "cli/opt/cmd.h"
#include "cli/show/render.h"
#include "cli/snapshot/snap.h"
#include "rootfs/image/image.h"
#include "rootfs/store/chain.h"
#include "rootfs/store/staging.h"
#include "runtime/worker/shorten.h"
#include "runtime/worker/worker.h"

enum { LIST = 64 << 10, COMMIT_LAYERS = 127 /* of an image (rootfs/oci/doc.h) */ };

struct args {
	const char *name; /* borrowed */
};

/* ---- the box's own layers ------------------------------------------------------------- */

/* Those that snapshots and branches have kept, and the upper over them. */
static int add_chain(struct layoutout *l, const struct boxdir *dir, const char *project,
		     struct err *e)
{
	_cleanup_close_ int layers = -1;
	struct chain c;
	int r = chain_load(dir->dirfd, "chain", &c, e);

	if (r < 0 || !c.n)
		return r;
	layers = chain_dir(dir->store, e);
	if (layers < 0)
		return layers;
	for (size_t i = c.n; i-- > 0 && r == 0;) {
		_cleanup_close_ int tree = -1;
		char path[CHAIN_ID + 16];

		snprintf(path, sizeof(path), "%s/machine", c.layers[i]);
		tree = sys_openat(layers, path, O_PATH | O_DIRECTORY | O_NOFOLLOW, 0);
		r = tree < 0 ? err_sys(e, tree, "cannot open a layer of the box")
			     : layoutout_tree(l, tree, project + 1, e);
	}
	return r;
}

static int add_machine(struct layoutout *l, const struct boxdir *dir,
		       const struct spec *s, bool known, struct err *e)
{
	_cleanup_close_ int copy = sys_openat(dir->dirfd, "copy/rootfs",
					      O_PATH | O_DIRECTORY | O_NOFOLLOW, 0);
	_cleanup_json_ struct json *meta = NULL;
	int r;

	if (copy >= 0) /* of the whole image: there is no overlay here */
		return layoutout_tree(l, copy, s->project + 1, e);
	r = known ? image_meta(dir->store, s->image, &meta, e) : 0;
	if (r == 0)
		r = layoutout_image(l, s->image, meta, e);
	if (r < 0)
		return r;
	r = add_chain(l, dir, s->project, e);
	return r < 0 ? r : layoutout_tree(l, dir->upper, s->project + 1, e);
}

/* ---- a layout, and an image of it ----------------------------------------------------- */

static int make_layout(const struct boxsetup *s, int dir, const struct pulling_ref *as,
		       int abort_fd, struct err *e)
{
	_cleanup_progress_ struct progress_bar bar = { .app = NULL };
	_cleanup_layoutout_ struct layoutout l = { .store = s->app->store,
						   .map = &s->spec.map,
						   .dir = dir,
						   .blobs = -1,
						   .abort_fd = abort_fd,
						   .bar = &bar };
	_cleanup_json_ struct json *run = NULL;
	int r = image_run(s->app->store, s->spec.image, &run, e);

	if (r < 0)
		return r;
	r = layoutout_begin(&l, e);
	if (r < 0)
		return r;
	progress_start_live(&bar, s->app, "packing", as->name);
	r = add_machine(&l, &s->dir, &s->spec, !as->flat, e);
	return r < 0 ? r : layoutout_end(&l, run, "image", e);
}

static int take_image(const struct boxsetup *s, const struct staging *st,
		      const struct pulling_ref *as, struct image *ret, struct err *e)
{
	char ref[PATH_MAX + 64], source[PATH_MAX];
	const struct pulling_ref what = {
		.ref = ref, .name = as->name, .source = source, .flat = as->flat
	};

	snprintf(ref, sizeof(ref), "oci:%s/tmp/%s", s->app->store->path, st->name);
	snprintf(source, sizeof(source), "commit of %.900s", s->spec.project);
	return pulling_image(s->app, &s->spec.map, &what, ret, e);
}

/* How many layers the box's image has; 1 where it came as one. */
static size_t image_layers(const struct store *st, const char *image)
{
	_cleanup_buf_ struct buf list = BUF_INIT((size_t)LIST);
	char path[PATH_MAX];
	size_t n = 0;

	snprintf(path, sizeof(path), "images/%.255s/layers", image);
	(void)file_read(st->dirfd, path, &list, ERR_IGNORED);
	for (size_t i = 0; i < list.len; i++)
		n += list.data[i] == '\n';
	return MAX(n, (size_t)1);
}

/* An image has no more than COMMIT_LAYERS; where all of the box's would be more, its own are
 * merged first. Where they are too many even then, all of them become one.
 * Return: 1: they do; 0: there is room. The box's upper is one of them. */
static int make_room(const struct boxdir *dir, const struct spec *s, struct err *e)
{
	size_t below = image_layers(dir->store, s->image);
	struct chain c;
	int r = chain_load(dir->dirfd, "chain", &c, e);

	if (r < 0 || below + c.n + 1 <= COMMIT_LAYERS)
		return r;
	r = shorten_chain(s, dir->dirfd, 3, true, e);
	if (r == 0)
		r = chain_load(dir->dirfd, "chain", &c, e);
	return r < 0 ? r : below + c.n + 1 > COMMIT_LAYERS;
}

static int commit(const struct app *app, const char *name, struct image *ret,
		  struct err *e)
{
	_cleanup_signals_ struct signals_held held = SIGNALS_HELD_NONE;
	_cleanup_staging_ struct staging st = STAGING_NONE;
	_cleanup_boxsetup_ struct boxsetup s = BOXSETUP(app);
	_cleanup_close_ int lock = -1;
	struct pulling_ref as = { .name = name };
	int r;

	r = lock = snap_open(&s, e);
	if (r >= 0)
		r = signals_hold(&held, e);
	if (r >= 0)
		r = staging_new(s.app->store, "commit", &st, e);
	if (r >= 0)
		r = make_room(&s.dir, &s.spec, e);
	as.flat = r > 0;
	if (r >= 0)
		r = make_layout(&s, st.dirfd, &as, held.fd, e);
	if (r >= 0)
		r = take_image(&s, &st, &as, ret, e);
	staging_remove(s.app->store, &st, worker_rmtree, &s.spec.map);
	return r;
}

static int work(struct app *app, void *args, struct err *e)
{
	const struct args *a = args;
	_cleanup_json_ struct json *j = json_object();
	struct image image = { .size = 0 };
	int r = commit(app, a->name, &image, e);

	if (r < 0)
		return r == -ECANCELED ? CMD_INTERRUPTED : r;
	if (!app->json) {
		fprintf(app->out, "%s\n", image.name);
		return CMD_DONE;
	}
	json_set_str(j, "name", image.name);
	json_set_str(j, "digest", image.digest);
	json_set_int(j, "size", (int64_t)image.size);
	return render_json(app, j) < 0 ? CMD_FAILED : CMD_DONE;
}

const struct cmd cmd_commit = {
	.name = "commit",
	.group = CMD_IMAGES,
	.summary = "make an image of a box",
	.words = "NAME",
	.doc = "Make an image of the machine of this directory's box: of its image, "
	       "and of all that was installed and written in it since. The project is "
	       "no part of it.",
	.operands = { CMD_TEXT_IF(struct args, name, imagepick_name) },
	.least = 1,
	.missing = "a name for the image is missing, such as 'mine'",
	.size = sizeof(struct args),
	.config = true,
	.work = work,
};
