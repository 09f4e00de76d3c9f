/* Nothing stands between a hostile archive and the disk but this file. Its rules:
 *
 * - A name is cleaned first (entry_path.h): no "..", no leading slash, within limits.
 * - The directory that a name lies in is opened as if the target directory were "/":
 *   links that the archive made are followed, but inside (base/inroot.h). The kernel
 *   does that in one step, so that exchanging a directory for a link meanwhile changes
 *   nothing.
 * - The last component is never followed: files are made with O_EXCL | O_NOFOLLOW. What
 *   was there is removed first, never written through: it may be a hard link.
 * - All that follows is done on that descriptor, or with AT_SYMLINK_NOFOLLOW.
 *
 * Order for one file: data, owner, set-id bits, attributes, time. Directories keep all
 * rights of their owner until the end (dirtimes.h). */
#include "rootfs/archive/extract.h"

#include <dirent.h>
#include <string.h>

#include "base/dirscan.h"
#include "base/file.h"
#include "base/inroot.h"
#include "base/sys/sys.h"
#include "base/text.h"
#include "rootfs/archive/dirtimes.h"
#include "rootfs/archive/entry_path.h"
#include "rootfs/archive/ovlmark.h"
#include "rootfs/archive/whiteout.h"
#include "rootfs/store/tree.h"

enum { PROGRESS_STEP = 1 << 20, HOLE = 64 << 10 /* zeros that become one */ };

struct extract {
	struct extract_conf conf;
	mode_t umask; /* to be put back */
	struct dirtimes dirs;
	struct whiteout made;
	struct entry_attr attr;
	uint64_t bytes, told; /* written; of which the progress was told */

	/* the directory that was used last */
	int parent;    /* owned; -1 = none */
	size_t prefix; /* bytes of parent_path */
	char parent_path[ENTRY_PATH];
	struct stat parent_st;

	/* the entry at hand */
	char path[ENTRY_PATH];
	const char *name; /* last component of path */
	int fd;		  /* owned: the file or directory just made; -1 = neither */
	uint64_t end;	  /* of the data so far */
	bool there;	  /* made: attributes are to be put on */
	bool merged;	  /* a directory that was there before */
	bool opaque;	  /* a directory that is to be marked so */
};

static int fail(struct extract *x, int code, const char *what, struct err *e)
{
	return err_sys(e, code, "cannot %s '%s'", what, text_shown(x->path));
}

static int refuse(struct extract *x, const char *why, struct err *e)
{
	return err_set(e, -EINVAL, "entry '%s': %s", text_shown(x->path), why);
}

/* A layer by itself does not tell what is below it. */
static int unclear(struct extract *x, const char *why, struct err *e)
{
	refuse(x, why, e);
	return e->code = -EXDEV;
}

/* ---- where an entry goes ------------------------------------------------------------ */

static void drop_parent(struct extract *x)
{
	scope_close(&x->parent);
}

static bool parent_is(const struct extract *x, const char *path, size_t len)
{
	return x->parent >= 0 && x->prefix == len && !memcmp(x->parent_path, path, len);
}

/* Splits x->path and makes x->parent its directory. Without @make, 0 = it is not there.
 * Return: 1 when it is. */
static int enter_parent(struct extract *x, bool make, struct err *e)
{
	bool over = x->conf.kind == EXTRACT_LAYER;
	char *slash = strrchr(x->path, '/');
	size_t len = slash ? (size_t)(slash - x->path) : 0;
	int r;

	x->name = slash ? slash + 1 : x->path;
	if (parent_is(x, x->path, len))
		return 1;
	drop_parent(x);
	memcpy(x->parent_path, x->path, len);
	x->parent_path[len] = '\0';
	x->prefix = len;
	x->parent = make && !over ? inroot_mkdirs(x->conf.root, x->parent_path, 0755)
				  : inroot_open(x->conf.root, x->parent_path,
						O_PATH | O_DIRECTORY);
	/* Below it may be a link in this place, or a directory with other rights. */
	if (make && over && x->parent == -ENOENT)
		return unclear(x, "its directory is in a lower layer only", e);
	if (!make && (x->parent == -ENOENT || x->parent == -ENOTDIR))
		return 0;
	if (x->parent < 0)
		return fail(x, x->parent, "make the directory of", e);
	r = sys_fstat(x->parent, &x->parent_st);
	return r < 0 ? fail(x, r, "look at the directory of", e) : 1;
}

/* Makes way for a new entry. @dir: one that may stay if it is a directory (1). */
static int clear_place(struct extract *x, bool dir, struct err *e)
{
	struct stat st;
	int r;

	r = sys_fstatat(x->parent, x->name, &st, AT_SYMLINK_NOFOLLOW);
	if (r == -ENOENT)
		return 0;
	if (r < 0)
		return fail(x, r, "look at", e);
	if (S_ISDIR(st.st_mode) && dir)
		return 1;
	x->opaque = dir; /* what was here hid what is below */
	r = tree_remove(x->parent, x->name, e);
	if (r < 0)
		return r;
	/* Paths through it lead elsewhere now; one of them may be the parent's own. */
	if (S_ISDIR(st.st_mode) || S_ISLNK(st.st_mode)) {
		drop_parent(x);
		return enter_parent(x, true, e) < 0 ? e->code : 0;
	}
	return 0;
}

/* ---- making things: one function for each kind; -EEXIST asks for clear_place() ------- */

static int make_file(struct extract *x, const struct untar_entry *en)
{
	mode_t mode = entry_attr_mode(&x->attr, en) & 0777;

	x->fd = sys_openat(x->parent, x->name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW,
			   mode);
	return x->fd < 0 ? x->fd : 0;
}

static int make_symlink(struct extract *x, const struct untar_entry *en)
{
	return sys_symlinkat(en->symlink, x->parent, x->name);
}

static int make_fifo(struct extract *x, const struct untar_entry *en)
{
	return sys_mknodat(x->parent, x->name, S_IFIFO | entry_attr_mode(&x->attr, en),
			   0);
}

static int make_dir(struct extract *x, const struct untar_entry *en)
{
	mode_t mode = (entry_attr_mode(&x->attr, en) & 0777) | 0700;

	return sys_mkdirat(x->parent, x->name, mode);
}

typedef int make_fn(struct extract *x, const struct untar_entry *en);

static int make_entry(struct extract *x, const struct untar_entry *en, make_fn *make,
		      struct err *e)
{
	bool dir = S_ISDIR(en->mode);
	int r;

	r = make(x, en);
	if (r == -EEXIST) {
		r = clear_place(x, dir, e);
		if (r < 0)
			return r;
		x->merged = r == 1;
		r = x->merged ? 0 : make(x, en);
	}
	if (r < 0)
		return fail(x, r, "make", e);
	x->there = true;
	return whiteout_made(&x->made, &x->parent_st, x->name, e);
}

/* ---- hard links --------------------------------------------------------------------- */

/* Where the target of a link lies. */
struct target {
	int parent; /* owned */
	const char *name;
	struct stat st;
};

static void target_done(struct target *t)
{
	scope_close(&t->parent);
}

static int find_target(struct extract *x, const char *path, struct target *t,
		       struct err *e)
{
	int r;

	if (!*path)
		return refuse(x, "hard link to the root", e);
	r = t->parent = inroot_parent(x->conf.root, path, &t->name);
	if (r >= 0)
		r = sys_fstatat(t->parent, t->name, &t->st, AT_SYMLINK_NOFOLLOW);
	if (r == -ENOENT && x->conf.kind == EXTRACT_LAYER)
		return unclear(x, "hard link into a lower layer", e);
	if (r < 0) {
		err_sys(e, r, "hard link to '%s'", text_shown(path));
		return err_wrap(e, "entry '%s'", text_shown(x->path));
	}
	return S_ISDIR(t->st.st_mode) ? refuse(x, "hard link to a directory", e) : 0;
}

static int make_hardlink(struct extract *x, const struct untar_entry *en, struct err *e)
{
	_cleanup_(target_done) struct target t = { .parent = -1 };
	char path[ENTRY_PATH];
	struct stat st;
	int r;

	r = entry_path_clean(en->hardlink, x->conf.limits, path, e);
	if (r < 0)
		return err_wrap(e, "target of a hard link");
	r = find_target(x, path, &t, e);
	if (r < 0)
		return r;
	r = sys_linkat(t.parent, t.name, x->parent, x->name, 0);
	if (r == -EEXIST) {
		r = sys_fstatat(x->parent, x->name, &st, AT_SYMLINK_NOFOLLOW);
		if (r == 0 && st.st_dev == t.st.st_dev && st.st_ino == t.st.st_ino)
			return whiteout_made(&x->made, &x->parent_st, x->name, e);
		r = clear_place(x, false, e);
		if (r < 0)
			return r;
		r = sys_linkat(t.parent, t.name, x->parent, x->name, 0);
	}
	if (r < 0)
		return fail(x, r, "make hard link", e);
	return whiteout_made(&x->made, &x->parent_st, x->name, e);
}

/* ---- one entry ---------------------------------------------------------------------- */

static int take_root(struct extract *x, const struct untar_entry *en, struct err *e)
{
	if (!S_ISDIR(en->mode) || en->hardlink)
		return err_set(e, -EINVAL,
			       "entry '/': the root can only be a directory");
	x->parent_path[0] = '\0';
	x->prefix = SIZE_MAX; /* no cached parent has this length */
	x->name = ".";
	x->there = x->merged = true;
	return 0;
}

/* What this layer made stays, before and after; what it hid in a directory that is then
 * opaque is no longer there to be hidden. */
static int drop_marks(int dir)
{
	_cleanup_close_ int fd = sys_openat(dir, ".", O_RDONLY | O_DIRECTORY, 0);
	struct dirscan scan;
	struct stat st;
	int r = fd < 0 ? fd : ovlmark_opaque(fd);

	dirscan_start(&scan, r < 0 ? r : fd);
	while (dirscan_next(&scan))
		if ((scan.type == DT_CHR || scan.type == DT_UNKNOWN) &&
		    sys_fstatat(fd, scan.name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
		    ovlmark_is_whiteout(&st))
			(void)sys_unlinkat(fd, scan.name, 0);
	return scan.failed;
}

static bool is_opaque(int dir)
{
	_cleanup_close_ int fd = sys_openat(dir, ".", O_RDONLY | O_DIRECTORY, 0);

	return fd >= 0 && ovlmark_is_opaque(fd);
}

/* Kept for overlayfs, which applies it to what lies below. */
static int mark_whiteout(struct extract *x, enum entry_whiteout kind,
			 const char *removed, struct err *e)
{
	int r = enter_parent(x, true, e);

	if (r < 0)
		return r;
	if (kind == ENTRY_OPAQUE && !x->prefix)
		return unclear(x, "all that is below is hidden", e);
	if (kind == ENTRY_OPAQUE)
		r = drop_marks(x->parent);
	else
		r = is_opaque(x->parent) ? 0 : ovlmark_hide(x->parent, removed);
	return r < 0 ? fail(x, r, "note", e) : 0;
}

static int take_whiteout(struct extract *x, enum entry_whiteout kind,
			 const char *removed, struct err *e)
{
	int r;

	if (kind == ENTRY_METADATA)
		return 0;
	if (kind == ENTRY_MALFORMED)
		return refuse(x, "is no valid whiteout", e);
	if (x->conf.kind == EXTRACT_LAYER)
		return mark_whiteout(x, kind, removed, e);
	r = enter_parent(x, false, e);
	if (r <= 0)
		return r;
	r = kind == ENTRY_OPAQUE ? whiteout_empty(&x->made, x->parent, e)
				 : whiteout_remove(&x->made, x->parent, removed, e);
	drop_parent(x);
	return r;
}

static int skip(struct extract *x, enum entry_drop kind)
{
	entry_attr_drop(&x->attr, kind, x->path);
	return 0;
}

static int take_symlink(struct extract *x, const struct untar_entry *en, struct err *e)
{
	if (!en->symlink || !*en->symlink)
		return refuse(x, "symbolic link without a target", e);
	if (strlen(en->symlink) > x->conf.limits->link)
		return err_set(e, -E2BIG,
			       "archive has a link target of more than %zu bytes",
			       x->conf.limits->link);
	return make_entry(x, en, make_symlink, e);
}

static int take_kind(struct extract *x, const struct untar_entry *en, struct err *e)
{
	int r;

	switch (en->mode & S_IFMT) {
	case S_IFREG:
		r = make_entry(x, en, make_file, e);
		return r < 0 ? r : 1;
	case S_IFDIR:
		return make_entry(x, en, make_dir, e);
	case S_IFLNK:
		return take_symlink(x, en, e);
	case S_IFIFO:
		return make_entry(x, en, make_fifo, e);
	case S_IFCHR:
	case S_IFBLK:
		return skip(x, ENTRY_DROP_DEVICE);
	case S_IFSOCK:
		return skip(x, ENTRY_DROP_SOCKET);
	default:
		return refuse(x, "unknown kind of file", e);
	}
}

/* What eStargz puts beside a layer's files, for those who fetch them one by one. */
static bool is_stargz(const char *path)
{
	static const char *const names[] = { "stargz.index.json", ".prefetch.landmark",
					     ".no.prefetch.landmark" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (!strcmp(path, names[i]))
			return true;
	return false;
}

static int on_entry(void *ctx, const struct untar_entry *en, struct err *e)
{
	const char *last, *removed = NULL;
	enum entry_whiteout white;
	struct extract *x = ctx;
	int r;

	scope_close(&x->fd);
	x->end = 0;
	x->there = x->merged = x->opaque = false;
	r = entry_path_clean(en->path, x->conf.limits, x->path, e);
	if (r < 0)
		return r;
	if (!*x->path)
		return take_root(x, en, e);
	if (x->conf.kind != EXTRACT_WHOLE && is_stargz(x->path))
		return 0;
	last = strrchr(x->path, '/');
	white = entry_path_whiteout(last ? last + 1 : x->path, &removed);
	if (white != ENTRY_PLAIN)
		return take_whiteout(x, white, removed, e);
	r = enter_parent(x, true, e);
	if (r < 0)
		return r;
	if (en->hardlink) /* data that comes with it would be written through it */
		return make_hardlink(x, en, e);
	return take_kind(x, en, e);
}

static void tell(struct extract *x)
{
	if (x->conf.progress && x->bytes - x->told >= PROGRESS_STEP) {
		x->told = x->bytes;
		x->conf.progress(x->conf.progress_ctx, x->bytes);
	}
}

/* How many bytes, in steps, are all zeros, or have none that are. */
static size_t stretch(const char *p, size_t len, bool *zeros)
{
	size_t n = 0;

	*zeros = len >= HOLE && file_is_zeros(p, HOLE);
	while (len - n >= HOLE && file_is_zeros(p + n, HOLE) == *zeros)
		n += HOLE;
	return *zeros || len - n >= HOLE ? n : len;
}

static int write_at(struct extract *x, const char *p, size_t len, uint64_t at,
		    struct err *e)
{
	ssize_t n;

	x->end = at + len;
	for (; len; p += n, len -= (size_t)n, at += (uint64_t)n) {
		n = sys_pwrite(x->fd, p, len, (off_t)at);
		if (n < 0)
			return fail(x, (int)n, "write", e);
	}
	return 0;
}

static int on_data(void *ctx, const void *data, size_t len, uint64_t at, struct err *e)
{
	struct extract *x = ctx;
	const char *p = data;
	int r = 0;

	x->bytes += len;
	while (len && r == 0) {
		bool zeros;
		size_t n = stretch(p, len, &zeros);

		r = zeros ? 0 : write_at(x, p, n, at, e);
		p += n;
		len -= n;
		at += n;
	}
	tell(x);
	return r;
}

static int note_dir(struct extract *x, const struct untar_entry *en, struct err *e)
{
	struct dirtimes_dir d = { .mode = entry_attr_mode(&x->attr, en) };
	struct stat st;
	int r;

	r = sys_fstat(x->fd, &st);
	if (r < 0)
		return fail(x, r, "look at", e);
	d.dev = st.st_dev;
	d.ino = st.st_ino;
	d.has_mode = true; /* a later chown or note may have changed it by then */
	d.has_times = entry_attr_times(en, d.times);
	return dirtimes_add(&x->dirs, x->path, &d, e);
}

/* A directory that was there before keeps its children and nothing else. */
static int open_dir(struct extract *x, struct err *e)
{
	bool root = !*x->path;

	x->fd = sys_openat(root ? x->conf.root : x->parent, x->name,
			   O_RDONLY | O_DIRECTORY | O_NOFOLLOW, 0);
	if (x->fd < 0)
		return fail(x, x->fd, "open", e);
	if (x->merged) {
		x->opaque = x->conf.kind == EXTRACT_LAYER && ovlmark_is_opaque(x->fd);
		entry_attr_clear(x->fd);
	}
	if (x->conf.kind == EXTRACT_LAYER && x->opaque && ovlmark_opaque(x->fd) < 0)
		return fail(x, -EOPNOTSUPP, "mark", e);
	return 0;
}

static int put_times(struct extract *x, const struct untar_entry *en, struct err *e)
{
	struct timespec times[2];
	int r;

	if (!entry_attr_times(en, times))
		return 0;
	r = x->fd >= 0 ? sys_futimens(x->fd, times)
		       : sys_utimensat(x->parent, x->name, times, AT_SYMLINK_NOFOLLOW);
	return r < 0 ? fail(x, r, "set the time of", e) : 0;
}

static int on_end(void *ctx, const struct untar_entry *en, struct err *e)
{
	struct extract *x = ctx;
	struct entry_place p;
	int r = 0;

	if (!x->there)
		return 0;
	if (S_ISDIR(en->mode))
		r = open_dir(x, e);
	else if (S_ISREG(en->mode) && en->size > x->end) {
		r = sys_ftruncate(x->fd, (off_t)en->size); /* ends in a hole */
		if (r < 0)
			fail(x, r, "extend", e);
	}
	p = (struct entry_place){ x->parent, x->name, x->path, x->fd,
				  x->parent_st.st_mode & S_ISGID };
	if (r < 0)
		return r;
	return entry_attr_owner(&x->attr, &p, en, e) ?:
		entry_attr_xattrs(&x->attr, &p, en, e) ?:
		(S_ISDIR(en->mode) ? note_dir(x, en, e) : put_times(x, en, e));
}

/* ---- the whole ---------------------------------------------------------------------- */

int extract_new(const struct extract_conf *conf, struct extract **ret, struct err *e)
{
	_cleanup_extract_ struct extract *x = calloc(1, sizeof(*x));
	int r;

	if (!x)
		return err_sys(e, -ENOMEM, "cannot unpack");
	x->conf = *conf;
	x->parent = x->fd = -1;
	x->dirs = DIRTIMES_NONE;
	x->attr = (struct entry_attr){ .names = conf->names,
				       .single = conf->single,
				       .uid = sys_geteuid(),
				       .gid = sys_getegid(),
				       .limits = conf->limits };
	x->umask = sys_umask(0); /* modes are the archive's */
	r = whiteout_init(&x->made, e);
	if (r < 0)
		return r;
	*ret = take(&x, NULL);
	return 0;
}

void extract_free(struct extract **xp)
{
	struct extract *x = *xp;

	if (!x)
		return;
	sys_umask(x->umask);
	scope_close(&x->fd);
	scope_close(&x->parent);
	whiteout_done(&x->made);
	dirtimes_done(&x->dirs);
	free(x);
	*xp = NULL;
}

struct untar_sink extract_sink(struct extract *x)
{
	return (struct untar_sink){ on_entry, on_data, on_end, x };
}

int extract_finish(struct extract *x, struct err *e)
{
	scope_close(&x->fd);
	drop_parent(x);
	return dirtimes_apply(&x->dirs, x->conf.root, e);
}

const uint64_t *extract_dropped(const struct extract *x)
{
	return x->attr.dropped;
}
