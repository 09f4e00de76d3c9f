/* idmap_mount - the user namespace by which a mount shows its files with other ids.
 * Needs:  the right to write the map (root's).
 * Owns:   a process while the namespace is made.
 * Never:  waits for the end of that process where there is something else to do. */
#ifndef RUNTIME_IDMAP_MOUNT_H
#define RUNTIME_IDMAP_MOUNT_H

#include "base/sys/sys.h"
#include "runtime/idmap/idmap.h"

/* The process that a namespace was made with. It is killed at once, and runs on this stack
 * until it has been waited for. */
struct idmap_mount_holder {
	pid_t pid; /* to begin with 0: there is none */
	_Alignas(16) char stack[SYS_HOLD_STACK];
};

/** idmap_mount_namespace() - a descriptor of a user namespace with this map: inside is the
 *  id on disk, outside the one that is shown. @h: for idmap_mount_done(), in any case */
int idmap_mount_namespace(const struct idmap *m, struct idmap_mount_holder *h,
			  struct err *e);

/** idmap_mount_done() - wait until it has ended, if it was there */
void idmap_mount_done(struct idmap_mount_holder *h);
#define _cleanup_holder_ __attribute__((cleanup(idmap_mount_done)))

/** idmap_mount_apply() - show a detached tree, with all below it, by the namespace; private,
 *  so that what is mounted in it later is not mounted on the host as well */
int idmap_mount_apply(int tree, int userns, struct err *e);

#endif
