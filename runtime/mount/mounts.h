/* mounts - mounting onto places in a root that somebody else filled.
 * Needs:  CAP_SYS_ADMIN in the mount namespace's user namespace; the host's /proc, for
 *         the older calls.
 * Owns:   nothing.
 * Never:  follows a path out of the root: targets are descriptors, resolved inside. */
#ifndef RUNTIME_MOUNT_MOUNTS_H
#define RUNTIME_MOUNT_MOUNTS_H

#include <stdint.h>

#include "base/err.h"

enum mounts_kind {
	MOUNTS_DIR,  /* missing: made, with its parents; a link is resolved in the root
		      */
	MOUNTS_FILE, /* the same, as an empty file */
	MOUNTS_OWN   /* a directory that must be the root's own: a last link or file is
			replaced by a directory in the upper layer */
};

/** mounts_target() - an O_PATH descriptor of the place to mount on */
int mounts_target(int root, const char *path, enum mounts_kind kind, struct err *e);

struct mounts_fs {
	const char *type;    /* also shown as the source */
	unsigned long flags; /* MS_… */
	const char *data;    /* options; NULL = none */
};
/** mounts_fresh() - a new filesystem on @target; returns 0 or the kernel's errno, with
 *  @e filled */
int mounts_fresh(int target, const struct mounts_fs *fs, struct err *e);

/**
 * mounts_tree() - a detached copy of the mount at a path, to be placed by
 * mounts_place()
 * @recursive: with what is mounted below it
 * @attrs:     MOUNT_ATTR_… to set on all of it; clearing is never needed
 */
int mounts_tree(int dirfd, const char *path, bool recursive, uint64_t attrs,
		struct err *e);

/**
 * mounts_project() - the same for the project directory, with what is mounted below it
 * @path: as spec_locate() resolved it. A link in it now, which a box on a directory above
 *        may have put there meanwhile, is -ELOOP: it may lead to anything of the caller's.
 */
int mounts_project(const char *path, bool read_only, struct err *e);

/** mounts_place() - attach a detached tree at @target */
int mounts_place(int tree, int target, struct err *e);

/** mounts_bind() - mounts_tree() of @source and mounts_place() on @target: both O_PATH
 */
int mounts_bind(int source, int target, uint64_t attrs, struct err *e);

#endif
