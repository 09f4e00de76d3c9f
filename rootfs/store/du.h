/* du - how much a directory tree takes on disk.
 * Needs:  the tree's directory as a descriptor.
 * Owns:   nothing.
 * Never:  follows a link; fails because a part of the tree cannot be read. */
#ifndef ROOTFS_STORE_DU_H
#define ROOTFS_STORE_DU_H

#include <stdbool.h>
#include <stdint.h>

/**
 * du_tree() - bytes of all blocks below @parent/@name
 * @whole: false when some of it could not be looked at; may be NULL
 *
 * Of a file with several links each counts for its part. What goes away meanwhile does not
 * count, and is not missed.
 */
uint64_t du_tree(int parent, const char *name, bool *whole);

#endif
