/* deaf - a monitor that does not answer.
 * Needs:  the directory of a box, in which only the caller can write.
 * Owns:   nothing.
 * Never:  kills what is not a monitor, or one that is ending. */
#ifndef RUNTIME_BOX_DEAF_H
#define RUNTIME_BOX_DEAF_H

#include "base/err.h"

/** deaf_kill() - the monitor of the box in @boxdir, and with it the box; what lies on the disk
 *  stays. @e: why it is to be killed, which stays where there is none. Return: a pidfd of it,
 *  it has ended; or e->code. */
int deaf_kill(int boxdir, struct err *e);

#endif
