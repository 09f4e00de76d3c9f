/* context - what another program's pipe says becomes a part of the task: "cat err.log |
 * cubby explain".
 * Needs:  standard input, or what stands in its place.
 * Owns:   nothing.
 * Never:  waits for ever for a pipe that says nothing; hides that something was cut. */
#ifndef CLI_TASK_CONTEXT_H
#define CLI_TASK_CONTEXT_H

#include "base/buf.h"
#include "base/err.h"

enum { CONTEXT_MOST = 100000, CONTEXT_WAIT_MS = 2000 };

/** context_waits() - does @fd have something to say, now or soon? Nothing is read */
bool context_waits(int fd);

/**
 * context_read() - append what @fd says to the task
 * @fd: only a pipe, a socket or a file is read
 *
 * More than CONTEXT_MOST bytes lose their middle, which the text says.
 * Return: 1 when there was some; 0; -ETIMEDOUT (a pipe that is open and silent: nothing
 *         was read); or another negative errno.
 */
int context_read(int fd, struct buf *task, struct err *e);

enum { CONTEXT_SAID_MAX = 1 << 20 };

/**
 * context_said() - what an option says to the model; "-" stands for all of standard input,
 *                  where no other user of the host sees it
 * @text: as it was given; NULL = nothing; may point into @all afterwards
 * @all:  born with CONTEXT_SAID_MAX
 * Return: 0; -E2BIG: there is more; or another negative errno.
 */
int context_said(const char **text, struct buf *all, struct err *e);

#endif
