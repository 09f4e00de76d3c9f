#include "runtime/idmap/mount.h"

#include "base/procfs.h"
#include "base/sys/sys.h"

static int open_namespace(const struct idmap *m, pid_t holder, struct err *e)
{
	int fd = idmap_write(m, holder, e);

	if (fd < 0)
		return fd;
	fd = sys_open(procfs_path("/proc/%d/ns/user", holder), O_RDONLY);
	return fd < 0 ? err_sys(e, fd, "cannot open a user namespace") : fd;
}

void idmap_mount_done(struct idmap_mount_holder *h)
{
	siginfo_t si;

	if (h->pid > 0)
		sys_waitid(P_PID, (id_t)h->pid, &si, WEXITED);
	h->pid = 0;
}

int idmap_mount_namespace(const struct idmap *m, struct idmap_mount_holder *h,
			  struct err *e)
{
	int r;

	h->pid = sys_clone_hold(CLONE_NEWUSER, h->stack);
	if (h->pid < 0)
		return err_sys(e, h->pid, "cannot make a user namespace");
	r = open_namespace(m, h->pid, e);
	sys_kill(h->pid, SIGKILL);
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
