/* Directories are made one after the other, from the top down, each with a note of which
 * layers show something in it: a path is only ever opened in a layer in which each part of
 * it is a directory. What is in a higher layer is there first, so that a name which exists
 * is one that a lower layer does not get.
 *
 * What says that a name is gone is hidden by the kernel where a directory is in several
 * layers, and shown where it is in one. So it is removed where nothing lies below, and
 * elsewhere there is a second layer with the same directories and nothing in them. */
#include "rootfs/store/merge.h"

#include <linux/openat2.h>
#include <string.h>

#include "base/copyfd.h"
#include "base/dirscan.h"
#include "base/sys/sys.h"
#include "base/text.h"

static const char opaque[] = "user.overlay.opaque";

enum { MERGE_TODO = 256 << 20 };

struct place {
	uint32_t layers; /* a bit each */
	bool opaque;	 /* it hides what the image has there */
	bool hidden;	 /* it does, or one above it: nothing lies below */
};
_Static_assert(CHAIN_MOST <= 32, "a bit for each layer");

struct merge {
	const int *from; /* borrowed */
	size_t n;
	int to, below;	 /* borrowed */
	struct buf todo; /* owned: a struct place, then a path with its NUL, each */
};

/* One directory, in all layers that show it. */
struct level {
	struct merge *m; /* borrowed */
	struct place place;
	const char *path;		 /* borrowed */
	int dirs[CHAIN_MOST], to, below; /* owned */
};

static void level_done(struct level *l)
{
	scope_close_set(l->dirs, CHAIN_MOST);
	scope_close(&l->to);
	scope_close(&l->below);
}

static bool has(const struct level *l, size_t i)
{
	return l->place.layers & (UINT32_C(1) << i);
}

static bool is_opaque(int parent, const char *name)
{
	_cleanup_close_ int fd =
		sys_openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW, 0);
	char value = 0;

	return fd >= 0 && sys_fgetxattr(fd, opaque, &value, 1) == 1 && value == 'y';
}

static int push(struct merge *m, const struct place *p, const char *path,
		const char *name)
{
	int r = buf_add(&m->todo, p, sizeof(*p));

	if (strlen(path) + strlen(name) + 2 > PATH_MAX)
		return -ENAMETOOLONG;
	if (r == 0)
		r = buf_addf(&m->todo, "%s%s%s", path, *path ? "/" : "", name);
	return r < 0 ? r : buf_addc(&m->todo, '\0');
}

/* Down to the first layer in which it hides what is below, or is no directory. */
static int add_dir(const struct level *l, size_t i, const char *name)
{
	struct place p = { .layers = UINT32_C(1) << i };
	struct stat st;
	int r = sys_mkdirat(l->to, name, 0700);

	if (r < 0)
		return r == -EEXIST ? 0 : r;
	p.opaque = is_opaque(l->dirs[i], name);
	for (size_t j = i + 1; j < l->m->n && !p.opaque; j++) {
		r = has(l, j) ? sys_fstatat(l->dirs[j], name, &st, AT_SYMLINK_NOFOLLOW)
			      : -ENOENT;
		if (r == -ENOENT)
			continue;
		if (r < 0)
			return r;
		p.opaque = !S_ISDIR(st.st_mode) || is_opaque(l->dirs[j], name);
		if (S_ISDIR(st.st_mode))
			p.layers |= UINT32_C(1) << j;
	}
	p.hidden = l->place.hidden || p.opaque;
	r = p.hidden ? 0 : sys_mkdirat(l->below, name, 0700);
	return r < 0 ? r : push(l->m, &p, l->path, name);
}

/* For its own sake it is not needed any more, once all layers are in. */
static int drop_gone(int to, struct err *e)
{
	struct dirscan scan;
	int r = 0;

	dirscan_start(&scan, to);
	while (r >= 0 && dirscan_next(&scan)) {
		struct stat st;

		r = sys_fstatat(to, scan.name, &st, AT_SYMLINK_NOFOLLOW);
		if (r == 0 && S_ISCHR(st.st_mode) && !st.st_rdev)
			r = sys_unlinkat(to, scan.name, 0);
	}
	return r < 0 ? r : dirscan_failed(&scan, e);
}

/* All that says that a name is gone may be one file with many names. */
static int add_name(const struct level *l, size_t i, const char *name)
{
	struct stat st;
	int r = sys_fstatat(l->dirs[i], name, &st, AT_SYMLINK_NOFOLLOW);

	if (r < 0)
		return r;
	if (S_ISDIR(st.st_mode))
		return add_dir(l, i, name);
	r = sys_linkat(l->dirs[i], name, l->to, name, 0);
	if (r == -EMLINK && S_ISCHR(st.st_mode) && !st.st_rdev)
		r = sys_mknodat(l->to, name, S_IFCHR, 0);
	return r == -EEXIST ? 0 : r;
}

/* The second layer has the same directories. */
static int finish_below(int below, const struct stat *st)
{
	if (below < 0)
		return 0;
	return sys_fchown(below, st->st_uid, st->st_gid)
		       ?: sys_fchmod(below, st->st_mode & 07777);
}

/* As it is in the top one of them. */
static int finish(const struct level *l, int top)
{
	struct timespec times[2];
	struct stat st;
	int r = sys_fstat(top, &st);

	if (r < 0)
		return r;
	times[0] = st.st_atim;
	times[1] = st.st_mtim;
	return sys_fchown(l->to, st.st_uid, st.st_gid) ?:
		(copyfd_xattrs(top, l->to) ? -EPERM : 0) ?:
		(l->place.opaque ? sys_fsetxattr(l->to, opaque, "y", 1, 0) : 0) ?:
		finish_below(l->below, &st) ?: sys_fchmod(l->to, st.st_mode & 07777) ?:
		sys_futimens(l->to, times);
}

/* What is a directory now another box may make a link: one that holds a directory of this
 * layer open since it was the upper one of a box that ran. */
static int open_dir(int root, const char *path)
{
	return sys_openat2(root, *path ? path : ".", O_RDONLY | O_DIRECTORY, 0,
			   RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS);
}

static int fill(struct level *l, struct err *e)
{
	int top = -1, r = 0;

	l->to = open_dir(l->m->to, l->path);
	if (l->to < 0)
		return l->to;
	if (!l->place.hidden)
		l->below = open_dir(l->m->below, l->path);
	if (!l->place.hidden && l->below < 0)
		return l->below;
	for (size_t i = 0; i < l->m->n; i++) {
		if (!has(l, i))
			continue;
		l->dirs[i] = open_dir(l->m->from[i], l->path);
		if (l->dirs[i] < 0)
			return l->dirs[i];
		top = top < 0 ? l->dirs[i] : top;
	}
	for (size_t i = 0; i < l->m->n && r >= 0; i++) {
		struct dirscan scan;

		if (!has(l, i))
			continue;
		dirscan_start(&scan, l->dirs[i]);
		while (r >= 0 && dirscan_next(&scan))
			r = add_name(l, i, scan.name);
		r = r < 0 ? r : dirscan_failed(&scan, e);
	}
	if (r >= 0 && l->place.hidden)
		r = drop_gone(l->to, e);
	return r < 0 ? r : finish(l, top);
}

static int fill_next(struct merge *m, size_t *at, struct err *e)
{
	_cleanup_free_ char *path = strdup(m->todo.data + *at + sizeof(struct place));
	_cleanup_(level_done) struct level l = {
		.m = m, .path = path, .to = -1, .below = -1
	};
	int r;

	for (size_t i = 0; i < CHAIN_MOST; i++)
		l.dirs[i] = -1;
	if (!path)
		return err_sys(e, -ENOMEM, "cannot merge layers");
	memcpy(&l.place, m->todo.data + *at, sizeof(l.place));
	*at += sizeof(l.place) + strlen(path) + 1;
	r = fill(&l, e);
	if (r < 0 && !e->code) {
		return err_sys(e, r, "cannot merge layers at '/%s'", text_shown(path));
	}
	return r;
}

int merge_layers(const int *from, size_t n, int to, int below, struct err *e)
{
	struct merge m = { .from = from,
			   .n = n,
			   .to = to,
			   .below = below,
			   .todo = BUF_INIT(MERGE_TODO) };
	struct place all = { .layers = 0 };
	size_t at = 0;
	int r;

	for (size_t i = 0; i < n && !all.opaque; i++) {
		all.layers |= UINT32_C(1) << i;
		all.hidden = all.opaque = is_opaque(from[i], ".");
	}
	r = push(&m, &all, "", "");
	if (r < 0)
		err_sys(e, r, "cannot merge layers");
	while (r >= 0 && at < m.todo.len)
		r = fill_next(&m, &at, e);
	buf_done(&m.todo);
	return MIN(r, 0);
}
