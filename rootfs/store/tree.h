/* tree - remove a whole directory tree by descriptors.
 * Needs:  that nobody else changes the tree meanwhile. If somebody does, the result is
 *         incomplete, but stays inside the tree.
 * Owns:   nothing; memory and descriptors do not grow with the number of entries, and
 *         descriptors not with the depth.
 * Never:  follows a link; crosses a mount. */
#ifndef ROOTFS_STORE_TREE_H
#define ROOTFS_STORE_TREE_H

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

#endif
