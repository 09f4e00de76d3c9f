/* lookback - what a box made for git on this machine, and its monitor, which was killed, has not
 * looked at.
 * Needs:  the lock of the box.
 * Owns:   nothing.
 * Never:  fails: what could not be done is said. */
#ifndef RUNTIME_BOX_LOOKBACK_H
#define RUNTIME_BOX_LOOKBACK_H

#include "runtime/spec/spec.h"

/** lookback() - as the next start would, for there is none: the box is to be removed, or to be
 *  another directory's. May take as long as that. */
void lookback(const struct spec *s, int boxdir, note_fn *note, void *ctx);

#endif
