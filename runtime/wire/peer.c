#include "runtime/wire/peer.h"

#include <string.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/procfs.h"
#include "base/scope.h"
#include "base/sys/sys.h"

#ifndef SO_PEERPIDFD
#define SO_PEERPIDFD 77
#endif

enum { FDINFO_BYTES = 4096 };

/* Before 6.5 the number has to do: one that was used again since the connection was made
 * names another process. Remove with support for 6.4. */
static int open_peer(int fd, const struct ucred *peer)
{
	int pidfd = -1;
	int r = sys_getsockopt(fd, SOL_SOCKET, SO_PEERPIDFD, &pidfd,
			       &(socklen_t){ sizeof(pidfd) });

	return r == -ENOPROTOOPT ? sys_pidfd_open(peer->pid) : r < 0 ? r : pidfd;
}

/* Its number in the /proc that is mounted here; 0 = it has ended. @only: it has no other in
 * a pid namespace inside of that /proc's. */
static pid_t number_of(int pidfd, bool *only)
{
	_cleanup_buf_ struct buf text = BUF_INIT(FDINFO_BYTES);
	const char *all;
	uint64_t pid;

	if (file_read(AT_FDCWD, procfs_path("/proc/self/fdinfo/%d", pidfd), &text,
		      ERR_IGNORED) < 0)
		return 0;
	all = procfs_value(buf_cstr(&text), "NSpid");
	*only = all && all[strspn(all, "0123456789")] == '\n';
	return procfs_number(buf_cstr(&text), "Pid", 10, &pid) ? (pid_t)pid : 0;
}

bool peer_is_there(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLRDHUP };

	return sys_poll(&p, 1, 0) == 0;
}

static int same_namespace(pid_t pid, const char *kind)
{
	struct stat a, b;
	int r = sys_fstatat(AT_FDCWD, procfs_path("/proc/%d/ns/%s", pid, kind), &a, 0);

	if (r >= 0)
		r = sys_fstatat(AT_FDCWD, procfs_path("/proc/self/ns/%s", kind), &b, 0);
	if (r < 0)
		return r;
	return a.st_dev == b.st_dev && a.st_ino == b.st_ino ? 0 : -EPERM;
}

static int look(int fd)
{
	struct ucred peer = { 0 };
	_cleanup_close_ int pidfd = -1;
	bool only = false;
	struct pollfd p;
	pid_t pid;
	int r = sys_getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer,
			       &(socklen_t){ sizeof(peer) });

	if (r < 0)
		return r;
	if (peer.uid != sys_geteuid() || peer.pid <= 0)
		return -EPERM; /* no number: of a pid namespace outside of ours */
	pidfd = open_peer(fd, &peer);
	if (pidfd < 0)
		return pidfd;
	pid = number_of(pidfd, &only);
	if (!pid)
		return -ESRCH;
	r = same_namespace(pid, "user");
	/* One number: it is in the namespace of that /proc, so in none inside of ours. */
	if (r >= 0 && !only)
		r = same_namespace(pid, "pid");
	if (r < 0)
		return r;
	/* If it lives still, its number was no other's in the meantime. */
	p = (struct pollfd){ .fd = pidfd, .events = POLLIN };
	return sys_poll(&p, 1, 0) == 0 ? 0 : -ESRCH;
}

int peer_check(int fd, struct err *e)
{
	int r = look(fd);

	if (r == -EPERM || r == -EACCES)
		return err_set(
			e, -EPERM,
			"the other end of the control socket is not a process of "
			"yours on this host, but one of a box or a container");
	return r < 0 ? err_sys(e, r, "cannot look at the other end of a socket") : 0;
}
