/* idmap_mount - the user namespace by which a mount shows its files with other ids.
 * Needs:  the right to write the map (root's).
 * Owns:   a process while the namespace is made.
 * Never:  leaves that process behind. */
#ifndef RUNTIME_IDMAP_MOUNT_H
#define RUNTIME_IDMAP_MOUNT_H

#include "runtime/idmap/idmap.h"

/** idmap_mount_namespace() - a descriptor of a user namespace with this map: inside is the
 *  id on disk, outside the one that is shown */
int idmap_mount_namespace(const struct idmap *m, struct err *e);

/** idmap_mount_apply() - show a detached tree, with all below it, by the namespace; private,
 *  so that what is mounted in it later is not mounted on the host as well */
int idmap_mount_apply(int tree, int userns, struct err *e);

#endif
