/* shorten - a chain of many layers becomes one of few, when nobody waits for it.
 * Needs:  a box that does not run.
 * Owns:   "merging" and "merging.lock" in the box's directory.
 * Never:  changes a layer, or the list of a snapshot or of another box: what these have stays
 *         theirs; leaves the box without one of its layers, whenever it is killed. */
#ifndef RUNTIME_WORKER_SHORTEN_H
#define RUNTIME_WORKER_SHORTEN_H

#include "base/err.h"
#include "runtime/spec/spec.h"

enum { SHORTEN_FROM = 8 }; /* layers */

/**
 * shorten_chain() - where the box has at least @from layers, merge them into two
 * @locked: the caller has the box's lock; else it is taken for a moment at the end, and
 *          where the box has been started by then, or has other layers, nothing is changed
 * Return: 1: it has two now; 0: it stays as it is; or why it could not be done.
 */
int shorten_chain(const struct spec *spec, int boxdir, size_t from, bool locked,
		  struct err *e);

#endif
