/* layer - whiteouts: what a layer takes away of the layers below it. They act on lower
 * layers only, wherever they stand in the archive, so what this layer made is
 * remembered.
 * Needs:  the directory that all layers are applied to.
 * Owns:   the set of what this layer made: 8 to 32 bytes for each thing.
 * Never:  removes what this layer made; follows a link. */
#ifndef ROOTFS_LAYER_H
#define ROOTFS_LAYER_H

#include <stdint.h>
#include <sys/stat.h>

#include "base/err.h"
#include "base/scope.h"

struct layer {
	uint64_t *set; /* owned: hashes of (directory, name); 0 = empty place */
	size_t n, size;
	uint64_t key; /* an archive must not be able to choose collisions */
};

int layer_init(struct layer *l, struct err *e);
void layer_done(struct layer *l);
#define _cleanup_layer_ _cleanup_(layer_done)

/** layer_made() - remember that this layer made @name in the directory @dir */
int layer_made(struct layer *l, const struct stat *dir, const char *name,
	       struct err *e);

/** layer_remove() - remove @name of the directory @parent, but for what this layer made
 *  of it or below it; 0 also when there is nothing */
int layer_remove(const struct layer *l, int parent, const char *name, struct err *e);

/** layer_empty() - the same for all that is in @dir */
int layer_empty(const struct layer *l, int dir, struct err *e);

#endif
