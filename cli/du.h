/* du - how much a directory tree takes on disk.
 * Needs:  the tree's directory as a descriptor.
 * Owns:   nothing.
 * Never:  follows a link; fails because a part of the tree cannot be read. */
#ifndef CLI_DU_H
#define CLI_DU_H

#include <stdbool.h>
#include <stdint.h>

/**
 * du_tree() - bytes of all blocks below @parent/@name
 * @whole: false when some of it could not be looked at; may be NULL
 *
 * A file with several links is counted for each: nothing is remembered.
 */
uint64_t du_tree(int parent, const char *name, bool *whole);

#endif
