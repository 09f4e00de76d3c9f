/* unlinked - files of a box that have no name any more and are kept open: no walk through its
 * layers finds them.
 * Needs:  the box's /proc; the rights over its processes that the maker of their user
 *         namespace has.
 * Owns:   nothing.
 * Never:  asks a filesystem to look at its server; takes longer than UNLINKED_DESCRIPTORS do. */
#ifndef RUNTIME_MONITOR_UNLINKED_H
#define RUNTIME_MONITOR_UNLINKED_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

enum { UNLINKED_DESCRIPTORS = 256 << 10 };

/**
 * unlinked_bytes() - what they take, each counted once
 * @proc:    of the box; borrowed
 * @overlay: those of all overlays count, not only those of the box's root: a project under
 *           review is one
 *
 * What is mapped and not open, or on its way through a socket, cannot be seen.
 * Return: 0; -E2BIG: more descriptors than are looked at; -ENOMEM.
 */
int unlinked_bytes(int proc, bool overlay, uint64_t *ret, struct err *e);

#endif
