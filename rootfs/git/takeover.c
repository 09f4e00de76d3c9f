#include "rootfs/git/takeover.h"

#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/scope.h"
#include "base/sys/sys.h"
#include "base/text.h"

enum { LOCK_TRIES = 20, LOCK_MS = 50 };
enum { BENEATH = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS };

static int fail(struct err *e, int code, const char *path)
{
	return err_sys(e, code, "cannot take over '%s'", text_shown(path));
}

int takeover_open(int root, const char *path, int flags)
{
	return sys_openat2(root, path, (uint64_t)(flags | O_NOFOLLOW), 0, BENEATH);
}

int takeover_read(int root, const char *path, struct buf *ret)
{
	_cleanup_close_ int fd =
		takeover_open(root, path, O_RDONLY | O_NONBLOCK | O_NOCTTY);
	struct stat st;
	int r;

	if (fd < 0)
		return fd;
	r = sys_fstat(fd, &st);
	if (r < 0)
		return r;
	return S_ISREG(st.st_mode)
		       ? file_read_sized(fd, (uint64_t)st.st_size, ret, ERR_IGNORED)
		       : -EINVAL;
}

int takeover_parent(int root, const char *path, bool make, const char **name)
{
	_cleanup_close_ int at = sys_openat(root, ".", O_PATH | O_DIRECTORY, 0);
	char part[PATH_MAX];
	const char *slash;

	while (at >= 0 && (slash = strchr(path, '/'))) {
		size_t n = (size_t)(slash - path);
		int next;

		if (n >= sizeof(part))
			return -ENAMETOOLONG;
		memcpy(part, path, n);
		part[n] = '\0';
		next = takeover_open(at, part, O_PATH | O_DIRECTORY);
		if (next == -ENOENT && make) {
			int r = sys_mkdirat(at, part, 0777); /* and the umask */

			if (r < 0 && r != -EEXIST)
				return r;
			next = takeover_open(at, part, O_PATH | O_DIRECTORY);
		}
		scope_close(&at);
		at = next;
		path = slash + 1;
	}
	*name = path;
	return take(&at, -1);
}

struct names {
	const char *name;
	char lock[NAME_MAX + 8], ours[NAME_MAX + 8];
};

/* What a kill left: a lock that is the same file as our temporary one. */
static void clean(int dir, const struct names *n)
{
	struct stat a, b;

	if (sys_fstatat(dir, n->ours, &a, AT_SYMLINK_NOFOLLOW) < 0)
		return;
	if (sys_fstatat(dir, n->lock, &b, AT_SYMLINK_NOFOLLOW) == 0 &&
	    a.st_ino == b.st_ino && a.st_dev == b.st_dev)
		sys_unlinkat(dir, n->lock, 0);
	sys_unlinkat(dir, n->ours, 0);
}

static int write_ours(int dir, const struct names *n, const struct takeover_file *f,
		      struct err *e)
{
	_cleanup_close_ int fd = sys_openat(
		dir, n->ours, O_CREAT | O_EXCL | O_WRONLY | O_NOFOLLOW, f->mode & 0777);
	struct stat st;
	int r;

	if (fd < 0)
		return fail(e, fd, f->path);
	r = file_write_fd(fd, f->data, f->len, e);
	if (r >= 0 && sys_fstatat(dir, n->name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
	    S_ISREG(st.st_mode))
		sys_fchmod(fd, st.st_mode & 0777);
	if (r >= 0)
		r = sys_fdatasync(fd) < 0 ? fail(e, -EIO, f->path) : 0;
	return r;
}

/* Somebody's git holds it for a moment. */
static int lock(int dir, const struct names *n, const struct takeover_file *f,
		struct err *e)
{
	int r = -EEXIST;

	for (int i = 0; i < LOCK_TRIES && r == -EEXIST; i++) {
		if (i)
			sys_poll(NULL, 0, LOCK_MS);
		r = sys_linkat(dir, n->ours, dir, n->lock, 0);
	}
	return r < 0 ? fail(e, r, f->path) : 0;
}

static int names_of(struct names *n)
{
	if (strlen(n->name) >= NAME_MAX - 8)
		return -ENAMETOOLONG;
	snprintf(n->lock, sizeof(n->lock), "%s.lock", n->name);
	snprintf(n->ours, sizeof(n->ours), "%s.cubby", n->name);
	return 0;
}

void takeover_clean(int root, const char *path)
{
	struct names n;
	_cleanup_close_ int dir = takeover_parent(root, path, false, &n.name);

	if (dir >= 0 && names_of(&n) == 0)
		clean(dir, &n);
}

int takeover_put(int root, const struct takeover_file *f, struct err *e)
{
	struct names n;
	_cleanup_close_ int dir = takeover_parent(root, f->path, true, &n.name);
	struct stat st;
	int r;

	if (dir < 0)
		return fail(e, dir, f->path);
	r = names_of(&n);
	if (r < 0)
		return fail(e, r, f->path);
	clean(dir, &n);
	if (sys_fstatat(dir, n.name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
	    !S_ISREG(st.st_mode))
		return fail(e, -EISDIR, f->path);
	r = write_ours(dir, &n, f, e);
	if (r >= 0)
		r = lock(dir, &n, f, e);
	if (r >= 0) {
		r = f->as_before ? f->as_before(f->ctx, root, e) : 0;
		if (r >= 0 && (r = sys_renameat(dir, n.lock, dir, n.name)) < 0)
			fail(e, r, f->path);
		if (r < 0)
			sys_unlinkat(dir, n.lock, 0);
	}
	sys_unlinkat(dir, n.ours, 0);
	return MIN(r, 0);
}

int takeover_remove(int root, const char *path, struct err *e)
{
	const char *name;
	_cleanup_close_ int dir = takeover_parent(root, path, false, &name);
	int r = dir < 0 ? dir : sys_unlinkat(dir, name, 0);

	return r < 0 && r != -ENOENT ? fail(e, r, path) : 0;
}
