/* mount_kernel - what the kernel shows inside a box: /proc, /sys, /dev, /run, /tmp, and
 * what is masked of them.
 * Needs:  a root (an O_PATH descriptor), own pid, net and ipc namespaces; the stage, which
 *         goes with the host's tree, as working directory (root.h).
 * Owns:   nothing.
 * Never:  uses a device node, a proc or a sysfs that the image brought. */
#ifndef RUNTIME_MOUNT_KERNEL_H
#define RUNTIME_MOUNT_KERNEL_H

#include <stdint.h>

#include "base/err.h"

struct mount_kernel_conf {
	bool tty_group;	 /* gid 5 is mapped */
	bool host_root;	 /* a user of the box is the host's root (idmap_has_root()) */
	uint64_t memory; /* bytes that the box may use; 0 = not limited */
	uint64_t pids;	 /* the pid namespace's own limit, where it has one; 0 = none */
};

/** mount_kernel() - mount all of it but /sys, in the order of the tables */
int mount_kernel(int root, const struct mount_kernel_conf *conf, struct err *e);

/** mount_kernel_userns() - opens user.max_user_namespaces, which the masks cover;
 *                          -ENOENT = a kernel without */
int mount_kernel_userns(int root, struct err *e);

/**
 * mount_kernel_sys() - /sys, of the network namespace that the caller is in, and in it the
 *                      box's cgroup
 * @own_net: false = --net host: a read-only bind of the host's
 */
int mount_kernel_sys(int root, bool own_net, struct err *e);

/** mount_kernel_masks() - last, when nothing else is to be mounted
 *  @host_root: as above: what /proc has for all of the host is read-only */
int mount_kernel_masks(int root, bool host_root, struct err *e);

#endif
