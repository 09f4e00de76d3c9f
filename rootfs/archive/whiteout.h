/* whiteout - what a layer takes away of the layers below it. They act on lower
 * layers only, wherever they stand in the archive, so what this layer made is
 * remembered.
 * Needs:  the directory that all layers are applied to.
 * Owns:   the set of what this layer made: 8 to 32 bytes for each thing.
 * Never:  removes what this layer made; follows a link. */
#ifndef ROOTFS_ARCHIVE_WHITEOUT_H
#define ROOTFS_ARCHIVE_WHITEOUT_H

#include <stdint.h>
#include <sys/stat.h>

#include "base/err.h"

struct whiteout {
	uint64_t *set; /* owned: hashes of (directory, name); 0 = empty place */
	size_t n, size;
	uint64_t key; /* an archive must not be able to choose collisions */
};

int whiteout_init(struct whiteout *l, struct err *e);
void whiteout_done(struct whiteout *l);

/** whiteout_made() - remember that this layer made @name in the directory @dir */
int whiteout_made(struct whiteout *l, const struct stat *dir, const char *name,
		  struct err *e);

/** whiteout_remove() - remove @name of the directory @parent, but for what this layer made
 *  of it or below it; 0 also when there is nothing */
int whiteout_remove(const struct whiteout *l, int parent, const char *name,
		    struct err *e);

/** whiteout_empty() - the same for all that is in @dir */
int whiteout_empty(const struct whiteout *l, int dir, struct err *e);

#endif
