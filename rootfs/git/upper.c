#include "rootfs/git/upper.h"

#include <stdlib.h>
#include <string.h>

#include "base/dirscan.h"
#include "base/scope.h"
#include "base/sys/sys.h"
#include "base/text.h"

struct walk {
	upper_fn *fn;
	void *ctx;
	size_t left;
	struct upper_entry x;
	char path[PATH_MAX];
};

bool upper_is_opaque(int dir)
{
	char value[4];
	ssize_t n = sys_fgetxattr(dir, "user.overlay.opaque", value, sizeof(value));

	return n == 1 && value[0] == 'y';
}

static enum upper_kind kind_of(const struct stat *st)
{
	if (S_ISREG(st->st_mode))
		return UPPER_FILE;
	if (S_ISLNK(st->st_mode))
		return UPPER_LINK;
	return S_ISCHR(st->st_mode) && !st->st_rdev ? UPPER_GONE : UPPER_ODD;
}

static int call(struct walk *w, int dir, size_t name_at, enum upper_kind kind,
		struct err *e)
{
	w->x.dir = dir;
	w->x.path = w->path;
	w->x.name = w->path + name_at;
	w->x.kind = kind;
	return w->fn(w->ctx, &w->x, e);
}

static int walk_listed(struct walk *w, int dir, size_t len, unsigned depth,
		       struct err *e);

static int walk_dir(struct walk *w, int parent, size_t at, unsigned depth,
		    struct err *e)
{
	struct stat st = w->x.st;
	_cleanup_close_ int dir = sys_openat(parent, w->path + at,
					     O_RDONLY | O_DIRECTORY | O_NOFOLLOW, 0);
	int r;

	if (dir < 0)
		return call(w, parent, at, UPPER_CLOSED, e);
	r = call(w, parent, at, upper_is_opaque(dir) ? UPPER_OPAQUE : UPPER_DIR, e);
	if (r == UPPER_SKIP)
		return 0;
	if (r >= 0)
		r = walk_listed(w, dir, strlen(w->path), depth + 1, e);
	w->x.st = st;
	return r < 0 ? r : call(w, parent, at, UPPER_LEFT, e);
}

static int walk_one(struct walk *w, int dir, size_t at, unsigned depth, struct err *e)
{
	int r = sys_fstatat(dir, w->path + at, &w->x.st, AT_SYMLINK_NOFOLLOW);

	if (r == -ENOENT)
		return 0; /* gone since */
	if (r < 0)
		return err_sys(e, r, "cannot look at what a box has changed");
	if (!w->left--)
		return err_set(e, -E2BIG, "a box has changed more than %d files",
			       (int)UPPER_ENTRIES);
	return S_ISDIR(w->x.st.st_mode) ? walk_dir(w, dir, at, depth, e)
					: call(w, dir, at, kind_of(&w->x.st), e);
}

static int walk_listed(struct walk *w, int dir, size_t len, unsigned depth,
		       struct err *e)
{
	/* On the heap: as deep as directories nest, and the stack is not that large. */
	_cleanup_free_ struct dirscan *scan = malloc(sizeof(*scan));
	size_t at = len ? len + 1 : 0;
	int r = 0;

	if (!scan)
		return err_sys(e, -ENOMEM, "cannot look at what a box has changed");
	if (depth > UPPER_DEPTH)
		return err_set(e, -E2BIG, "a box has nested directories too deep");
	dirscan_start(scan, dir);
	while (r >= 0 && dirscan_next(scan)) {
		if (at + strlen(scan->name) >= sizeof(w->path))
			return err_set(e, -E2BIG, "a box has made too long a path");
		if (len)
			w->path[len] = '/';
		memcpy(w->path + at, scan->name, strlen(scan->name) + 1);
		r = walk_one(w, dir, at, depth, e);
		w->path[len] = '\0';
	}
	return r < 0 ? r : dirscan_failed(scan, e);
}

int upper_walk(int dir, upper_fn *fn, void *ctx, struct err *e)
{
	_cleanup_free_ struct walk *w = calloc(1, sizeof(*w));
	_cleanup_close_ int fd = sys_openat(dir, ".", O_RDONLY | O_DIRECTORY, 0);

	if (!w)
		return err_sys(e, -ENOMEM, "cannot look at what a box has changed");
	if (fd < 0)
		return err_sys(e, fd, "cannot look at what a box has changed");
	w->fn = fn;
	w->ctx = ctx;
	w->left = UPPER_ENTRIES;
	return walk_listed(w, fd, 0, 0, e);
}

static void mix(uint64_t *h, uint64_t v)
{
	*h = (*h ^ v) * 0x9e3779b97f4a7c15u;
	*h ^= *h >> 29;
}

/* The sum of all, for directories have no order. The ctime no program can set back. */
static int add_sign(void *ctx, const struct upper_entry *x, struct err *)
{
	uint64_t *sum = ctx, h = 1;

	if (x->kind == UPPER_LEFT)
		return 0;
	mix(&h, x->st.st_ino);
	mix(&h, (uint64_t)x->st.st_size);
	mix(&h, (uint64_t)x->st.st_ctim.tv_sec);
	mix(&h, (uint64_t)x->st.st_ctim.tv_nsec);
	for (const char *p = x->path; *p; p++)
		mix(&h, (unsigned char)*p);
	*sum += h;
	return 0;
}

int upper_sign(int dir, uint64_t *ret, struct err *e)
{
	uint64_t sum = 0;
	int r = upper_walk(dir, add_sign, &sum, e);

	if (r < 0)
		return r;
	*ret = sum;
	return 0;
}

enum { HOST_ENTRIES = 4000, TREE_ENTRIES = 100000 };

struct host_sign {
	uint64_t sum;
	unsigned n;
};

static int add_host(void *ctx, const struct upper_entry *x, struct err *e)
{
	struct host_sign *s = ctx;

	if (++s->n > HOST_ENTRIES)
		return err_set(e, -E2BIG, "a git directory has too many files");
	(void)add_sign(&s->sum, x, e);
	return x->kind == UPPER_DIR && text_starts(x->path, "objects/") ? UPPER_SKIP
									: 0;
}

int upper_sign_host(int dir, uint64_t *ret, struct err *e)
{
	struct host_sign s = { 0 };
	int r = upper_walk(dir, add_host, &s, e);

	if (r < 0)
		return r;
	*ret = s.sum;
	return 0;
}

/* What cannot be looked into could hide anything. */
static int add_tree(void *ctx, const struct upper_entry *x, struct err *e)
{
	struct host_sign *s = ctx;

	if (++s->n > TREE_ENTRIES)
		return err_set(e, -E2BIG, "the tree has too many files");
	return x->kind == UPPER_CLOSED ? err_sys(e, -EACCES, "cannot look into '%s'",
						 text_shown(x->path))
				       : add_sign(&s->sum, x, e);
}

int upper_sign_tree(int dir, uint64_t *ret, struct err *e)
{
	struct host_sign s = { 0 };
	struct upper_entry top = { .path = "" };
	int r = sys_fstat(dir, &top.st);

	r = r < 0 ? err_sys(e, r, "cannot look at the tree")
		  : upper_walk(dir, add_tree, &s, e);
	if (r < 0)
		return r;
	(void)add_sign(&s.sum, &top, e);
	*ret = s.sum;
	return 0;
}

static int add_object(void *ctx, const struct upper_entry *x, struct err *)
{
	struct upper_objects *n = ctx;

	if (x->kind == UPPER_DIR && !strchr(x->path, '/'))
		return strcmp(x->path, "objects") == 0 ? 0 : UPPER_SKIP;
	if (x->kind != UPPER_FILE || !text_starts(x->path, "objects/"))
		return 0;
	n->loose += strlen(x->path) > 38 && x->path[10] == '/';
	n->packs += text_ends(x->path, ".pack");
	return 0;
}

void upper_objects(int git, struct upper_objects *ret)
{
	*ret = (struct upper_objects){ 0 };
	(void)upper_walk(git, add_object, ret, ERR_IGNORED);
}
