#include "runtime/idmap/mount.h"

#include <stdio.h>

#include "base/scope.h"
#include "base/sys/sys.h"

/* A process in a new user namespace; it waits for the end of @sock. */
static pid_t hold(int sock[2])
{
	pid_t pid = sys_clone(CLONE_NEWUSER, NULL);
	char c;

	if (pid == 0) {
		scope_close(&sock[0]);
		sys_prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
		sys_read(sock[1], &c, 1);
		sys_exit(0);
	}
	return pid;
}

static int open_namespace(const struct idmap *m, pid_t holder, struct err *e)
{
	char path[64];
	int fd = idmap_write(m, holder, e);

	if (fd < 0)
		return fd;
	snprintf(path, sizeof(path), "/proc/%d/ns/user", (int)holder);
	fd = sys_open(path, O_RDONLY);
	return fd < 0 ? err_sys(e, fd, "cannot open a user namespace") : fd;
}

int idmap_mount_namespace(const struct idmap *m, struct err *e)
{
	int sock[2], r = sys_socketpair(SOCK_SEQPACKET, sock);
	siginfo_t si;
	pid_t holder;

	if (r < 0)
		return err_sys(e, r, "cannot make a socket pair");
	holder = hold(sock);
	r = holder < 0 ? err_sys(e, holder, "cannot make a user namespace")
		       : open_namespace(m, holder, e);
	scope_close(&sock[0]);
	scope_close(&sock[1]);
	if (holder > 0)
		sys_waitid(P_PID, (id_t)holder, &si, WEXITED);
	return r;
}

int idmap_mount_apply(int tree, int userns, struct err *e)
{
	struct mount_attr attr = { .attr_set = MOUNT_ATTR_IDMAP,
				   .propagation = MS_PRIVATE,
				   .userns_fd = (uint64_t)userns };
	int r = sys_mount_setattr(tree, "", AT_EMPTY_PATH | AT_RECURSIVE, &attr);

	return r < 0 ? err_sys(e, r, "cannot map the ids of a filesystem") : 0;
}
