/* emptyroot - the one way into an empty root: for processes of ours that take in hostile
 * bytes and need nothing of the host's tree (runtime/worker/worker.c, the gate).
 * Needs:  a mount namespace of its own with the rights over it, single-threaded; what it
 *         still needs of the tree is open, and so is every library loaded.
 * Owns:   nothing.
 * Never:  leaves the host's tree below, above or behind the new root: a failure ends the
 *         work that was to be confined, or is said (gate/main.c). */
#ifndef RUNTIME_CONFINE_EMPTYROOT_H
#define RUNTIME_CONFINE_EMPTYROOT_H

#include "base/err.h"

/**
 * emptyroot_enter() - root and working directory become an empty read-only directory, and
 *                     the host's tree goes from this mount namespace
 *
 * A pivot alone is not enough: it leaves the old tree mounted over the new one, where
 * "/.." still finds it. Descriptors of files that were opened before stay good.
 */
int emptyroot_enter(struct err *e);

#endif
