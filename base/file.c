#include "base/file.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/sys/sys.h"
#include "base/text.h"

enum { FIRST = 4 << 10, CHUNK = 64 << 10, LOCK_TICK_US = 50000 };

/* Reads to the end; a buffer that is full may still be exactly at the end. @size: of a file
 * that has one, so that nobody has to ask whether more comes; 0 = unknown. */
static int read_all(int fd, size_t size, struct buf *ret)
{
	size_t start = ret->len;
	ssize_t n;
	char extra;

	for (;;) {
		size_t piece = ret->len - start < CHUNK ? FIRST : CHUNK;
		size_t room = MIN(ret->max - ret->len, piece);
		int r = buf_reserve(ret, room);

		if (r < 0)
			n = r;
		else if (room)
			n = sys_read(fd, ret->data + ret->len, room);
		else
			n = sys_read(fd, &extra, 1) > 0 ? -EMSGSIZE : 0;
		if (n <= 0)
			break;
		buf_commit(ret, (size_t)n);
		if (ret->len - start == size)
			return 0;
	}
	if (n < 0)
		buf_truncate(ret, start);
	return (int)n;
}

static int read_failed(int code, const char *what, const struct buf *b, struct err *e)
{
	if (code != -EMSGSIZE)
		return err_sys(e, code, "cannot read %s", what);
	return err_set(e, code, "cannot read %s: larger than %s", what,
		       text_bytes(b->max));
}

int file_read(int dirfd, const char *path, struct buf *ret, struct err *e)
{
	_cleanup_close_ int fd = -1;
	char what[TEXT_SHOWN_MAX + 2];
	struct stat st;
	int r;

	/* O_NONBLOCK: a fifo in this place must not hold us up. */
	fd = sys_openat(dirfd, path, O_RDONLY | O_NOCTTY | O_NONBLOCK, 0);
	if (fd < 0)
		return err_sys(e, fd, "cannot open '%s'", text_shown(path));
	r = sys_fstat(fd, &st);
	if (!r && S_ISDIR(st.st_mode))
		r = -EISDIR;
	if (r == 0 && !S_ISREG(st.st_mode))
		return err_set(e, -EINVAL, "cannot read '%s': not a regular file",
			       text_shown(path));
	if (r == 0)
		r = read_all(fd, (size_t)st.st_size, ret);
	if (r == 0)
		return 0;
	snprintf(what, sizeof(what), "'%s'", text_shown(path));
	return read_failed(r, what, ret, e);
}

int file_read_fd(int fd, struct buf *ret, struct err *e)
{
	return file_read_sized(fd, 0, ret, e);
}

int file_read_sized(int fd, uint64_t size, struct buf *ret, struct err *e)
{
	int r = read_all(fd, (size_t)size, ret);

	return r < 0 ? read_failed(r, fd == 0 ? "standard input" : "it", ret, e) : 0;
}

int file_peek(int dirfd, const char *path, char *ret, size_t size)
{
	_cleanup_close_ int fd = sys_openat(dirfd, path, O_RDONLY, 0);
	ssize_t n = fd < 0 ? fd : sys_read(fd, ret, size - 1);

	ret[MAX(n, 0)] = '\0';
	return (int)n;
}

/* Like write, but waits where the descriptor would not. */
static int write_all(int fd, const char *data, size_t len)
{
	while (len) {
		struct pollfd p = { .fd = fd, .events = POLLOUT };
		ssize_t n = sys_write(fd, data, len);

		if (n == -EAGAIN) {
			n = sys_poll(&p, 1, -1);
			if (n < 0 && n != -EINTR)
				return (int)n;
			continue;
		}
		if (n < 0)
			return (int)n;
		data += n;
		len -= (size_t)n;
	}
	return 0;
}

bool file_is_zeros(const void *data, size_t len)
{
	const char *c = data;

	return !len || (!*c && !memcmp(c, c + 1, len - 1));
}

int file_write_fd(int fd, const void *data, size_t len, struct err *e)
{
	int r = write_all(fd, data, len);

	return r < 0 ? err_sys(e, r, "cannot write") : 0;
}

int file_sealed(const char *name, const void *data, size_t len, struct err *e)
{
	_cleanup_close_ int fd = sys_memfd(name, MFD_ALLOW_SEALING);
	int r;

	if (fd < 0)
		return err_sys(e, fd, "cannot create a memfd");
	r = file_write_fd(fd, data, len, e);
	if (r < 0)
		return r;
	r = sys_add_seals(fd, F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL);
	return r < 0 ? err_sys(e, r, "cannot seal a memfd") : take(&fd, -1);
}

/* The new file until it has its name. */
struct draft {
	int dirfd;     /* owned */
	int fd;	       /* owned */
	char name[32]; /* "" = not there */
};
#define DRAFT_NONE ((struct draft){ .dirfd = -1, .fd = -1 })

static void draft_done(struct draft *d)
{
	if (d->name[0])
		(void)sys_unlinkat(d->dirfd, d->name, 0);
	scope_close(&d->fd);
	scope_close(&d->dirfd);
}

/* Opens the directory part of @path, the whole of which stays with the caller; @base
 * points at its last part. */
static int open_parent(int dirfd, const char *path, const char **base)
{
	const char *slash = strrchr(path, '/');
	char dir[PATH_MAX];

	*base = slash ? slash + 1 : path;
	if (!**base || !strcmp(*base, ".") || !strcmp(*base, ".."))
		return -EINVAL;
	if (!slash)
		return sys_openat(dirfd, ".", O_RDONLY | O_DIRECTORY, 0);
	if ((size_t)(slash - path) + 2 > sizeof(dir))
		return -ENAMETOOLONG;
	memcpy(dir, path, (size_t)(slash - path) + 1);
	dir[slash - path + 1] = '\0';
	return sys_openat(dirfd, dir, O_RDONLY | O_DIRECTORY, 0);
}

static int draft_open(struct draft *d)
{
	uint64_t nonce;
	char name[sizeof(d->name)];

	if (sys_getrandom(&nonce, sizeof(nonce)) != sizeof(nonce))
		return -EIO;
	snprintf(name, sizeof(name), ".tmp-%016llx", (unsigned long long)nonce);
	d->fd = sys_openat(d->dirfd, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW,
			   0600);
	if (d->fd < 0)
		return d->fd;
	memcpy(d->name, name, sizeof(name));
	return 0;
}

static int draft_fill(struct draft *d, const struct file_data *data, bool sync)
{
	return write_all(d->fd, data->data, data->len) ?:
		sys_fchmod(d->fd, data->mode) ?: (sync ? sys_fsync(d->fd) : 0);
}

/* Some filesystems cannot sync a directory; the file itself is safe by then. */
static int sync_dir(int dirfd)
{
	int r = sys_fsync(dirfd);

	return r == -EINVAL || r == -EOPNOTSUPP || r == -EROFS ? 0 : r;
}

enum wait { NOTHING, CONTENT, NAME };

static int replace(int dirfd, const char *name, const struct file_data *d,
		   enum wait wait, struct err *e)
{
	_cleanup_(draft_done) struct draft draft = DRAFT_NONE;
	const char *base;
	int r;

	draft.dirfd = r = open_parent(dirfd, name, &base);
	if (r >= 0)
		r = draft_open(&draft) ?: draft_fill(&draft, d, wait >= CONTENT) ?:
			sys_renameat(draft.dirfd, draft.name, draft.dirfd, base);
	if (r < 0)
		return err_sys(e, r, "cannot write '%s'", text_shown(name));
	draft.name[0] = '\0';
	r = wait == NAME ? sync_dir(draft.dirfd) : 0;
	return r < 0 ? err_sys(e, r, "cannot write '%s'", text_shown(name)) : 0;
}

int file_replace(int dirfd, const char *name, const struct file_data *d, struct err *e)
{
	return replace(dirfd, name, d, NAME, e);
}

int file_replace_later(int dirfd, const char *name, const struct file_data *d,
		       struct err *e)
{
	return replace(dirfd, name, d, CONTENT, e);
}

int file_replace_soon(int dirfd, const char *name, const struct file_data *d,
		      struct err *e)
{
	return replace(dirfd, name, d, NOTHING, e);
}

bool file_is_there(int dirfd, const char *path)
{
	struct stat st;

	return sys_fstatat(dirfd, path, &st, AT_SYMLINK_NOFOLLOW) == 0;
}

static int is_dir(int dirfd, const char *path)
{
	struct stat st;
	int r = sys_fstatat(dirfd, path, &st, 0);

	return r < 0 ? r : S_ISDIR(st.st_mode) ? 0 : -ENOTDIR;
}

/* Makes each part in turn; @path is changed and put back while that goes on. */
static int make_parts(int dirfd, char *path, mode_t mode)
{
	for (char *p = path + 1; *p; p++) {
		int r;

		if (*p != '/' || p[-1] == '/')
			continue;
		*p = '\0';
		r = sys_mkdirat(dirfd, path, mode);
		*p = '/';
		if (r < 0 && r != -EEXIST)
			return r;
	}
	return sys_mkdirat(dirfd, path, mode);
}

int file_mkdirs(int dirfd, const char *path, mode_t mode, struct err *e)
{
	char copy[PATH_MAX];
	int r = is_dir(dirfd, path);

	if (r == -ENOENT && *path) {
		r = text_copy(copy, sizeof(copy), path)
			    ?: make_parts(dirfd, copy, mode);
		if (r == -EEXIST)
			r = is_dir(dirfd, path);
	}
	return r ? err_sys(e, r, "cannot make directory '%s'", text_shown(path)) : 0;
}

int file_open_dir(int dirfd, const char *path, struct err *e)
{
	int fd = sys_openat(dirfd, path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW, 0);

	if (fd < 0)
		return err_sys(e, fd, "cannot open directory '%s'", text_shown(path));
	return fd;
}

int file_make_dir(int dirfd, const char *path, mode_t mode, struct err *e)
{
	int r = file_mkdirs(dirfd, path, mode, e);

	return r < 0 ? r : file_open_dir(dirfd, path, e);
}

/* The file may have been removed, and made anew, while we waited for its lock. */
static int still_named(int dirfd, const char *name, int fd)
{
	struct stat held, named;
	int r = sys_fstat(fd, &held);

	if (r < 0)
		return r;
	r = sys_fstatat(dirfd, name, &named, AT_SYMLINK_NOFOLLOW);
	if (r == -ENOENT)
		return 0;
	if (r < 0)
		return r;
	return held.st_dev == named.st_dev && held.st_ino == named.st_ino;
}

/* @end_ms: monotonic; 0 = for ever. Before it is over a timer interrupts again and again:
 * a signal that came just before the call would be missed. */
static int wait_for_lock(int fd, uint64_t end_ms)
{
	int r;

	do
		r = sys_flock_once(fd, LOCK_EX);
	while (r == -EINTR && (!end_ms || sys_now_ms() < end_ms));
	return r == -EINTR ? -EWOULDBLOCK : r;
}

static int lock_file(int dirfd, const char *name, bool wait, uint64_t end_ms,
		     struct err *e)
{
	for (;;) {
		_cleanup_close_ int fd =
			sys_openat(dirfd, name, O_RDWR | O_CREAT | O_NOFOLLOW, 0600);
		int r = fd;

		if (r >= 0)
			r = wait ? wait_for_lock(fd, end_ms)
				 : sys_flock(fd, LOCK_EX | LOCK_NB);
		if (r == -EWOULDBLOCK)
			return err_set(e, r, "cannot lock '%s': another process has it",
				       text_shown(name));
		if (r >= 0)
			r = still_named(dirfd, name, fd);
		if (r < 0)
			return err_sys(e, r, "cannot lock '%s'", text_shown(name));
		if (r)
			return take(&fd, -1);
	}
}

int file_lock(int dirfd, const char *name, bool wait, struct err *e)
{
	return lock_file(dirfd, name, wait, 0, e);
}

static void nothing(int)
{
}

int file_lock_within(int dirfd, const char *name, int ms, struct err *e)
{
	const struct sigaction wake = { .sa_handler = nothing };
	const struct timeval tick = { .tv_usec = LOCK_TICK_US };
	const struct itimerval on = { tick, tick }, off = { 0 };
	struct sigaction old;
	int r = lock_file(dirfd, name, false, 0, e);

	if (r != -EWOULDBLOCK)
		return r;
	r = sys_sigaction(SIGALRM, &wake, &old) ?: sys_setitimer(&on);
	if (r < 0)
		return err_sys(e, r, "cannot wait for the lock '%s'", text_shown(name));
	r = lock_file(dirfd, name, true, sys_now_ms() + (uint64_t)ms, e);
	sys_setitimer(&off);
	sys_sigaction(SIGALRM, &old, NULL);
	return r;
}
