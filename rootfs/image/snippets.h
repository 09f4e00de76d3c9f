/* snippets - the few files that make package managers work inside a box, written into a
 * fresh image.
 * Needs:  the root of an image that nobody else changes.
 * Owns:   nothing.
 * Never:  follows a link out of the root, or writes through one: what stands in the
 *         place of a file is replaced. */
#ifndef ROOTFS_IMAGE_SNIPPETS_H
#define ROOTFS_IMAGE_SNIPPETS_H

#include "base/err.h"

/** snippets_wanted() - those whose program is in @root, a bit for each */
unsigned snippets_wanted(int root);

/** snippets_write() - write those of @which */
int snippets_write(int root, unsigned which, struct err *e);

#endif
