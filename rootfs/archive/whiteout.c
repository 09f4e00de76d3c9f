#include "rootfs/archive/whiteout.h"

#include <string.h>

#include "base/dirscan.h"
#include "base/sys/sys.h"
#include "base/text.h"

enum { WHITEOUT_FIRST = 1024, WHITEOUT_DEPTH = 256 };

int whiteout_init(struct whiteout *l, struct err *e)
{
	struct whiteout new = { .size = WHITEOUT_FIRST };

	if (sys_getrandom(&new.key, sizeof(new.key)) != (ssize_t)sizeof(new.key))
		return err_set(e, -EIO, "cannot get random bytes");
	new.set = calloc(new.size, sizeof(*new.set));
	if (!new.set)
		return err_sys(e, -ENOMEM, "cannot unpack a layer");
	*l = new;
	return 0;
}

void whiteout_done(struct whiteout *l)
{
	free(l->set);
	*l = (struct whiteout){ 0 };
}

static uint64_t mix(uint64_t h, uint64_t v)
{
	h = (h ^ v) * 0x9e3779b97f4a7c15u;
	return h ^ (h >> 29);
}

static uint64_t hash_of(const struct whiteout *l, const struct stat *dir,
			const char *name)
{
	uint64_t h = mix(mix(l->key, dir->st_dev), dir->st_ino);

	for (; *name; name++)
		h = mix(h, (unsigned char)*name);
	return h ? h : 1;
}

static uint64_t *place(uint64_t *set, size_t size, uint64_t h)
{
	size_t i = h & (size - 1);

	while (set[i] && set[i] != h)
		i = (i + 1) & (size - 1);
	return &set[i];
}

static int grow(struct whiteout *l)
{
	uint64_t *set = calloc(l->size * 2, sizeof(*set));

	if (!set)
		return -ENOMEM;
	for (size_t i = 0; i < l->size; i++)
		if (l->set[i])
			*place(set, l->size * 2, l->set[i]) = l->set[i];
	free(l->set);
	l->set = set;
	l->size *= 2;
	return 0;
}

int whiteout_made(struct whiteout *l, const struct stat *dir, const char *name,
		  struct err *e)
{
	uint64_t h = hash_of(l, dir, name);
	uint64_t *p;

	if (l->n * 2 >= l->size && grow(l) < 0)
		return err_sys(e, -ENOMEM, "cannot unpack a layer");
	p = place(l->set, l->size, h);
	l->n += !*p;
	*p = h;
	return 0;
}

/* ---- removal ------------------------------------------------------------------------ */

static int fail(struct err *e, int code, const char *name)
{
	return err_sys(e, code, "cannot remove '%s'", text_shown(name));
}

static int empty(const struct whiteout *l, int dir, unsigned depth, struct err *e);

/* Everything below a directory is looked at, since this layer may have made something
 * deep in it; the directory itself then goes if it is empty. */
static int remove_dir(const struct whiteout *l, int parent, const char *name,
		      unsigned depth, struct err *e)
{
	_cleanup_close_ int fd = -1;
	struct stat st;
	int r = 0;

	fd = sys_openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW, 0);
	if (fd < 0)
		return fail(e, fd, name);
	r = empty(l, fd, depth + 1, e);
	if (r < 0)
		return r;
	r = sys_fstat(parent, &st);
	if (r >= 0 && *place(l->set, l->size, hash_of(l, &st, name)))
		return 0;
	if (r == 0)
		r = sys_unlinkat(parent, name, AT_REMOVEDIR);
	return r < 0 && r != -ENOTEMPTY && r != -EEXIST ? fail(e, r, name) : 0;
}

static int remove_any(const struct whiteout *l, int parent, const char *name,
		      unsigned depth, struct err *e)
{
	struct stat dir, st;
	int r;

	if (depth > WHITEOUT_DEPTH)
		return err_set(e, -E2BIG,
			       "whiteout of more than %d levels of directories",
			       WHITEOUT_DEPTH);
	r = sys_fstatat(parent, name, &st, AT_SYMLINK_NOFOLLOW);
	if (r == -ENOENT)
		return 0;
	if (r >= 0)
		r = sys_fstat(parent, &dir);
	if (r < 0)
		return fail(e, r, name);
	if (S_ISDIR(st.st_mode))
		return remove_dir(l, parent, name, depth, e);
	if (*place(l->set, l->size, hash_of(l, &dir, name)))
		return 0;
	r = sys_unlinkat(parent, name, 0);
	return r < 0 ? fail(e, r, name) : 0;
}

static int empty(const struct whiteout *l, int dir, unsigned depth, struct err *e)
{
	/* On the heap: as deep as directories nest, and the stack is not that large. */
	_cleanup_free_ struct dirscan *scan = malloc(sizeof(*scan));
	int r = 0;

	if (!scan)
		return err_sys(e, -ENOMEM, "cannot unpack a layer");
	dirscan_start(scan, dir);
	while (r == 0 && dirscan_next(scan))
		r = remove_any(l, dir, scan->name, depth, e);
	return r ?: dirscan_failed(scan, e);
}

int whiteout_remove(const struct whiteout *l, int parent, const char *name,
		    struct err *e)
{
	return remove_any(l, parent, name, 0, e);
}

int whiteout_empty(const struct whiteout *l, int dir, struct err *e)
{
	_cleanup_close_ int fd = sys_openat(dir, ".", O_RDONLY | O_DIRECTORY, 0);

	if (fd < 0)
		return fail(e, fd, ".");
	return empty(l, fd, 0, e);
}
