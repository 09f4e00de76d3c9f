/* attach - our streams or terminal joined to a process of the box, until it ends.
 * Needs:  an open box and a process that this connection started.
 * Owns:   the process's descriptors; signals and the terminal's mode during the call.
 * Never:  leaves the terminal raw or a signal unanswered.
 *
 * Signals that reach us are the process's: INT, QUIT, TERM, HUP, USR1 and USR2 go to
 * its process group; TSTP stops both. With a terminal, HUP and TERM end its session. */
#ifndef CLI_ATTACH_H
#define CLI_ATTACH_H

#include "base/err.h"
#include "cli/app.h"
#include "runtime/box.h"

/**
 * attach_run() - copy and wait
 * @p:   started with BOX_IO_PIPES or BOX_IO_TTY; its descriptors are taken over
 * @tty: which of the two
 * @ret: filled on success
 *
 * Return: 0; -ECONNRESET (the box ended); a failure to write our standard output.
 */
int attach_run(const struct app *app, struct box *b, struct box_proc *p, bool tty,
	       struct box_exit *ret, struct err *e);

#endif
