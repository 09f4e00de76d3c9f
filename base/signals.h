/* signals - signals that are read from a descriptor and not delivered.
 * Needs:  nothing.
 * Owns:   nothing: the descriptor is the caller's.
 * Never:  unblocks what it blocked, but for signals_release(). */
#ifndef BASE_SIGNALS_H
#define BASE_SIGNALS_H

#include <signal.h>

#include "base/err.h"
#include "base/scope.h"

/** signals_watch() - block @signals, of which 0 is the last, and read them from now on
 *  @old: the mask of before, to be put back; may be NULL
 *  Return: a descriptor that does not block, or a negative errno. */
int signals_watch(const int *signals, sigset_t *old);

/* What ends a command (INT, TERM, HUP), held until it has tidied up. */
struct signals_held {
	int fd; /* owned; readable = one has come, and waits; -1 = none is held */
	sigset_t old;
};
#define SIGNALS_HELD_NONE ((struct signals_held){ .fd = -1 })

/** signals_hold() - one that is ignored (nohup) stays so */
int signals_hold(struct signals_held *ret, struct err *e);
/** signals_hold_stops() - ^Z, too: for what others wait for */
int signals_hold_stops(struct signals_held *ret, struct err *e);
/** signals_release() - one that has come ends the process now */
void signals_release(struct signals_held *s);
#define _cleanup_signals_ _cleanup_(signals_release)

#endif
