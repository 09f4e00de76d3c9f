/* treemark - has anything in a tree changed between two looks?
 * Needs:  the tree's directory.
 * Owns:   nothing.
 * Never:  reads a file, follows a link, looks at more than a fixed number of names. */
#ifndef ROOTFS_STORE_TREEMARK_H
#define ROOTFS_STORE_TREEMARK_H

#include <stdint.h>

#include "base/err.h"

enum { TREEMARK_NAMES = 100000, TREEMARK_DEPTH = 64 };

/**
 * treemark_of() - a number that is another one when a file of the tree was made, changed
 * or removed, whatever the clock says
 *
 * Return: 0; -E2BIG: too many names, or too deep; what a directory could not be read for.
 */
int treemark_of(int dirfd, uint64_t *ret, struct err *e);

#endif
