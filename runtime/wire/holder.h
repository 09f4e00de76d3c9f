/* holder - who runs a box, noted in the lock that it holds: the runtime directory of one
 * shell is not that of another (cron, ssh, su), and may be removed at any time.
 * Needs:  the box's directory in the store, which no box can write.
 * Owns:   nothing.
 * Never:  believes a note without a look at the process: the note outlives it. */
#ifndef RUNTIME_WIRE_HOLDER_H
#define RUNTIME_WIRE_HOLDER_H

#include <limits.h>
#include <stdbool.h>
#include <sys/types.h>

#include "base/err.h"

/* What the monitor calls itself: while it serves, while it ends the box, and when it holds
 * nothing any more. */
#define HOLDER_NAME "cubby-monitor"
#define HOLDER_ENDING "cubby-ending"
#define HOLDER_ENDED "cubby-ended"

struct holder {
	pid_t pid;
	char dir[PATH_MAX]; /* where its control socket is, or was */
};

/** holder_note() - "this process, and its socket in @rundir", into the held lock @lock */
int holder_note(int lock, int rundir, struct err *e);

/** holder_read() - who was noted last in the box's directory @boxdir, if that process is
 *  still a monitor; -ENOENT = nobody */
int holder_read(int boxdir, struct holder *ret);

/** holder_parse() - pure: "PID DIRECTORY\n"; what follows is of an older, longer note */
int holder_parse(const char *text, struct holder *ret);

/** holder_is_ending() - a monitor ends the box: that takes as long as the kernel needs to
 *  write what the box wrote. @boxdir may be negative: false */
bool holder_is_ending(int boxdir);

/** holder_is_lost() - a monitor has the box and no socket: its runtime directory was
 *  removed. @boxdir may be negative: false */
bool holder_is_lost(int boxdir, struct holder *ret);

/** holder_await_end() - until the process noted in @boxdir has ended, if there is one, but
 *  not longer than @ms */
void holder_await_end(int boxdir, int ms);

/** holder_lost() - the error of a client that cannot reach it, with the remedy: -EBUSY */
int holder_lost(const struct holder *h, struct err *e);

#endif
