/* mount_root - the box's root: the image under the box's upper layer.
 * Needs:  the store; a user namespace whose root owns upper and work.
 * Owns:   its descriptors.
 * Never:  shows a path of the host in the box's mount table: all names are relative to a
 *         stage, a small filesystem of the box's own.
 *
 * The work is done in two parts because the box's root may be somebody who cannot reach
 * the store (the root map: box ids are a private high range, the store is 0700 of the
 * host's root). Before the child takes on its ids it opens what it needs as detached
 * mounts and mounts the stage; afterwards, as box root, it assembles the root there. */
#ifndef RUNTIME_MOUNT_ROOT_H
#define RUNTIME_MOUNT_ROOT_H

#include "base/err.h"
#include "base/scope.h"
#include "runtime/spec/spec.h"

enum {
	MOUNT_ROOT_LOWER = 2048,
	MOUNT_ROOT_DIFFS = 127, /* layers of an image; as docker's */
	MOUNT_ROOT_DIFF = 80	/* bytes of a name below diffs/ */
};

/* The root, from below: the layers of the image, which it may have (rootfs/image/diffs.h),
 * its rootfs/, the layers of the box (chain.h), the box's upper. */
struct mount_root {
	int image; /* owned: detached mount of images/<name>/rootfs */
	int diffs; /* owned: detached mount of diffs/; -1 = the image has none of them */
	int list;  /* owned: images/<name>/layers, their names; -1 = the same */
	int box;   /* owned: detached mount of boxes/<key> */
	int layers; /* owned: detached mount of layers/; -1 = the box has none of them */
	bool discard; /* the box will be removed: its files need not reach the disk */
	bool copy; /* no overlay here: the root is boxes/<key>/copy/rootfs, a copy of the
		      image that is made at the first start */
	char lower
		[MOUNT_ROOT_LOWER]; /* the option: directories of the stage, the top one
					 first */
};
#define MOUNT_ROOT_NONE       \
	((struct mount_root){ \
		.image = -1, .diffs = -1, .list = -1, .box = -1, .layers = -1 })

/** mount_root_layers() - the trees, as they are; mount_root_open() takes them then, and
 *  opens its own where @ret is empty */
int mount_root_layers(const struct spec *spec, struct mount_root *ret, struct err *e);

/** mount_root_open() - first part; the working directory becomes the stage */
int mount_root_open(const struct spec *spec, bool copy, struct mount_root *ret,
		    struct err *e);
void mount_root_close(struct mount_root *m);
#define _cleanup_mount_root_ _cleanup_(mount_root_close)

/**
 * mount_root_assemble() - second part: returns an O_PATH descriptor of the new root
 * Return: also -EMEDIUMTYPE: no overlay can be had here (not in user namespaces, or not
 *         on the store's filesystem); @e says which; the caller may try a copy.
 */
int mount_root_assemble(struct mount_root *m, struct err *e);

/** mount_root_enter() - pivot into @root; the host's tree then lies over it */
int mount_root_enter(int root, struct err *e);
/** mount_root_leave() - afterwards: detach the host's tree. Waits for every processor of
 *  the host, hence done by another process of the same mount namespace (start/netassist.h) */
int mount_root_leave(int root, struct err *e);

/**
 * mount_root_lock() - then, its last work: a copy of the mounts for a user namespace of its
 *                     own, which locks each to the one below it
 *
 * A directory of a box can be open in another one, and a mount of a box that has ended shows
 * what others covered, if they are not locked to it.
 * Return: a descriptor of the copy's mount namespace
 */
int mount_root_lock(struct err *e);
/** mount_root_locked() - the box's process has a copy of @mounts for its own; a lock stays */
int mount_root_locked(int mounts, struct err *e);

#endif
