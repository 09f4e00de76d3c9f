/* As in tree.c, two descriptors do for any depth: going up is by "..", checked against
 * the identity that was noted on the way down. Each level also notes how far its list of
 * names was read and what the directory is to look like once it is complete. */
#include "rootfs/store/tree_copy.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/copyfd.h"
#include "base/dirscan.h"
#include "base/sys/sys.h"
#include "base/text.h"
#include "rootfs/store/tree.h"

enum {
	DEPTH = 4096, /* twice what a path can name */
	SHOWN = 200,
	LINKS_FIRST = 256,
	TRIES = 8,	/* of a name that is another file each time */
	NOTED_AFTER = 2 /* s */
};

struct level {
	off_t next;	  /* where in the source's list to go on */
	struct stat from; /* the source directory; its attributes, at the end */
	dev_t dev;	  /* of the copy */
	ino_t ino;
	dev_t earlier_dev; /* of the earlier copy; only where it has the directory */
	ino_t earlier_ino;
	size_t path; /* length of the path above it */
};

/* The first copy of a file with several names. */
struct link {
	dev_t dev;
	ino_t ino;   /* 0 = empty place */
	size_t path; /* in paths */
};

struct copy {
	int from, to;	     /* owned: the directories at hand */
	int source;	     /* owned: where the first of them is */
	int root;	     /* borrowed: the new directory that all is in */
	struct stat root_st; /* which may lie in the source: it is not copied */
	struct buf levels;   /* struct level */
	struct buf
		path; /* of the directory at hand, below root; ends in "/" or empty */
	struct buf paths;   /* NUL-ended, of links */
	struct link *links; /* owned; open addressing */
	size_t n_links, size_links;
	struct tree_copied done;
	struct tree_room *room; /* borrowed; NULL = any */
	int earlier;	/* owned: the directory at hand there, or one above it; -1 */
	size_t missing; /* levels from that one down, which it does not have */
	bool layer; /* of an overlay: with what says that something of a lower one is gone */
	bool live; /* others change the source: what vanishes has not been there */
};

static void copy_done(struct copy *c)
{
	scope_close(&c->from);
	scope_close(&c->to);
	scope_close(&c->source);
	scope_close(&c->earlier);
	buf_done(&c->levels);
	buf_done(&c->path);
	buf_done(&c->paths);
	free(c->links);
}

static int fail(struct copy *c, int code, const char *name, struct err *e)
{
	char where[SHOWN], shown[SHOWN];

	return err_sys(
		e, code, "cannot copy '%s%s'",
		text_escaped(where, sizeof(where), buf_cstr(&c->path), c->path.len),
		text_escaped(shown, sizeof(shown), name, strlen(name)));
}

/* ---- files with several names ------------------------------------------------------- */

static struct link *find_link(struct link *links, size_t size, dev_t dev, ino_t ino)
{
	size_t i = (ino * 0x9e3779b97f4a7c15u >> 20) & (size - 1);

	while (links[i].ino && (links[i].ino != ino || links[i].dev != dev))
		i = (i + 1) & (size - 1);
	return &links[i];
}

static int grow_links(struct copy *c)
{
	size_t size = c->size_links ? c->size_links * 2 : LINKS_FIRST;
	struct link *links = calloc(size, sizeof(*links));

	if (!links)
		return -ENOMEM;
	for (size_t i = 0; i < c->size_links; i++)
		if (c->links[i].ino)
			*find_link(links, size, c->links[i].dev, c->links[i].ino) =
				c->links[i];
	free(c->links);
	c->links = links;
	c->size_links = size;
	return 0;
}

/* 1 = it is a further name and was linked; 0 = it is the first */
static int link_or_note(struct copy *c, const struct stat *st, const char *name)
{
	struct link *l;
	size_t at = c->paths.len;
	int r = 0;

	if (c->n_links * 2 >= c->size_links)
		r = grow_links(c);
	if (r < 0)
		return r;
	l = find_link(c->links, c->size_links, st->st_dev, st->st_ino);
	if (l->ino) {
		r = sys_linkat(c->root, c->paths.data + l->path, c->to, name, 0);
		if (r != -ENOENT || !c->live)
			/* Too deep for a path: two files are better than none. */
			return r == -ENAMETOOLONG ? 0 : r < 0 ? r : 1;
		c->n_links--; /* it had vanished before it was copied */
	}
	r = buf_add(&c->paths, c->path.data, c->path.len);
	if (r < 0)
		return r;
	r = buf_add(&c->paths, name, strlen(name) + 1);
	if (r < 0)
		return r;
	*l = (struct link){ st->st_dev, st->st_ino, at };
	c->n_links++;
	return 0;
}

/* ---- attributes --------------------------------------------------------------------- */

/* An id that is not mapped is none to fail at. */
static int owner_failed(int r)
{
	return r == -EPERM || r == -EINVAL ? 0 : r;
}

/* "y" on a directory that replaces one of a lower layer; none on others. */
static int copy_opaque(int from, int to)
{
	char value[8];
	ssize_t n = sys_fgetxattr(from, "user.overlay.opaque", value, sizeof(value));

	return n < 0 ? 0
		     : sys_fsetxattr(to, "user.overlay.opaque", value, (size_t)n, 0);
}

/* Owner before mode, which it would change; xattrs before a mode that forbids them. */
static int finish_fd(struct copy *c, int from, int to, const struct stat *st)
{
	struct timespec times[2] = { st->st_atim, st->st_mtim };
	int r;

	r = owner_failed(sys_fchown(to, st->st_uid, st->st_gid));
	if (r < 0)
		return r;
	(void)copyfd_xattrs(from, to);
	if (c->layer)
		r = copy_opaque(from, to);
	if (r < 0)
		return r;
	r = sys_fchmod(to, st->st_mode & 07777);
	return r < 0 ? r : sys_futimens(to, times);
}

/* ---- files of an earlier copy -------------------------------------------------------- */

/* What changes with a file: whoever writes to one cannot set its ctime. */
struct noted {
	uint64_t ino, size;
	int64_t mtime[2], ctime[2]; /* s, ns */
};

static struct noted note_of(const struct stat *st)
{
	return (struct noted){ st->st_ino,
			       (uint64_t)st->st_size,
			       { st->st_mtim.tv_sec, st->st_mtim.tv_nsec },
			       { st->st_ctim.tv_sec, st->st_ctim.tv_nsec } };
}

/* A file that was changed a moment ago may be changed once more without another ctime: the
 * kernel's clock for files is as coarse as 10 ms, that of some filesystems as a second. */
static void note(int to, const struct stat *st)
{
	struct noted n = note_of(st);

	if (st->st_ctim.tv_sec + NOTED_AFTER <= sys_wall().tv_sec)
		(void)sys_fsetxattr(to, TREE_NOTED, &n, sizeof(n), 0);
}

/* 1 = the earlier copy has the same, and the new one, too, now */
static int share(struct copy *c, const char *name, const struct stat *st)
{
	_cleanup_close_ int fd = -1;
	struct noted then, now = note_of(st);
	int r;

	if (c->earlier < 0 || c->missing)
		return 0;
	fd = sys_openat(c->earlier, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY,
			0);
	if (fd < 0 ||
	    sys_fgetxattr(fd, TREE_NOTED, &then, sizeof(then)) != sizeof(then) ||
	    memcmp(&then, &now, sizeof(now)) != 0)
		return 0;
	r = sys_linkat(c->earlier, name, c->to, name, 0);
	return r == -EMLINK ? 0 : r < 0 ? r : 1;
}

/* Where the earlier copy has no such directory, the one above stays at hand. */
static int enter_earlier(struct copy *c, const char *name, struct level *l)
{
	_cleanup_close_ int fd = -1;
	struct stat st;
	int r;

	if (c->earlier < 0)
		return 0;
	if (!c->missing)
		fd = tree_open(c->earlier, name);
	if (fd < 0) {
		c->missing++;
		return 0;
	}
	r = sys_fstat(fd, &st);
	if (r < 0)
		return r;
	l->earlier_dev = st.st_dev;
	l->earlier_ino = st.st_ino;
	scope_close(&c->earlier);
	c->earlier = take(&fd, -1);
	return 0;
}

static int start_earlier(struct copy *c, struct level *l)
{
	struct stat st;
	int r;

	if (!c->room || c->room->earlier < 0)
		return 0;
	c->earlier = sys_openat(c->room->earlier, ".", O_RDONLY | O_DIRECTORY, 0);
	r = c->earlier < 0 ? c->earlier : sys_fstat(c->earlier, &st);
	if (r < 0)
		return r;
	l->earlier_dev = st.st_dev;
	l->earlier_ino = st.st_ino;
	return 0;
}

static int leave_earlier(struct copy *c, const struct level *above)
{
	if (c->earlier < 0)
		return 0;
	if (!c->missing)
		return tree_up(&c->earlier, above->earlier_dev, above->earlier_ino);
	c->missing--;
	return 0;
}

/* ---- one entry ---------------------------------------------------------------------- */

static int copy_file(struct copy *c, const char *name, const struct stat *st)
{
	_cleanup_close_ int from = -1;
	_cleanup_close_ int to = -1;
	struct stat opened;
	int r = st->st_nlink > 1 ? link_or_note(c, st, name) : 0;

	if (r == 0)
		r = share(c, name, st);
	if (r != 0)
		return MIN(r, 0);
	from = sys_openat(c->from, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY,
			  0);
	r = from < 0 ? from : sys_fstat(from, &opened);
	if (r < 0 || !S_ISREG(opened.st_mode))
		return r < 0 ? r : -ESTALE;
	to = sys_openat(c->to, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0600);
	if (to < 0)
		return to;
	r = copyfd_bytes(from, to, c->room ? &c->room->bytes : NULL);
	if (r < 0)
		return r == -EBUSY ? -EDQUOT : r;
	c->done.bytes += (uint64_t)st->st_size;
	if (c->room)
		note(to, &opened);
	return finish_fd(c, from, to, st);
}

static int finish_name(struct copy *c, const char *name, const struct stat *st)
{
	struct timespec times[2] = { st->st_atim, st->st_mtim };
	int r;

	r = owner_failed(
		sys_fchownat(c->to, name, st->st_uid, st->st_gid, AT_SYMLINK_NOFOLLOW));
	return r < 0 ? r : sys_utimensat(c->to, name, times, AT_SYMLINK_NOFOLLOW);
}

static int copy_symlink(struct copy *c, const char *name, const struct stat *st)
{
	char target[PATH_MAX];
	ssize_t n;
	int r;

	n = sys_readlinkat(c->from, name, target, sizeof(target));
	if (n < 0 || n == (ssize_t)sizeof(target))
		return n < 0 ? (int)n : -ENAMETOOLONG;
	target[n] = '\0';
	r = sys_symlinkat(target, c->to, name);
	return r < 0 ? r : finish_name(c, name, st);
}

static int copy_fifo(struct copy *c, const char *name, const struct stat *st)
{
	int r = sys_mknodat(c->to, name, S_IFIFO | (st->st_mode & 07777), 0);

	return r < 0 ? r : finish_name(c, name, st);
}

static bool is_whiteout(int dir, const char *name)
{
	struct stat st;

	return sys_fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
	       S_ISCHR(st.st_mode) && !st.st_rdev;
}

/* What an overlay has where a name of a lower layer was removed; of another filesystem or
 * mount there is no use for one. They are all alike, so a further name of it does, up to as
 * many as one file may have. Who writes to the layer meanwhile may have put a file in its
 * place, to which the copy would lead. */
static int copy_whiteout(struct copy *c, const char *name, const struct stat *st)
{
	int r = st->st_rdev || !c->layer ? -EXDEV
					 : sys_linkat(c->from, name, c->to, name, 0);
	bool again = r == -EMLINK;

	if (r == 0 && !is_whiteout(c->to, name)) {
		r = sys_unlinkat(c->to, name, 0);
		again = r == 0;
	}
	if (again)
		r = sys_mknodat(c->to, name, S_IFCHR, 0);
	c->done.skipped += r == -EXDEV;
	return r == -EXDEV ? 0 : r;
}

/* Down into a directory, whose copy is made empty. */
static int enter(struct copy *c, int from_parent, int to_parent, const char *name,
		 bool first)
{
	_cleanup_close_ int from = -1;
	_cleanup_close_ int to = -1;
	struct level l = { .path = c->path.len };
	struct stat st;
	int r;

	from = first ? sys_openat(from_parent, ".", O_RDONLY | O_DIRECTORY, 0)
		     : tree_open(from_parent, name);
	r = from < 0 ? from
		     : sys_fstat(from, &l.from) ?: sys_mkdirat(to_parent, name, 0700);
	if (r < 0)
		return r;
	to = sys_openat(to_parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW, 0);
	r = to < 0 ? to : sys_fstat(to, &st);
	if (r < 0)
		return r;
	l.dev = st.st_dev;
	l.ino = st.st_ino;
	r = first ? start_earlier(c, &l) : enter_earlier(c, name, &l);
	if (r == 0)
		r = buf_add(&c->levels, &l, sizeof(l));
	if (r == 0 && !first)
		r = buf_addf(&c->path, "%s/", name);
	if (r < 0)
		return r;
	scope_close(&c->from);
	scope_close(&c->to);
	c->from = take(&from, -1);
	c->to = take(&to, -1);
	return 0;
}

/* 1 = went down into a directory */
static int copy_kind(struct copy *c, const char *name, const struct stat *st)
{
	switch (st->st_mode & S_IFMT) {
	case S_IFDIR:
		return enter(c, c->from, c->to, name, false) ?: 1;
	case S_IFREG:
		return copy_file(c, name, st);
	case S_IFLNK:
		return copy_symlink(c, name, st);
	case S_IFIFO:
		return copy_fifo(c, name, st);
	case S_IFCHR:
		return copy_whiteout(c, name, st);
	default:
		c->done.skipped++;
		return 0;
	}
}

/* What @name was when it was looked at it is no more. EXDEV: what is opened beneath a directory
 * was moved out of it meanwhile. */
static bool has_changed(int r)
{
	return r == -ENOENT || r == -ESTALE || r == -ENOTDIR || r == -ELOOP ||
	       r == -EINVAL || r == -ENXIO || r == -EPERM || r == -EXDEV;
}

/* 1 = went down into a directory */
static int copy_one(struct copy *c, const char *name, struct err *e)
{
	struct stat st;
	int r = 0;

	for (int i = 0; i == 0 || (c->live && i < TRIES && has_changed(r)); i++) {
		r = sys_fstatat(c->from, name, &st, AT_SYMLINK_NOFOLLOW);
		if (r == -ENOENT && c->live)
			return 0;
		if (r < 0)
			return fail(c, r, name, e);
		if (c->room && !c->room->entries--)
			return fail(c, -EDQUOT, name, e);
		if (st.st_dev == c->root_st.st_dev && st.st_ino == c->root_st.st_ino)
			return 0;
		if (S_ISDIR(st.st_mode) &&
		    c->levels.len == DEPTH * sizeof(struct level))
			return err_set(e, -ELOOP,
				       "its directories are nested more than %d deep",
				       DEPTH);
		r = copy_kind(c, name, &st);
	}
	if (r == -EEXIST && c->live) /* it was listed twice */
		return 0;
	c->done.entries++;
	return r < 0 ? fail(c, r, name, e) : r;
}

/* ---- the walk ----------------------------------------------------------------------- */

static struct level *top(struct copy *c)
{
	return (void *)(c->levels.data + c->levels.len - sizeof(struct level));
}

/* Goes on in the directory at hand. 1 = went down, 0 = it is complete */
static int copy_names(struct copy *c, struct err *e)
{
	struct dirscan scan;
	int r = 0;

	dirscan_resume(&scan, c->from, top(c)->next);
	while (r == 0 && dirscan_next(&scan)) {
		top(c)->next = scan.next;
		r = copy_one(c, scan.name, e);
	}
	if (c->live && has_changed(scan.failed)) /* it was removed; ext4 says -EINVAL */
		return r;
	return r == 0 && scan.failed ? fail(c, scan.failed, "", e) : r;
}

/* The directory at hand, by its path: the one below it was moved away or removed. */
static int find_again(struct copy *c)
{
	_cleanup_close_ int at = sys_openat(c->source, ".", O_RDONLY | O_DIRECTORY, 0);
	const struct level *l = top(c);
	struct stat st;
	int r;

	for (const char *p = buf_cstr(&c->path); at >= 0 && *p;
	     p = strchr(p, '/') + 1) {
		char name[NAME_MAX + 1];
		int next;

		if (c->room && !c->room->entries--)
			return -EDQUOT;
		snprintf(name, sizeof(name), "%.*s", (int)strcspn(p, "/"), p);
		next = tree_open(at, name);
		scope_close(&at);
		at = next;
	}
	r = at < 0 ? at : sys_fstat(at, &st);
	if (r < 0 || st.st_dev != l->from.st_dev || st.st_ino != l->from.st_ino)
		return r < 0 ? r : -ESTALE;
	scope_close(&c->from);
	c->from = take(&at, -1);
	return 0;
}

static int up_in_source(struct copy *c)
{
	const struct level *l = top(c);
	int r = tree_up(&c->from, l->from.st_dev, l->from.st_ino);

	return c->live && has_changed(r) ? find_again(c) : r;
}

/* 1 = in the directory above now, 0 = there is none. One that is no longer where it was, and
 * was not complete, has not been there: its copy goes. */
static int leave(struct copy *c, struct err *e)
{
	struct level l = *top(c);
	char name[NAME_MAX + 1] = "";
	int r;

	r = finish_fd(c, c->from, c->to, &l.from);
	if (r < 0)
		return fail(c, r, "", e);
	do {
		buf_truncate(&c->levels, c->levels.len - sizeof(l));
		buf_truncate(&c->path, l.path);
		if (!c->levels.len)
			return 0;
		l = *top(c);
		r = tree_up(&c->to, l.dev, l.ino) ?: leave_earlier(c, &l);
		if (r == 0 && *name && tree_remove(c->to, name, e) < 0)
			return e->code;
		r = r ?: up_in_source(c);
		snprintf(name, sizeof(name), "%.*s",
			 (int)MAX((ssize_t)(c->path.len - l.path) - 1, 0),
			 buf_cstr(&c->path) + l.path);
	} while (c->live && has_changed(r));
	return r < 0 ? fail(c, r, "..", e) : 1;
}

static int walk(struct copy *c, struct err *e)
{
	int r;

	do {
		do
			r = copy_names(c, e);
		while (r > 0);
		if (r == 0)
			r = leave(c, e);
	} while (r > 0);
	return r;
}

static int copy_tree(struct copy *c, int from, int parent, const char *name,
		     struct err *e)
{
	_cleanup_close_ int root = -1;
	int r = enter(c, from, parent, name, true);

	if (r < 0)
		return fail(c, r, name, e);
	c->source = sys_dup(c->from, 3);
	if (c->source < 0)
		return fail(c, c->source, name, e);
	root = sys_dup(c->to, 3);
	r = root < 0 ? root : sys_fstat(root, &c->root_st);
	if (r < 0)
		return fail(c, r, name, e);
	c->root = root;
	return walk(c, e);
}

struct kind {
	bool layer, live;
	struct tree_room *room;
};

static int run(struct kind kind, int from, int parent, const char *name,
	       struct tree_copied *ret, struct err *e)
{
	_cleanup_(copy_done) struct copy c = {
		.from = -1,
		.to = -1,
		.source = -1,
		.earlier = -1,
		.levels = BUF_INIT(DEPTH * sizeof(struct level)),
		.path = BUF_INIT(256ul << 20),
		.paths = BUF_INIT(1ul << 30),
		.room = kind.room,
		.layer = kind.layer,
		.live = kind.live,
	};
	int r = copy_tree(&c, from, parent, name, e);

	if (r < 0)
		return r;
	*ret = c.done;
	return 0;
}

int tree_copy(int from, int parent, const char *name, struct tree_copied *ret,
	      struct err *e)
{
	return run((struct kind){ false, false, NULL }, from, parent, name, ret, e);
}

int tree_copy_live(int from, int parent, const char *name, struct tree_copied *ret,
		   struct err *e)
{
	return run((struct kind){ false, true, NULL }, from, parent, name, ret, e);
}

int tree_copy_layer(int from, int parent, const char *name, struct tree_copied *ret,
		    struct err *e)
{
	return run((struct kind){ true, false, NULL }, from, parent, name, ret, e);
}

int tree_copy_within(int from, int parent, const char *name, struct tree_room *room,
		     struct tree_copied *ret, struct err *e)
{
	return run((struct kind){ true, true, room }, from, parent, name, ret, e);
}
