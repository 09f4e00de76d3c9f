#include "runtime/init/trees.h"

#include <errno.h>
#include <limits.h>
#include <linux/limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/sysmacros.h>

#include "base/copyfd.h"
#include "base/file.h"
#include "base/num.h"
#include "base/scope.h"
#include "base/sys/sys.h"
#include "runtime/init/walk.h"

enum {
	REMOVE_DEPTH = 512,
	COPY_DEPTH = 256, /* of two descriptors each */
	ATTRIBUTES = 07777,
	SET_ID = S_ISUID | S_ISGID
};

/* -EBUSY: something is mounted there, or would be by a look into it. */
static int look_at(int dirfd, const char *name, struct statx *ret)
{
	const uint64_t mounts = STATX_ATTR_MOUNT_ROOT | STATX_ATTR_AUTOMOUNT;
	int r = sys_statx(dirfd, name, AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT,
			  STATX_BASIC_STATS, ret);

	return r == 0 && ret->stx_attributes & mounts ? -EBUSY : r;
}

/* ---- removing ------------------------------------------------------------------- */

static int remove_at(int dirfd, const char *name, unsigned depth, struct err *e);

static int remove_within(int dirfd, const char *name, unsigned depth, struct err *e)
{
	_cleanup_close_ int fd =
		sys_openat(dirfd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW, 0);
	_cleanup_(walk_names_free) char **names = NULL;
	int r;

	if (fd < 0)
		return err_sys(e, fd, "cannot open '%s'", name);
	if (depth == REMOVE_DEPTH)
		return err_set(e, -ELOOP, "'%s' is too deep", name);
	r = walk_names(fd, &names, e);
	for (char **n = names; r == 0 && n && *n; n++)
		r = remove_at(fd, *n, depth + 1, e);
	return r;
}

static int remove_at(int dirfd, const char *name, unsigned depth, struct err *e)
{
	struct statx st;
	int r = look_at(dirfd, name, &st);
	bool dir = r == 0 && S_ISDIR(st.stx_mode);

	if (r == -ENOENT && depth)
		return 0;
	if (r == -EBUSY)
		return err_set(e, r, "'%s' is mounted, and cannot be removed", name);
	if (dir) {
		r = remove_within(dirfd, name, depth, e);
		if (r < 0)
			return r;
	}
	if (r == 0)
		r = sys_unlinkat(dirfd, name, dir ? AT_REMOVEDIR : 0);
	return r < 0 ? err_sys(e, r, "cannot remove '%s'", name) : 0;
}

int trees_remove(int dirfd, const char *name, struct err *e)
{
	return remove_at(dirfd, name, 0, e);
}

/* ---- copying -------------------------------------------------------------------- */

/* One entry of a tree. */
struct entry {
	int from, to;		/* borrowed; the directories */
	const char *name, *new; /* in them */
	unsigned depth;
	struct statx st; /* of @name, once it was looked at */
};

static int copy_entry(struct entry *x, struct err *e);

static mode_t mode_of(const struct entry *x)
{
	return x->st.stx_mode & ATTRIBUTES;
}

static void times_of(const struct entry *x, struct timespec ret[2])
{
	ret[0] = (struct timespec){ x->st.stx_atime.tv_sec, x->st.stx_atime.tv_nsec };
	ret[1] = (struct timespec){ x->st.stx_mtime.tv_sec, x->st.stx_mtime.tv_nsec };
}

/* What the caller may not give is lost. Who would run with the rights of the new owner, if
 * that is another, does not. */
static int make_like(const struct entry *x, int from, int to)
{
	struct timespec times[2];
	mode_t mode = mode_of(x);
	struct stat now;
	int r;

	(void)sys_fchown(to, x->st.stx_uid, x->st.stx_gid);
	(void)copyfd_xattrs(from, to);
	r = sys_fstat(to, &now);
	if (r == 0 && (now.st_uid != x->st.stx_uid || now.st_gid != x->st.stx_gid))
		mode &= ~(mode_t)SET_ID;
	if (r == 0)
		r = sys_fchmod(to, mode);
	if (r == -EPERM && mode & SET_ID)
		r = sys_fchmod(to, mode & ~(mode_t)SET_ID);
	times_of(x, times);
	return r < 0 ? r : sys_futimens(to, times);
}

/* What is held is somebody's work; what is not was left by one that was killed. */
static bool hold(int fd)
{
	return sys_flock_once(fd, LOCK_EX | LOCK_NB) >= 0;
}

static int copy_file(const struct entry *x, struct err *e)
{
	_cleanup_close_ int to = -1;
	_cleanup_close_ int from = sys_openat(
		x->from, x->name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, 0);
	struct stat st;
	int r = from < 0 ? from : sys_fstat(from, &st);

	if (r == 0 && !S_ISREG(st.st_mode))
		r = -ESTALE; /* somebody has put something else there */
	if (r < 0)
		return err_sys(e, r, "cannot read '%s'", x->name);
	to = sys_openat(x->to, x->new, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0600);
	if (to >= 0 && !x->depth)
		(void)hold(to);
	r = to < 0 ? to : copyfd_bytes(from, to, NULL);
	if (r >= 0)
		r = make_like(x, from, to);
	return r < 0 ? err_sys(e, r, "cannot copy '%s'", x->name) : 0;
}

static int copy_directory(const struct entry *x, struct err *e)
{
	_cleanup_(walk_names_free) char **names = NULL;
	_cleanup_close_ int to = -1;
	_cleanup_close_ int from =
		sys_openat(x->from, x->name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW, 0);
	int r;

	if (from < 0)
		return err_sys(e, from, "cannot open '%s'", x->name);
	if (x->depth == COPY_DEPTH)
		return err_set(e, -ELOOP, "'%s' is too deep", x->name);
	r = sys_mkdirat(x->to, x->new, 0700);
	if (r >= 0)
		r = to = sys_openat(x->to, x->new, O_RDONLY | O_DIRECTORY | O_NOFOLLOW,
				    0);
	if (r < 0)
		return err_sys(e, r, "cannot copy '%s'", x->name);
	if (!x->depth)
		(void)hold(to);
	r = walk_names(from, &names, e);
	for (char **n = names; r == 0 && n && *n; n++) {
		struct entry in = { .from = from,
				    .to = to,
				    .name = *n,
				    .new = *n,
				    .depth = x->depth + 1 };

		r = copy_entry(&in, e);
	}
	if (r < 0)
		return r;
	r = make_like(x, from, to);
	return r < 0 ? err_sys(e, r, "cannot copy '%s'", x->name) : 0;
}

/* A link, a pipe, a socket that nobody listens on, a device where the caller may make one. */
static int copy_other(const struct entry *x, struct err *e)
{
	char target[PATH_MAX];
	struct timespec times[2];
	struct stat made;
	ssize_t n;
	int r;

	if (S_ISLNK(x->st.stx_mode)) {
		n = sys_readlinkat(x->from, x->name, target, sizeof(target) - 1);
		target[MAX(n, 0)] = '\0';
		r = n < 0 ? (int)n : sys_symlinkat(target, x->to, x->new);
	} else {
		r = sys_mknodat(x->to, x->new,
				(x->st.stx_mode & S_IFMT) |
					(mode_of(x) & ~(mode_t)SET_ID),
				makedev(x->st.stx_rdev_major, x->st.stx_rdev_minor));
		if (r >= 0) /* whatever the umask says */
			r = sys_fchmodat(x->to, x->new, mode_of(x) & ~(mode_t)SET_ID,
					 0);
	}
	if (r >= 0) /* a filter lets it look as if there were a device */
		r = sys_fstatat(x->to, x->new, &made, AT_SYMLINK_NOFOLLOW);
	if (r == 0 && (made.st_mode & S_IFMT) != (x->st.stx_mode & S_IFMT))
		r = -EPERM;
	if (r < 0)
		return err_sys(e, r == -ENOENT ? -EPERM : r, "cannot copy '%s'",
			       x->name);
	(void)sys_fchownat(x->to, x->new, x->st.stx_uid, x->st.stx_gid,
			   AT_SYMLINK_NOFOLLOW);
	times_of(x, times);
	(void)sys_utimensat(x->to, x->new, times, AT_SYMLINK_NOFOLLOW);
	return 0;
}

static int copy_entry(struct entry *x, struct err *e)
{
	int r = look_at(x->from, x->name, &x->st);

	if (r == -ENOENT && x->depth)
		return 0; /* it has gone meanwhile */
	if (r == -EBUSY)
		return err_set(e, r, "'%s' is mounted, and cannot be moved", x->name);
	if (r < 0)
		return err_sys(e, r, "cannot look at '%s'", x->name);
	if (S_ISREG(x->st.stx_mode))
		return copy_file(x, e);
	return S_ISDIR(x->st.stx_mode) ? copy_directory(x, e) : copy_other(x, e);
}

/* ---- moving --------------------------------------------------------------------- */

/* The directory that @path is in, and its name there. */
static int open_parent(const char *path, const char **name, struct err *e)
{
	const char *slash = strrchr(path, '/');
	char dir[PATH_MAX];
	int fd;

	*name = "";
	if (!slash || strlen(path) >= sizeof(dir))
		return err_sys(e, slash ? -ENAMETOOLONG : -EINVAL,
			       "cannot move '%.80s'", path);
	*name = slash + 1;
	memcpy(dir, path, (size_t)(slash + 1 - path));
	dir[slash + 1 - path] = '\0';
	fd = sys_open(dir, O_RDONLY | O_DIRECTORY);
	return fd < 0 ? err_sys(e, fd, "cannot open '%s'", dir) : fd;
}

/* "PREFIX" and a number */
static bool is_beside(const char *name, const char *prefix)
{
	size_t len = strlen(prefix);
	uint64_t pid;

	return strncmp(name, prefix, len) == 0 && num_u64(name + len, &pid) == 0;
}

/* Who moves something again that was cut off, with the box, say, finds its beginning gone. */
static void remove_remains(int dirfd, const char *prefix)
{
	_cleanup_(walk_names_free) char **names = NULL;

	if (walk_names(dirfd, &names, ERR_IGNORED) < 0)
		return;
	for (char **n = names; n && *n; n++) {
		_cleanup_close_ int fd = -1;

		if (!is_beside(*n, prefix))
			continue;
		fd = sys_openat(dirfd, *n,
				O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, 0);
		if (fd >= 0 && hold(fd))
			(void)trees_remove(dirfd, *n, ERR_IGNORED);
	}
}

/* What would only be found when all is copied. */
static int look_ahead(const struct entry *x, struct err *e)
{
	int r = sys_faccessat(x->from, ".", W_OK | X_OK, AT_EACCESS);

	if (r < 0)
		return err_sys(e, r, "cannot remove '%s'", x->name);
	if (file_is_there(x->to, x->new))
		return err_sys(e, -EEXIST, "cannot make '%s'", x->new);
	return 0;
}

int trees_move(const char *from, const char *to, struct err *e)
{
	_cleanup_close_ int from_dir = -1, to_dir = -1;
	struct entry x = { .depth = 0 };
	const char *new = NULL;
	char beside[NAME_MAX + 1];
	int r;

	x.from = from_dir = open_parent(from, &x.name, e);
	if (from_dir < 0)
		return from_dir;
	x.to = to_dir = open_parent(to, &new, e);
	if (to_dir < 0)
		return to_dir;
	x.new = new;
	r = look_ahead(&x, e);
	if (r < 0)
		return r;
	snprintf(beside, sizeof(beside), ".%.200s.cubby-", new);
	remove_remains(to_dir, beside);
	snprintf(beside, sizeof(beside), ".%.200s.cubby-%d", new, sys_getpid());
	x.new = beside;
	r = copy_entry(&x, e);
	if (r == 0) {
		r = sys_renameat2(to_dir, beside, to_dir, new, RENAME_NOREPLACE);
		if (r < 0)
			err_sys(e, r, "cannot make '%s'", to);
	}
	if (r < 0) {
		(void)trees_remove(to_dir, beside, ERR_IGNORED);
		return r;
	}
	r = trees_remove(from_dir, x.name, e);
	return r < 0 ? err_wrap(e, "'%s' is there, but '%s' is still there, too", to,
				from)
		     : 0;
}
