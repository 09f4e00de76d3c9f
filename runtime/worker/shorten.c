/* The new layers are made within the box's own directory, of further names of the files that
 * the old ones have, so they cost directories and no data. They become layers by a rename,
 * and the box's by the list that is replaced after that: killed before, what was made is
 * removed by the next one here, or by whoever collects layers. */
#include "runtime/worker/shorten.h"

#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/sys/sys.h"
#include "rootfs/store/chain.h"
#include "runtime/worker/worker.h"

#define SHORTEN_NEW "merging"

enum { SHORTEN_IDS = CHAIN_MOST * CHAIN_ID };

static int remove_new(const struct spec *spec, int boxdir, struct err *e)
{
	struct idmap map;
	struct worker_job job = { .name = "rmtree",
				  .arg = SHORTEN_NEW,
				  .map = &map,
				  .dir = boxdir,
				  .in = -1 };
	struct stat st;
	int r = idmap_choose_helper(&spec->map, &map, e);

	if (r < 0 || sys_fstatat(boxdir, SHORTEN_NEW, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return r;
	return worker_run(&job, NULL, e);
}

static int merge(const struct spec *spec, int boxdir, int layers, const struct chain *c,
		 struct err *e)
{
	_cleanup_close_ int dir = -1;
	struct idmap map;
	char ids[SHORTEN_IDS] = "";
	struct worker_job job = {
		.name = "merge", .arg = ids, .map = &map, .in = layers
	};
	int r = remove_new(spec, boxdir, e) ?: idmap_choose_helper(&spec->map, &map, e);

	if (r < 0)
		return r;
	for (size_t i = 0; i < c->n; i++)
		snprintf(ids + i * CHAIN_ID, CHAIN_ID + 1, "%s ", c->layers[i]);
	ids[c->n * CHAIN_ID - 1] = '\0';
	r = sys_mkdirat(boxdir, SHORTEN_NEW, 0711);
	if (r == 0) /* passable whatever the umask */
		r = sys_fchmodat(boxdir, SHORTEN_NEW, 0711, 0);
	if (r < 0)
		return err_sys(e, r, "cannot make a layer");
	job.dir = dir = file_open_dir(boxdir, SHORTEN_NEW, e);
	return dir < 0 ? dir : worker_run(&job, NULL, e);
}

static bool is_same(const struct chain *a, const struct chain *b)
{
	return a->n == b->n && memcmp(a->layers, b->layers, a->n * CHAIN_ID) == 0;
}

/* Nobody else changes the list of a box whose lock is held. The end of a box does not @wait for
 * the layers: others wait for the box meanwhile. */
static int replace(int boxdir, int layers, const struct chain *was, bool wait,
		   struct err *e)
{
	_cleanup_close_ int lock = file_lock(layers, "lock", wait, e);
	static const char *const made[] = { SHORTEN_NEW "/top", SHORTEN_NEW "/below" };
	struct chain c;
	int r = lock < 0 ? lock : chain_load(boxdir, "chain", &c, e);

	if (r < 0 || !is_same(was, &c))
		return MIN(r, 0);
	c.n = 0;
	for (size_t i = 0; i < ARRAY_SIZE(made) && r == 0; i++) {
		_cleanup_close_ int layer = chain_layer(layers, c.layers[c.n], e);

		if (layer < 0)
			return layer;
		r = sys_renameat(boxdir, made[i], layers, c.layers[c.n++]);
	}
	if (r < 0)
		return err_sys(e, r, "cannot keep a layer");
	r = chain_save(boxdir, "chain", &c, e);
	return r < 0 ? r : 1;
}

static int shorten(const struct spec *spec, int boxdir, const struct chain *c,
		   bool locked, struct err *e)
{
	_cleanup_close_ int layers = -1, lock = -1;
	char path[PATH_MAX + 16];
	int r;

	snprintf(path, sizeof(path), "%s/layers", spec->store);
	layers = file_open_dir(AT_FDCWD, path, e);
	r = layers < 0 ? layers : merge(spec, boxdir, layers, c, e);
	if (r == 0 && !locked)
		r = lock = file_lock(boxdir, "lock", false, e);
	if (r >= 0)
		r = replace(boxdir, layers, c, locked, e);
	return r;
}

int shorten_chain(const struct spec *spec, int boxdir, size_t from, bool locked,
		  struct err *e)
{
	_cleanup_close_ int lock = -1;
	struct chain c;
	int r = chain_load(boxdir, "chain", &c, e);

	if (r < 0 || c.n < MAX(from, (size_t)2))
		return MIN(r, 0);
	r = lock = file_lock(boxdir, "merging.lock", locked, e);
	if (r >= 0)
		r = shorten(spec, boxdir, &c, locked, e);
	if (lock >= 0)
		(void)remove_new(spec, boxdir, ERR_IGNORED);
	if (r == -EWOULDBLOCK) { /* it runs again, or another does the same */
		*e = ERR_NONE;
		return 0;
	}
	return r;
}
