/* All names are collected first, sorted by inode: only then is it known which files have
 * names elsewhere (more than were seen), and which names are to stay together. */
#include "rootfs/store/hardlinks.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/copyfd.h"
#include "base/dirscan.h"
#include "base/grow.h"
#include "base/inroot.h"
#include "base/procfs.h"
#include "base/sys/sys.h"
#include "base/text.h"

enum {
	DEPTH = 64,
	LOOKED_AT = 1000000, /* names */
	PATHS = 64 << 20,    /* bytes of names that are kept in memory */
	LIKELY_NAMES = 64,   /* for each place */
	LIKELY_DEPTH = 7,
	TEMP_NAME = 32,
	SHOWN = 300
};
static const char temp_prefix[] = ".cubby-unlink-";

struct name {
	char *path; /* owned */
	uint64_t ino, nlink, size;
};

struct scan {
	struct name *names; /* owned; of files with more than one */
	size_t n, bytes;    /* of their paths */
	uint64_t looked_at;
	dev_t dev;
	bool git, clean; /* look below .git; remove what an earlier call has left */
	bool incomplete;
};

static void scan_done(struct scan *s)
{
	for (size_t i = 0; i < s->n; i++)
		free(s->names[i].path);
	free(s->names);
}

/* ---- a quick look --------------------------------------------------------------------- */

static bool likely_below(int dirfd, const char *name, unsigned *left, unsigned depth)
{
	_cleanup_close_ int fd =
		sys_openat(dirfd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW, 0);
	struct dirscan s;
	struct stat st;

	dirscan_start(&s, fd);
	while (*left && dirscan_next(&s)) {
		--*left;
		if (s.type == DT_REG &&
		    sys_fstatat(fd, s.name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
		    st.st_nlink > 1)
			return true;
		if (s.type == DT_DIR && depth < LIKELY_DEPTH &&
		    strcmp(s.name, ".git") != 0 &&
		    likely_below(fd, s.name, left, depth + 1))
			return true;
	}
	return false;
}

bool hardlinks_likely(int dirfd)
{
	static const char *const places[] = { "node_modules", ".venv", "venv", "env",
					      "." };
	static const char pnpm[] = "node_modules/.pnpm";

	for (size_t i = 0; i <= ARRAY_SIZE(places); i++) {
		unsigned left = LIKELY_NAMES;

		if (likely_below(dirfd, i ? places[i - 1] : pnpm, &left, 0))
			return true;
	}
	return false;
}

/* ---- all names ------------------------------------------------------------------------ */

static int add(struct scan *s, const char *path, const struct stat *st)
{
	struct name *x;

	if (strlen(path) > PATHS - s->bytes) {
		s->incomplete = true;
		return 0;
	}
	if (!grow_room(s->names, s->n))
		return -ENOMEM;
	x = &s->names[s->n];
	*x = (struct name){ strdup(path), st->st_ino, st->st_nlink,
			    (uint64_t)st->st_size };
	if (!x->path)
		return -ENOMEM;
	s->bytes += strlen(path);
	s->n++;
	return 0;
}

static int walk(struct scan *s, int dirfd, struct buf *path, unsigned depth);

static int enter(struct scan *s, int dirfd, const char *name, struct buf *path,
		 unsigned depth)
{
	_cleanup_close_ int fd = -1;
	struct stat st;

	if (!s->git && !strcmp(name, ".git"))
		return 0;
	if (depth < DEPTH)
		fd = sys_openat(dirfd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW, 0);
	if (fd < 0 || sys_fstat(fd, &st) < 0) {
		s->incomplete = true;
		return 0;
	}
	return st.st_dev == s->dev ? walk(s, fd, path, depth + 1) : 0;
}

static bool is_left_over(const struct scan *s, const char *name)
{
	return s->clean && text_starts(name, temp_prefix) &&
	       strlen(name) == strlen(temp_prefix) + 16;
}

static int look(struct scan *s, int dirfd, const char *name, struct buf *path,
		unsigned depth)
{
	size_t before = path->len;
	struct stat st;
	int r;

	if (s->looked_at++ >= LOOKED_AT ||
	    sys_fstatat(dirfd, name, &st, AT_SYMLINK_NOFOLLOW) < 0) {
		s->incomplete = true;
		return 0;
	}
	if (S_ISREG(st.st_mode) && is_left_over(s, name)) {
		(void)sys_unlinkat(dirfd, name, 0);
		return 0;
	}
	if (!S_ISDIR(st.st_mode) && (!S_ISREG(st.st_mode) || st.st_nlink < 2))
		return 0;
	r = buf_addf(path, "%s%s", before ? "/" : "", name);
	if (r == -EMSGSIZE) {
		s->incomplete = true;
		r = 0;
	} else if (r == 0) {
		r = S_ISDIR(st.st_mode) ? enter(s, dirfd, name, path, depth)
					: add(s, path->data, &st);
	}
	buf_truncate(path, before);
	return r;
}

static int walk(struct scan *s, int dirfd, struct buf *path, unsigned depth)
{
	struct dirscan d;

	dirscan_start(&d, dirfd);
	while (dirscan_next(&d)) {
		int failed = look(s, dirfd, d.name, path, depth);

		if (failed < 0)
			return failed;
	}
	s->incomplete |= d.failed < 0;
	return 0;
}

static int by_ino(const void *a, const void *b)
{
	const struct name *x = a, *y = b;

	if (x->ino != y->ino)
		return x->ino < y->ino ? -1 : 1;
	return strcmp(x->path, y->path);
}

static int collect(struct scan *s, int dirfd, struct err *e)
{
	_cleanup_close_ int fd = sys_openat(dirfd, ".", O_RDONLY | O_DIRECTORY, 0);
	_cleanup_buf_ struct buf path = BUF_INIT(PATH_MAX);
	struct stat st;
	int r = fd < 0 ? fd : sys_fstat(fd, &st);

	if (r == 0) {
		s->dev = st.st_dev;
		r = walk(s, fd, &path, 0);
	}
	if (r < 0)
		return err_sys(e, r, "cannot look for files with several names");
	if (s->n)
		qsort(s->names, s->n, sizeof(*s->names), by_ino);
	return 0;
}

/* ---- one file ------------------------------------------------------------------------- */

static bool is_same(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino &&
	       a->st_size == b->st_size && a->st_mode == b->st_mode &&
	       a->st_mtim.tv_sec == b->st_mtim.tv_sec &&
	       a->st_mtim.tv_nsec == b->st_mtim.tv_nsec &&
	       a->st_ctim.tv_sec == b->st_ctim.tv_sec &&
	       a->st_ctim.tv_nsec == b->st_ctim.tv_nsec;
}

static int temp_name(char ret[TEMP_NAME])
{
	uint64_t nonce;

	if (sys_getrandom(&nonce, sizeof(nonce)) != (ssize_t)sizeof(nonce))
		return -EIO;
	snprintf(ret, TEMP_NAME, "%s%016llx", temp_prefix, (unsigned long long)nonce);
	return 0;
}

/* Owner before mode, which it would change; on the disk before it takes the name. */
static int fill(int from, int to, const struct stat *st)
{
	struct timespec times[2] = { st->st_atim, st->st_mtim };
	uint64_t room = (uint64_t)st->st_size;
	struct stat now;
	int r = copyfd_bytes(from, to, &room) ?: sys_fchown(to, st->st_uid, st->st_gid);

	if (r < 0)
		return r;
	if (copyfd_xattrs(from, to))
		return -EPERM;
	r = sys_fchmod(to, st->st_mode & 07777) ?:
		sys_futimens(to, times) ?:
		sys_fdatasync(to) ?:
		sys_fstat(from, &now);
	return r != 0 ? r : is_same(st, &now) ? 0 : -EBUSY;
}

/* Renames @temp over @name if that is still the file that was meant. */
static int take_over(int dir, const char *temp, const char *name, uint64_t ino)
{
	struct stat st;
	int r = sys_fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW);

	if (r == 0 && st.st_ino != ino)
		r = -EBUSY;
	if (r == 0)
		r = sys_renameat(dir, temp, dir, name);
	if (r < 0)
		(void)sys_unlinkat(dir, temp, 0);
	return r;
}

/* A copy of @name under the name @temp: a file without a name until it is complete, where
 * the filesystem has such. */
static int make_copy(int dir, const char *name, const char *temp, uint64_t ino)
{
	_cleanup_close_ int from = -1, to = -1;
	struct stat st;
	int r;

	r = from = sys_openat(dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK, 0);
	if (r >= 0)
		r = sys_fstat(from, &st);
	if (r == 0 && (st.st_ino != ino || !S_ISREG(st.st_mode)))
		r = -EBUSY;
	if (r < 0)
		return r;
	to = sys_openat(dir, ".", O_TMPFILE | O_WRONLY, 0600);
	if (to >= 0) {
		r = fill(from, to, &st);
		return r < 0 ? r
			     : sys_linkat(AT_FDCWD, procfs_fd(to), dir, temp,
					  AT_SYMLINK_FOLLOW);
	}
	r = to = sys_openat(dir, temp, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0600);
	if (r < 0)
		return r;
	r = fill(from, to, &st);
	if (r < 0)
		(void)sys_unlinkat(dir, temp, 0);
	return r;
}

static int break_first(int dir, const char *name, uint64_t ino)
{
	char temp[TEMP_NAME];
	int r = temp_name(temp);

	if (r < 0)
		return r;
	r = make_copy(dir, name, temp, ino);
	return r < 0 ? r : take_over(dir, temp, name, ino);
}

int hardlinks_break_one(int dir, const char *name)
{
	struct stat st;
	int r = sys_fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW);

	if (r < 0 || !S_ISREG(st.st_mode) || st.st_nlink < 2)
		return r;
	return break_first(dir, name, st.st_ino);
}

/* A further name becomes one of the copy. */
static int follow(int first, const char *first_name, int dir, const char *name,
		  uint64_t ino)
{
	char temp[TEMP_NAME];
	int r = temp_name(temp);

	if (r < 0)
		return r;
	r = sys_linkat(first, first_name, dir, temp, 0);
	return r < 0 ? r : take_over(dir, temp, name, ino);
}

/* All names of one file; how far it came does not matter to any of them. */
static int break_file(int root, const struct name *x, size_t n)
{
	_cleanup_close_ int first = -1;
	const char *first_name = NULL, *name;
	int r;

	r = first = inroot_parent(root, x->path, &first_name);
	if (r >= 0)
		r = break_first(first, first_name, x->ino);
	for (size_t i = 1; i < n && r == 0; i++) {
		_cleanup_close_ int dir = inroot_parent(root, x[i].path, &name);

		r = dir < 0 ? dir : follow(first, first_name, dir, name, x->ino);
	}
	return r;
}

/* ---- all files ------------------------------------------------------------------------ */

static void keep(struct hardlinks *h, const char *path, int why)
{
	if (!h->kept++) {
		h->why = why;
		(void)text_copy(h->path, sizeof(h->path), path);
	}
}

static int each(struct scan *s, int dirfd, bool break_up, struct hardlinks *h,
		struct err *e)
{
	char shown[SHOWN];

	for (size_t i = 0, n; i < s->n; i += n) {
		const struct name *x = &s->names[i];
		int r;

		for (n = 1; i + n < s->n && x[n].ino == x->ino; n++)
			;
		if (n >= x->nlink)
			continue;
		if (!h->files++)
			(void)text_copy(h->path, sizeof(h->path), x->path);
		h->bytes += x->size;
		r = break_up ? break_file(dirfd, x, n) : 0;
		if (r < 0 && err_is_shortage(r))
			return err_sys(e, r, "cannot make a copy of '%s'",
				       text_escaped(shown, sizeof(shown), x->path,
						    strlen(x->path)));
		if (r < 0)
			keep(h, x->path, r);
	}
	return 0;
}

static int work(int dirfd, bool git, bool break_up, struct hardlinks *ret,
		struct err *e)
{
	_cleanup_(scan_done) struct scan s = { .git = git, .clean = break_up };
	_cleanup_free_ struct hardlinks *h = calloc(1, sizeof(*h));
	int r;

	if (!h)
		return err_sys(e, -ENOMEM, "cannot look for files with several names");
	r = collect(&s, dirfd, e);
	if (r < 0)
		return r;
	r = each(&s, dirfd, break_up, h, e);
	if (r < 0)
		return r;
	h->incomplete = s.incomplete;
	*ret = *h;
	return 0;
}

int hardlinks_find(int dirfd, bool git, struct hardlinks *ret, struct err *e)
{
	return work(dirfd, git, false, ret, e);
}

int hardlinks_break(int dirfd, bool git, struct hardlinks *ret, struct err *e)
{
	return work(dirfd, git, true, ret, e);
}
