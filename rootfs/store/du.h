/* du - how much a directory tree takes on disk.
 * Needs:  the tree's directory as a descriptor.
 * Owns:   nothing.
 * Never:  follows a link; fails because a part of the tree cannot be read. */
#ifndef ROOTFS_STORE_DU_H
#define ROOTFS_STORE_DU_H

#include <stdbool.h>
#include <stdint.h>

struct du {
	uint64_t
		bytes; /* of all blocks; of a file with several links each has its part */
	uint64_t names;
	bool partial; /* some of it could not be looked at */
};

/** du_tree() - what @parent/@name and all below it takes; what goes away meanwhile does not
 *  count, and is not missed */
struct du du_tree(int parent, const char *name);

#endif
