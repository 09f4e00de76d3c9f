/* attach - our streams or terminal joined to a process of the box, until it ends.
 * Needs:  an open box and a process that this connection started.
 * Owns:   the process's descriptors; signals and the terminal's mode during the call.
 * Never:  leaves the terminal raw or a signal unanswered; passes on to a terminal what
 *         is more than drawing (termfilter.h), unless told to.
 *
 * Signals that reach us are the process's: INT, QUIT, TERM, HUP, USR1 and USR2 go to
 * its process group; TSTP stops both. With a terminal, HUP and TERM end its session. */
#ifndef CLI_RUN_ATTACH_H
#define CLI_RUN_ATTACH_H

#include "base/err.h"
#include "cli/run/pump.h"
#include "cli/show/app.h"
#include "runtime/box/box.h"

struct attach;

/* Called when @fd can be read; false: not again. */
typedef bool attach_beside_fn(void *ctx, struct attach *a);

struct attach_how {
	bool tty;      /* started with BOX_IO_TTY, else with BOX_IO_PIPES */
	bool raw;      /* terminals of ours get all that comes */
	bool no_input; /* of ours nothing is read; with BOX_IO_PIPES */
	/* For standard output instead; at its end without bytes. NULL = none. */
	pump_filter_fn *filter;
	void *filter_ctx; /* borrowed */
	/* What else is served meanwhile; NULL = nothing. */
	attach_beside_fn *beside;
	void *beside_ctx; /* borrowed */
	int beside_fd;	  /* borrowed */
};

/** attach_ask() - for a struct attach_how's beside: ask the person a question of one line,
 *  while what the box writes waits. false: no, an interrupt, or nobody is there. */
bool attach_ask(struct attach *a, const char *question);
/** attach_note() - the same, to say a line */
void attach_note(struct attach *a, const char *line);

/**
 * attach_run() - copy and wait
 * @p:   its descriptors are taken over
 * @ret: filled on success
 *
 * Return: 0; -ECONNRESET (the box ended); a failure to write our standard output.
 */
int attach_run(const struct app *app, struct box *b, struct box_proc *p,
	       const struct attach_how *how, struct box_exit *ret, struct err *e);

#endif
