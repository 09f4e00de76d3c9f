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

/**
 * context_read() - append what @fd says to the task
 * @fd: only a pipe, a socket or a file is read
 *
 * More than CONTEXT_MOST bytes lose their middle, which the text says.
 * Return: 1 when there was some; 0; -ETIMEDOUT (a pipe that is open and silent: nothing
 *         was read); or another negative errno.
 */
int context_read(int fd, struct buf *task, struct err *e);

#endif
