/* merge - several layers of an overlay become two that show the same above any image.
 * Needs:  layers that nobody writes to, on the filesystem of the new one.
 * Owns:   nothing.
 * Never:  copies what is in a file, which gets another name; changes the layers; takes away
 *         what hides something of the image. */
#ifndef ROOTFS_STORE_MERGE_H
#define ROOTFS_STORE_MERGE_H

#include "rootfs/store/chain.h"

/**
 * merge_layers() - fill two empty directories: two layers that are to be one over the other
 * @from:  their directories, the top one first; borrowed
 * @n:     at most CHAIN_MOST
 * @to:    gets what they have
 * @below: gets directories alone
 *
 * Return: 0; -ENAMETOOLONG (a path of more than PATH_MAX), -EMLINK, or another errno: what
 *         is in them is of no use then.
 */
int merge_layers(const int *from, size_t n, int to, int below, struct err *e);

#endif
