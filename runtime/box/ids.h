/* box_ids - the id map for a box of one directory: the best that works here, and whose
 * ids the directory's filesystem can be shown with.
 * Needs:  a single-threaded process; it forks a short-lived child.
 * Owns:   nothing.
 * Never:  changes anything in the directory. */
#ifndef RUNTIME_BOX_IDS_H
#define RUNTIME_BOX_IDS_H

#include "runtime/idmap/idmap.h"

/**
 * box_ids_choose() - idmap_choose(), and for the root map a trial on @dir
 * @dir: absolute path of the project
 * @why: gets a line for each better rung that was not taken
 *
 * The root map shows the project through an id-mapped mount, which not every filesystem
 * can do (overlay, as in containers; FUSE; NFS): there the box's ids are the host's own.
 * Return: as idmap_choose().
 */
int box_ids_choose(const char *dir, struct idmap *ret, struct buf *why, struct err *e);

#endif
