/* mount_volumes - what a box sees beside its project: directories and files of the host,
 * parts of the project in another place, directories of the store.
 * Needs:  a spec; to place them, a root whose project is mounted.
 * Owns:   in the store volumes/NAME, for box root.
 * Never:  follows a link of the host's path, which was resolved when it was judged; mounts
 *         over anything but the box's own root, or shows set-id bits and devices. */
#ifndef RUNTIME_MOUNT_VOLUMES_H
#define RUNTIME_MOUNT_VOLUMES_H

#include "base/scope.h"
#include "runtime/spec/spec.h"
#include "runtime/spec/volume.h"

/* In the order of the spec; -1 = of the project, opened when it is mounted. */
struct mount_volumes {
	int tree[SPEC_VOLUMES]; /* owned; detached */
};
#define MOUNT_VOLUMES_NONE \
	((struct mount_volumes){ { -1, -1, -1, -1, -1, -1, -1, -1 } })
void mount_volumes_close(struct mount_volumes *v);
#define _cleanup_mount_volumes_ _cleanup_(mount_volumes_close)

/** mount_volumes_make() - the directories of the store that are not there yet
 *  Context: monitor. */
int mount_volumes_make(const struct spec *spec, struct err *e);

/** mount_volumes_open() - as the caller, who must be able to reach them
 *  Return: -ENOENT, -ELOOP (replaced by a link), -EINVAL (no file nor directory), … */
int mount_volumes_open(const struct spec *spec, struct mount_volumes *ret,
		       struct err *e);

/** mount_volumes_place() - mount them in @root
 *  @project: its mount there, below its view; borrowed */
int mount_volumes_place(int root, int project, const struct spec *spec,
			const struct mount_volumes *v, struct err *e);

#endif
