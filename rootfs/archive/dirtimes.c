#include "rootfs/archive/dirtimes.h"

#include <stdlib.h>
#include <string.h>

#include "base/inroot.h"
#include "base/sys/sys.h"
#include "base/text.h"

void dirtimes_done(struct dirtimes *l)
{
	buf_done(&l->paths);
	buf_done(&l->dirs);
}

int dirtimes_add(struct dirtimes *l, const char *path, const struct dirtimes_dir *d,
		 struct err *e)
{
	struct dirtimes_dir copy = *d;
	int r;

	copy.path = l->paths.len;
	r = buf_add(&l->paths, path, strlen(path) + 1);
	if (r >= 0)
		r = buf_add(&l->dirs, &copy, sizeof(copy));
	return r < 0 ? err_sys(e, r, "too many directories") : 0;
}

/* One directory's notes together, the last one first. */
static int by_inode(const void *a, const void *b)
{
	const struct dirtimes_dir *x = a, *y = b;

	if (x->ino != y->ino)
		return x->ino < y->ino ? -1 : 1;
	if (x->dev != y->dev)
		return x->dev < y->dev ? -1 : 1;
	return (x->path < y->path) - (x->path > y->path);
}

/* "a/b" before "a": a parent may end without the right to search it. */
static int deepest_first(const void *a, const void *b, void *ctx)
{
	const struct dirtimes_dir *x = a, *y = b;
	const char *paths = ctx;

	return strcmp(paths + y->path, paths + x->path);
}

/* Keeps the last note of each directory; returns how many those are. */
static size_t keep_last(struct dirtimes_dir *d, size_t n)
{
	size_t kept = 0;

	qsort(d, n, sizeof(*d), by_inode);
	for (size_t i = 0; i < n; i++) {
		if (kept && d[kept - 1].ino == d[i].ino && d[kept - 1].dev == d[i].dev)
			continue;
		d[kept++] = d[i];
	}
	return kept;
}

static int apply_one(int root, const char *path, const struct dirtimes_dir *d)
{
	_cleanup_close_ int fd = -1;
	struct stat st;
	int r;

	fd = inroot_open(root, path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
	if (fd == -ENOENT || fd == -ENOTDIR || fd == -ELOOP)
		return 0;
	if (fd < 0)
		return fd;
	r = sys_fstat(fd, &st);
	if (r < 0)
		return r;
	if (st.st_dev != d->dev || st.st_ino != d->ino)
		return 0;
	if (d->has_times)
		r = sys_futimens(fd, d->times);
	if (r >= 0 && d->has_mode)
		r = sys_fchmod(fd, d->mode);
	return r;
}

int dirtimes_apply(struct dirtimes *l, int root, struct err *e)
{
	size_t n = l->dirs.len / sizeof(struct dirtimes_dir);
	struct dirtimes_dir *d = (void *)l->dirs.data; /* aligned: from malloc */
	int r = 0;

	if (!n)
		return 0;
	n = keep_last(d, n);
	qsort_r(d, n, sizeof(*d), deepest_first, l->paths.data);
	for (size_t i = 0; i < n && r >= 0; i++) {
		const char *path = l->paths.data + d[i].path;

		r = apply_one(root, path, &d[i]);
		if (r < 0)
			err_sys(e, r, "cannot finish directory '%s'", text_shown(path));
	}
	dirtimes_done(l);
	return r < 0 ? r : 0;
}
