#include "runtime/wire/rundir.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/sys/sys.h"
#include "runtime/wire/peer.h"

enum { RUNDIR_BACKLOG = 128, RUNDIR_WAIT_S = 20 /* as for an answer */ };

static const char own_remedy[] = "set XDG_RUNTIME_DIR to a directory of your own";

/* Only a directory of ours that nobody else can enter is used: in /tmp anybody may have
 * made the name first. */
static int check_own(int fd, const char *path, struct err *e)
{
	struct stat st;
	int r = sys_fstat(fd, &st);

	if (r < 0)
		return err_sys(e, r, "cannot stat '%s'", path);
	if (st.st_uid != sys_geteuid() || (st.st_mode & 077))
		return err_set(
			e, -EPERM,
			"'%s' belongs to somebody else or others may enter it; %s",
			path, own_remedy);
	return 0;
}

static int open_own(int dirfd, const char *path, struct err *e)
{
	_cleanup_close_ int fd = -1;
	int r;

	fd = sys_openat(dirfd, path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW, 0);
	if (fd < 0)
		err_sys(e, fd, "cannot open runtime directory '%s'", path);
	if (fd == -ENOTDIR) /* somebody else's file or link, in /tmp */
		err_hint(e, "%s", own_remedy);
	if (fd < 0)
		return fd;
	r = check_own(fd, path, e);
	return r < 0 ? r : take(&fd, -1);
}

static int open_or_make(int dirfd, const char *path, struct err *e)
{
	int r = open_own(dirfd, path, e);

	if (r != -ENOENT)
		return r;
	*e = ERR_NONE;
	r = sys_mkdirat(dirfd, path, 0700);
	if (r < 0 && r != -EEXIST)
		return err_sys(e, r, "cannot make runtime directory '%s'", path);
	return open_own(dirfd, path, e);
}

/* In XDG_RUNTIME_DIR, or where there is none. */
static const char *elsewhere(char *ret, size_t size)
{
	int n = snprintf(ret, size, "/tmp/cubby-%u", (unsigned)sys_geteuid());

	return n >= 0 && (size_t)n < size ? ret : NULL;
}

const char *rundir_path(char *ret, size_t size)
{
	const char *xdg = secure_getenv("XDG_RUNTIME_DIR");
	struct stat st;
	int n;

	if (!xdg || *xdg != '/' || sys_fstatat(AT_FDCWD, xdg, &st, 0) < 0)
		return elsewhere(ret, size);
	n = snprintf(ret, size, "%s/cubby", xdg);
	return n >= 0 && (size_t)n < size ? ret : NULL;
}

static int open_base(struct err *e)
{
	const char *xdg = secure_getenv("XDG_RUNTIME_DIR");
	_cleanup_close_ int fd = -1;
	const char *own;
	char path[64];

	if (xdg && *xdg == '/') {
		fd = sys_open(xdg, O_RDONLY | O_DIRECTORY);
		if (fd >= 0)
			return open_or_make(fd, "cubby", e);
	}
	own = elsewhere(path, sizeof(path));
	return own ? open_or_make(AT_FDCWD, own, e)
		   : err_sys(e, -ENAMETOOLONG, "cannot name a runtime directory");
}

int rundir_open(const char *key, struct err *e)
{
	_cleanup_close_ int base = open_base(e);

	return base < 0 ? base : open_or_make(base, key, e);
}

int rundir_find(const char *key, struct err *e)
{
	_cleanup_close_ int base = open_base(e);

	return base < 0 ? base : open_own(base, key, e);
}

int rundir_at(const char *path, struct err *e)
{
	return open_own(AT_FDCWD, path, e);
}

/* A socket's path has 108 bytes; through /proc/self/fd its directory may be anywhere.
 */
static struct sockaddr_un address(int dirfd)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };

	snprintf(a.sun_path, sizeof(a.sun_path), "/proc/self/fd/%d/ctl", dirfd);
	return a;
}

/* A monitor that is held up lets in as many as wait already, and the kernel lets the next
 * one wait for ever. */
static int connect_within(int fd, const struct sockaddr_un *a, long seconds)
{
	struct timeval wait = { .tv_sec = seconds }, for_ever = { 0 };
	int r = sys_setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &wait, sizeof(wait));

	if (r == 0)
		r = sys_connect(fd, (const struct sockaddr *)a, sizeof(*a));
	if (r == 0)
		r = sys_setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &for_ever,
				   sizeof(for_ever));
	return r == -EAGAIN ? -ETIMEDOUT : r;
}

int rundir_connect(int dirfd, struct err *e)
{
	struct sockaddr_un a = address(dirfd);
	_cleanup_close_ int fd = sys_socket(AF_UNIX, SOCK_SEQPACKET, 0);
	int r;

	if (fd < 0)
		return err_sys(e, fd, "cannot make a socket");
	r = connect_within(fd, &a, RUNDIR_WAIT_S);
	if (r == -ETIMEDOUT) {
		err_set(e, r, "no answer from the box's monitor");
		return err_hint(e, "'cubby stop' ends it");
	}
	if (r < 0)
		return err_sys(e, r, "cannot connect to the box's monitor");
	r = peer_check(fd, e);
	if (r == -ESRCH || r == -EINVAL) /* it was just ending */
		return e->code = -ECONNREFUSED;
	if (r < 0)
		return r;
	return take(&fd, -1);
}

int rundir_bind(int dirfd, struct err *e)
{
	struct sockaddr_un a = address(dirfd);
	_cleanup_close_ int fd = sys_socket(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK, 0);
	int r;

	if (fd < 0)
		return err_sys(e, fd, "cannot make a socket");
	r = sys_unlinkat(dirfd, "ctl", 0);
	if (r < 0 && r != -ENOENT)
		return err_sys(e, r, "cannot remove an old control socket");
	r = sys_bind(fd, (struct sockaddr *)&a, sizeof(a));
	if (r < 0)
		return err_sys(e, r, "cannot make the control socket");
	r = sys_fchmodat(dirfd, "ctl", 0600, 0);
	if (r < 0)
		return err_sys(e, r, "cannot make the control socket");
	return take(&fd, -1);
}

int rundir_listen(int fd, struct err *e)
{
	int r = sys_listen(fd, RUNDIR_BACKLOG);

	return r < 0 ? err_sys(e, r, "cannot listen on the control socket") : 0;
}

void rundir_remove(const char *key)
{
	_cleanup_close_ int base = open_base(ERR_IGNORED);
	_cleanup_close_ int dir = -1;

	if (base < 0)
		return;
	dir = sys_openat(base, key, O_RDONLY | O_DIRECTORY | O_NOFOLLOW, 0);
	if (dir < 0)
		return;
	sys_unlinkat(dir, "ctl", 0);
	sys_unlinkat(dir, "start", 0);
	sys_unlinkat(base, key, AT_REMOVEDIR);
}
