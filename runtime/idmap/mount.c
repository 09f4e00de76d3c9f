#include "runtime/idmap/mount.h"

#include <stdio.h>

#include "base/sys/sys.h"

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
	_Alignas(16) char stack[SYS_HOLD_STACK];
	pid_t holder = sys_clone_hold(CLONE_NEWUSER, stack);
	siginfo_t si;
	int r;

	if (holder < 0)
		return err_sys(e, holder, "cannot make a user namespace");
	r = open_namespace(m, holder, e);
	sys_kill(holder, SIGKILL);
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
