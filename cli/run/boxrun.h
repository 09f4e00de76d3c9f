/* boxrun - one command in the box with our streams: what exec and shell have in common.
 * Needs:  an open box.
 * Owns:   nothing.
 * Never:  decides what to run. */
#ifndef CLI_RUN_BOXRUN_H
#define CLI_RUN_BOXRUN_H

#include "cli/opt/box.h"
#include "cli/run/pump.h"
#include "cli/run/signing.h"
#include "cli/show/app.h"

struct boxrun {
	const char *const *argv; /* NULL-ended; NULL = what the image says */
	const char *cwd;	 /* in the box, also relative to here; NULL = here */
	bool tty;		 /* with a terminal of its own */
	bool raw;		 /* our terminal gets all that it writes */
	bool no_input; /* ours is for whoever reads it behind us; not with a tty */
	pump_filter_fn *filter; /* of standard output; NULL = none (attach.h) */
	void *filter_ctx;	/* borrowed */
	/* Called once the box is held, before the command is begun in it; it may change what
	 * @argv points at. NULL = nothing */
	int (*ready)(void *ctx, struct box *b, struct err *e);
	void *ready_ctx; /* borrowed */
	bool detach;	 /* it stays behind; its number goes to app->out */
	const struct signing_args *signing; /* NULL = no agent */
};

/**
 * boxrun_command() - set the box up, run a command in it, leave it
 *
 * Failures of cubby are shown. Return: the command's own exit status, 128 + signal,
 * or CMD_CUBBY, CMD_CANNOT, CMD_NOT_FOUND.
 */
int boxrun_command(struct app *app, const struct opt_box *o, const struct boxrun *run);

#endif
