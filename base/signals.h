/* signals - signals that are read from a descriptor and not delivered.
 * Needs:  nothing.
 * Owns:   nothing: the descriptor is the caller's.
 * Never:  unblocks what it blocked. */
#ifndef BASE_SIGNALS_H
#define BASE_SIGNALS_H

#include <signal.h>

/** signals_watch() - block @signals, of which 0 is the last, and read them from now on
 *  @old: the mask of before, to be put back; may be NULL
 *  Return: a descriptor that does not block, or a negative errno. */
int signals_watch(const int *signals, sigset_t *old);

#endif
