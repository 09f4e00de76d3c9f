/* tree_copy - copy a whole directory tree by descriptors, for hosts without overlay and
 * for images that are directories.
 * Needs:  that nobody else changes the copy meanwhile.
 * Owns:   nothing.
 * Never:  follows a link; crosses a mount of the source; opens a device or fifo. */
#ifndef ROOTFS_STORE_TREE_COPY_H
#define ROOTFS_STORE_TREE_COPY_H

#include <stdint.h>

#include "base/err.h"

/* An xattr, of this machine's bytes; no other copy has it. */
#define TREE_NOTED "user.cubby.noted"

struct tree_copied {
	uint64_t entries;
	uint64_t bytes;	  /* of regular files, shared ones included */
	uint64_t skipped; /* devices and sockets; not whiteouts of a layer */
};

/**
 * tree_copy() - copy what is in the directory @from into the new directory @name
 * @from:   borrowed, opened for reading
 * @parent: borrowed
 *
 * Contents are shared where the filesystem can do that (reflinks). Links, modes, times,
 * hard links, user xattrs and capabilities are kept; owners where the ids are mapped.
 * Return: 0; -EEXIST; -ELOOP: it is too deep, for each level is farther from the top of a
 * mount, to which the kernel goes at each ".."; a negative errno: what was copied so far is
 * then still there.
 */
int tree_copy(int from, int parent, const char *name, struct tree_copied *ret,
	      struct err *e);

/** tree_copy_live() - the same of a directory that others may be changing: a name that vanishes
 *  before it is copied is left out, as if it had never been there */
int tree_copy_live(int from, int parent, const char *name, struct tree_copied *ret,
		   struct err *e);

/** tree_copy_layer() - tree_copy() of a layer of an overlay, with its whiteouts and opaque
 *  directories, which are in effect where the copy is a layer again; @from and @parent are
 *  of the same mount */
int tree_copy_layer(int from, int parent, const char *name, struct tree_copied *ret,
		    struct err *e);

/* What may still be copied: names, and bytes that are written. */
struct tree_room {
	uint64_t entries, bytes;
	int earlier; /* borrowed: what an earlier call made of the same directory; -1 = none */
};

/**
 * tree_copy_within() - the same of one that a box goes on changing, which may bring more as
 * fast as it is copied; @room is less afterwards. What vanishes is left out.
 *
 * A file that has not changed since the earlier copy (its inode, size and times tell, which
 * each copy notes in TREE_NOTED) is a further name of the file there: nobody may write to
 * either copy.
 * Return: also -EDQUOT: there was more.
 */
int tree_copy_within(int from, int parent, const char *name, struct tree_room *room,
		     struct tree_copied *ret, struct err *e);

#endif
