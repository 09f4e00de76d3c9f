/* sys_mount - doors for mounts and namespaces. Included by base/sys/sys.h alone. */
#ifndef BASE_SYS_MOUNT_H
#define BASE_SYS_MOUNT_H

#include <fcntl.h>
#include <linux/mount.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/sys/ret.h"

/* <sys/mount.h> and <linux/mount.h> cannot be included together before glibc 2.37, so
 * the few declarations that are needed from the former are made here. */
#ifndef MNT_DETACH
#define MNT_DETACH 2
#endif
int mount(const char *src, const char *dst, const char *type, unsigned long flags,
	  const void *data);
int umount2(const char *path, int flags);

static inline int sys_mount(const char *src, const char *dst, const char *type,
			    unsigned long flags, const char *data)
{
	return (int)sys_ret(mount(src, dst, type, flags, data));
}

static inline int sys_umount2(const char *path, int flags)
{
	return (int)sys_ret(umount2(path, flags));
}

static inline int sys_pivot_root(const char *to, const char *old)
{
	return (int)sys_ret(syscall(SYS_pivot_root, to, old));
}

static inline int sys_open_tree(int dirfd, const char *path, unsigned flags)
{
	return (int)sys_ret(
		syscall(SYS_open_tree, dirfd, path, flags | OPEN_TREE_CLOEXEC));
}

static inline int sys_move_mount(int from, const char *a, int to, const char *b,
				 unsigned flags)
{
	return (int)sys_ret(syscall(SYS_move_mount, from, a, to, b, flags));
}

static inline int sys_mount_setattr(int dirfd, const char *path, unsigned flags,
				    struct mount_attr *attr)
{
	return (int)sys_ret(
		syscall(SYS_mount_setattr, dirfd, path, flags, attr, sizeof(*attr)));
}

static inline int sys_fsconfig(int fd, unsigned cmd, const char *key, const void *value,
			       int aux)
{
	return (int)sys_ret(syscall(SYS_fsconfig, fd, cmd, key, value, aux));
}

static inline int sys_fspick(int fd)
{
	return (int)sys_ret(
		syscall(SYS_fspick, fd, "", FSPICK_CLOEXEC | FSPICK_EMPTY_PATH));
}

static inline int sys_unshare(int flags)
{
	return (int)sys_ret(unshare(flags));
}

static inline int sys_setns(int fd, int type)
{
	return (int)sys_ret(setns(fd, type));
}

static inline int sys_sethostname(const char *name, size_t n)
{
	return (int)sys_ret(sethostname(name, n));
}

#endif
