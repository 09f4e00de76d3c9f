#include "rootfs/image/diffs.h"

#include <string.h>

#include "base/dirscan.h"
#include "base/file.h"
#include "base/sys/sys.h"

/* Box root, who may be anybody, goes through it to the layers; the store itself is the
 * caller's alone. */
enum { DIFFS_MODE = 0711, META = 64 << 10, LIST = 16 << 10, USED = 4 << 20 };

static int open_diffs(const struct store *s, struct err *e)
{
	int r = sys_mkdirat(s->dirfd, "diffs", DIFFS_MODE);
	int fd = sys_openat(s->dirfd, "diffs", O_RDONLY | O_DIRECTORY | O_NOFOLLOW, 0);

	if (r == 0 && fd >= 0) /* whatever the umask */
		r = sys_fchmod(fd, DIFFS_MODE);
	return fd < 0 ? err_sys(e, fd, "cannot open '%s/diffs'", s->path) : fd;
}

int diffs_meta(const struct store *s, const char *name, struct json **ret,
	       struct err *e)
{
	char path[IMAGE_DIR + 32];
	int r;

	snprintf(path, sizeof(path), "diffs/%s/meta.json", name);
	r = json_read(s->dirfd, path, META, ret, e);
	return r < 0 ? err_wrap(e, "layer '%.12s'", name) : 0;
}

int diffs_publish(const struct store *s, int dir, const char *from, const char *name,
		  struct err *e)
{
	_cleanup_close_ int diffs = open_diffs(s, e);
	_cleanup_close_ int fd = diffs < 0 ? diffs : file_open_dir(dir, from, e);
	int r;

	if (fd < 0)
		return fd;
	r = sys_fchown(fd, sys_geteuid(), sys_getegid()) ?:
		sys_fchmod(fd, DIFFS_MODE) ?:
		sys_renameat(dir, from, diffs, name);
	if (r == -EEXIST || r == -ENOTEMPTY) /* another pull was faster */
		return 0;
	return r < 0 ? err_sys(e, r, "cannot store layer '%.12s'", name) : 0;
}

int diffs_settle(const struct store *s, struct err *e)
{
	_cleanup_close_ int diffs = open_diffs(s, e);
	int r = diffs < 0 ? diffs : sys_fsync(diffs);

	return r < 0 && diffs >= 0 ? err_sys(e, r, "cannot store layers") : r;
}

int diffs_there(const struct store *s, const char *name, struct err *e)
{
	char path[IMAGE_DIR + 32];

	snprintf(path, sizeof(path), "diffs/%s", name);
	if (sys_faccessat(s->dirfd, path, F_OK, AT_SYMLINK_NOFOLLOW) == 0)
		return 0;
	return err_set(e, -ESTALE, "layer '%.12s' was removed meanwhile; pull again",
		       name);
}

/* ---- sweeping ----------------------------------------------------------------------- */

struct sweep {
	const struct store *store;
	const char *map;
	struct buf used;  /* names of layers, a line each */
	struct buf loose; /* of those that go, each with its NUL */
};

static void sweep_done(struct sweep *w)
{
	buf_done(&w->used);
	buf_done(&w->loose);
}

static int note_used(void *ctx, const struct image *i)
{
	struct sweep *w = ctx;
	char path[IMAGE_DIR + 16];
	int r;

	snprintf(path, sizeof(path), "%s/layers", i->dir);
	r = file_read(w->store->images, path, &w->used, ERR_IGNORED);
	return r == -ENOENT ? 0 : r;
}

static bool is_of_map(const char *name, const char *map)
{
	const char *dot = strchr(name, '.');

	return dot ? !strcmp(dot + 1, map) : !strcmp(map, "subuid");
}

static bool is_used(const struct sweep *w, const char *name)
{
	char line[IMAGE_DIR + 2];

	snprintf(line, sizeof(line), "%s\n", name);
	return strstr(buf_cstr(&w->used), line) != NULL;
}

/* Out of sight under the lock, removed without it. */
static int set_aside(struct sweep *w, int diffs, struct err *e)
{
	struct dirscan scan;
	char dead[IMAGE_DIR + 16];

	dirscan_start(&scan, diffs);
	while (dirscan_next(&scan)) {
		if (strlen(scan.name) >= IMAGE_DIR || !is_of_map(scan.name, w->map) ||
		    is_used(w, scan.name))
			continue;
		snprintf(dead, sizeof(dead), "dead-diff-%s", scan.name);
		if (sys_renameat(diffs, scan.name, w->store->tmp, dead) == 0 &&
		    buf_add(&w->loose, dead, strlen(dead) + 1) < 0)
			return err_sys(e, -ENOMEM, "cannot remove layers");
	}
	return dirscan_failed(&scan, e);
}

int diffs_sweep(const struct store *s, const char *map, boxdir_rm_fn *rm, void *ctx,
		struct err *e)
{
	_cleanup_(sweep_done) struct sweep w = { s, map, BUF_INIT((size_t)USED),
						 BUF_INIT((size_t)USED) };
	_cleanup_close_ int diffs = open_diffs(s, e);
	_cleanup_close_ int lock = diffs < 0 ? diffs : image_lock(s, e);
	int r = lock < 0 ? lock : image_list(s, note_used, &w, e);

	/* What could not be read may name any of them. */
	if (r < 0)
		return lock < 0 ? r : err_sys(e, r, "cannot see which layers are used");
	r = set_aside(&w, diffs, e);
	scope_close(&lock);
	for (size_t at = 0; r == 0 && at < w.loose.len;
	     at += strlen(w.loose.data + at) + 1)
		r = rm(ctx, s->tmp, w.loose.data + at, e);
	return r;
}
