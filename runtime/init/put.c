/* put - the applet "put", and how every applet writes a file. */
#include "runtime/init/put.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/num.h"
#include "base/procfs.h"
#include "base/scope.h"
#include "base/sys/sys.h"
#include "runtime/init/applets.h"

enum {
	CHUNK = 64 << 10,
	LINKS_MAX = 40,
	TRIES = 100,
	OVERFLOW_ID = 65534 /* kernel/sys.c: what an id without a mapping is shown as */
};
#define FRAMES UINT64_MAX /* instead of a size */

/* Where a chain of links leads: @path, changed in place. The last part may be missing. */
static int follow(char *path, struct err *e)
{
	char to[PATH_MAX], *slash;

	for (int i = 0; i < LINKS_MAX; i++) {
		ssize_t n = sys_readlinkat(AT_FDCWD, path, to, sizeof(to) - 1);
		size_t dir;

		if (n == -EINVAL || n == -ENOENT || n == -ENOTDIR)
			return 0;
		if (n < 0)
			return err_sys(e, (int)n, "cannot follow '%s'", path);
		to[n] = '\0';
		slash = strrchr(path, '/');
		dir = to[0] == '/' || !slash ? 0 : (size_t)(slash + 1 - path);
		if (dir + (size_t)n >= PATH_MAX)
			break;
		memcpy(path + dir, to, (size_t)n + 1);
	}
	return err_sys(e, -ELOOP, "cannot follow '%s'", path);
}

static int open_parent(char *path, const char **name, struct err *e)
{
	char *slash = strrchr(path, '/');
	int fd, r;

	*name = slash ? slash + 1 : path;
	if (!**name || strcmp(*name, ".") == 0 || strcmp(*name, "..") == 0)
		return err_sys(e, -EISDIR, "cannot write '%s'", path);
	if (!slash || slash == path)
		return sys_open(slash ? "/" : ".", O_RDONLY | O_DIRECTORY);
	*slash = '\0';
	r = file_mkdirs(AT_FDCWD, path, 0755, e);
	if (r < 0)
		return r;
	fd = sys_open(path, O_RDONLY | O_DIRECTORY);
	return fd < 0 ? err_sys(e, fd, "cannot open the directory '%s'", path) : fd;
}

/* The file that takes the place of the other when it is whole. It has no name before that,
 * where there are such (open(2), O_TMPFILE): the applet is killed when nobody waits for it. */
struct beside {
	int fd;			 /* owned */
	char name[NAME_MAX + 1]; /* "" = none */
};
#define BESIDE_NONE      \
	{                \
		.fd = -1 \
	}

static int make_named(struct beside *b, int dirfd, const char *name)
{
	int r = -EEXIST;

	for (int i = 0; i < TRIES && r == -EEXIST; i++) {
		snprintf(b->name, sizeof(b->name), ".%.200s.cubby-%d-%d", name,
			 sys_getpid(), i);
		r = b->fd < 0 ? sys_openat(dirfd, b->name,
					   O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, 0666)
			      : sys_linkat(AT_FDCWD, procfs_fd(b->fd), dirfd, b->name,
					   AT_SYMLINK_FOLLOW);
	}
	if (r < 0)
		b->name[0] = '\0';
	else if (b->fd < 0)
		b->fd = r;
	return MIN(r, 0);
}

static int open_beside(struct beside *b, int dirfd, const char *name, struct err *e)
{
	int r = b->fd = sys_openat(dirfd, ".", O_RDWR | O_TMPFILE, 0666);

	if (r < 0)
		r = make_named(b, dirfd, name);
	return r < 0 ? err_sys(e, r, "cannot make a file beside '%s'", name) : 0;
}

static void close_beside(struct beside *b, int dirfd)
{
	if (b->name[0])
		sys_unlinkat(dirfd, b->name, 0);
	scope_close(&b->fd);
}

/* Is there a file to be replaced, and may it be? 1 and what it is, 0 = there is none. */
static int look_at_old(int dirfd, const char *name, struct stat *st, struct err *e)
{
	int r = sys_fstatat(dirfd, name, st, AT_SYMLINK_NOFOLLOW);

	if (r == -ENOENT)
		return 0;
	if (r < 0)
		return err_sys(e, r, "cannot look at '%s'", name);
	if (S_ISDIR(st->st_mode))
		return err_sys(e, -EISDIR, "cannot write '%s'", name);
	if (!S_ISREG(st->st_mode))
		return err_set(e, -EINVAL, "'%s' is not a regular file", name);
	if (sys_faccessat(dirfd, name, W_OK, AT_EACCESS) == -EACCES)
		return err_sys(e, -EACCES, "cannot write '%s'", name);
	return 1;
}

/* Has the new file what the old one has, so that it can take its place? An id that the box
 * has no number for is shown as the overflow id, which may well be somebody's: who that is
 * cannot be given to another file, nor be told from the real one. */
static bool keeps_owner(int fd, const struct stat *old)
{
	struct stat now;

	if (old->st_uid == OVERFLOW_ID || old->st_gid == OVERFLOW_ID)
		return false;
	sys_fchown(fd, old->st_uid, old->st_gid);
	sys_fchmod(fd, old->st_mode & 07777);
	return sys_fstat(fd, &now) == 0 && now.st_uid == old->st_uid &&
	       now.st_gid == old->st_gid && now.st_mode == old->st_mode;
}

/* The content, which is all there, into the file itself. Nothing else of it changes. */
static int put_within(int dirfd, const char *name, int from, struct err *e)
{
	_cleanup_close_ int fd = sys_openat(
		dirfd, name, O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, 0);
	char data[CHUNK];
	off_t size = 0;
	int r = fd < 0 ? fd : (int)sys_lseek(from, 0, SEEK_SET);

	while (r >= 0) {
		ssize_t n = sys_read(from, data, sizeof(data));

		if (n == 0)
			break;
		r = n < 0 ? (int)n : file_write_fd(fd, data, (size_t)n, e);
		size += n;
	}
	r = r < 0 ? r : sys_ftruncate(fd, size);
	r = r < 0 ? r : sys_fsync(fd);
	return r < 0 ? err_sys(e, r, "cannot write '%s'", name) : 0;
}

static int replace(struct beside *b, int dirfd, const char *name, put_fill_fn *fill,
		   void *ctx, struct err *e)
{
	struct stat old;
	int r = look_at_old(dirfd, name, &old, e), there = r;

	if (r >= 0)
		r = fill(ctx, b->fd, e);
	if (r < 0)
		return r;
	if (there && !keeps_owner(b->fd, &old))
		return put_within(dirfd, name, b->fd, e);
	r = sys_fsync(b->fd);
	if (r == 0 && !b->name[0])
		r = make_named(b, dirfd, name);
	if (r == 0)
		r = sys_renameat(dirfd, b->name, dirfd, name);
	if (r == 0)
		b->name[0] = '\0';
	return r < 0 ? err_sys(e, r, "cannot write '%s'", name) : 0;
}

int put_file(const char *path, put_fill_fn *fill, void *ctx, struct err *e)
{
	char real[PATH_MAX];
	_cleanup_close_ int dirfd = -1;
	struct beside b = BESIDE_NONE;
	const char *name;
	int r;

	if (strlen(path) >= sizeof(real))
		return err_sys(e, -ENAMETOOLONG, "cannot write '%.80s…'", path);
	strncpy(real, path, sizeof(real));
	r = follow(real, e);
	if (r < 0)
		return r;
	dirfd = open_parent(real, &name, e);
	if (dirfd < 0)
		return dirfd;
	r = open_beside(&b, dirfd, name, e);
	if (r == 0)
		r = replace(&b, dirfd, name, fill, ctx, e);
	close_beside(&b, dirfd);
	return r;
}

/* ---- the applet ------------------------------------------------------------------- */

/* Its own length before each part, the least byte first; one of none ends it: so an end of
 * input that nobody meant is seen. */
static int next_frame(uint64_t *left, struct err *e)
{
	unsigned char head[4];
	size_t have = 0;

	while (have < sizeof(head)) {
		ssize_t n = sys_read(0, head + have, sizeof(head) - have);

		if (n <= 0)
			return err_sys(e, n < 0 ? (int)n : -EPIPE,
				       "the content was cut off");
		have += (size_t)n;
	}
	*left = head[0] | head[1] << 8 | head[2] << 16 | (uint64_t)head[3] << 24;
	return 0;
}

static int copy_in(void *ctx, int fd, struct err *e)
{
	uint64_t left = *(const uint64_t *)ctx;
	bool frames = left == FRAMES;
	char data[CHUNK];

	if (frames && next_frame(&left, e) < 0)
		return e->code;
	while (left) {
		ssize_t n = sys_read(0, data, (size_t)MIN(left, (uint64_t)CHUNK));
		int r;

		if (n <= 0)
			return err_sys(e, n < 0 ? (int)n : -EPIPE,
				       "the content was cut off");
		r = file_write_fd(fd, data, (size_t)n, e);
		left -= (uint64_t)n;
		if (r == 0 && !left && frames)
			r = next_frame(&left, e);
		if (r < 0)
			return r;
	}
	return 0;
}

int put_run(char *const argv[], struct err *e)
{
	uint64_t size = FRAMES;

	if (strcmp(argv[2], "-") != 0 && num_u64(argv[2], &size) < 0)
		return err_set(e, -EINVAL, "bad size '%s'", argv[2]);
	return put_file(argv[1], copy_in, &size, e);
}
