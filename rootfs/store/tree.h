/* tree - walk a directory tree by descriptors, and remove the whole of it.
 * Needs:  that nobody else changes the tree meanwhile. If somebody does, the result is
 *         incomplete, but stays inside the tree.
 * Owns:   nothing; memory and descriptors do not grow with the number of entries, and
 *         descriptors not with the depth.
 * Never:  follows a link; crosses a mount. */
#ifndef ROOTFS_STORE_TREE_H
#define ROOTFS_STORE_TREE_H

#include <sys/types.h>

#include "base/err.h"

/**
 * tree_remove() - remove @name in @parent with all that is below it
 * @parent: descriptor of the directory that holds it, opened for reading; borrowed
 * @name:   no '/'; any kind of file
 *
 * Directories that lack rights (mode 0000) are given them first.
 * Return: 0, also when there is nothing of that name; -EXDEV (a mount lies below);
 *         -EACCES or -EPERM (owned by another id: the helper with the box's map can).
 */
int tree_remove(int parent, const char *name, struct err *e);

/** tree_open() - the directory @name in @dirfd, to be read; -EXDEV: a mount lies there */
int tree_open(int dirfd, const char *name);
/** tree_up() - @fd becomes its parent, which must be that one; -ESTALE: somebody moved it */
int tree_up(int *fd, dev_t dev, ino_t ino);

#endif
