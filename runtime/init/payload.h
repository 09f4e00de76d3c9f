/* payload - a program started in the box by init: pipes or a pty, identity, exec.
 * Needs:  to be pid 1 of the box, with its capabilities.
 * Owns:   what it returned, until the caller hands it on.
 * Never:  gives a payload a descriptor that was not asked for, or a signal disposition,
 *         limit or identity of init's. */
#ifndef RUNTIME_INIT_PAYLOAD_H
#define RUNTIME_INIT_PAYLOAD_H

#include <sys/types.h>

#include "base/err.h"
#include "base/scope.h"
#include "runtime/box/box.h"
#include "runtime/init/userdb.h"
#include "runtime/wire/wire.h"

/* The same for all payloads of a box. */
struct payload_box {
	const char *project;	   /* default working directory; borrowed */
	bool fake;		   /* SECFILTER_FAKE for programs; false: real ids */
	struct userdb_last *users; /* borrowed */
	/* What has to be done before a program runs, beside what leads to its exec: called
	 * by each payload_start(). NULL = nothing */
	void (*before)(void *ctx);
	void *before_ctx;
};

struct payload {
	enum box_io io;
	bool applet, keep;
	uint16_t rows, cols;
	char **argv, **env;	/* owned; NULL-ended */
	char *text;		/* owned: what argv and env point into */
	const char *cwd, *user; /* point into text; "" = default */
	int extra[WIRE_EXTRA];	/* owned */
	unsigned n_extra;
};
void payload_done(struct payload *p);
#define PAYLOAD_NONE ((struct payload){ .extra = { -1, -1, -1, -1 } })
#define _cleanup_payload_ _cleanup_(payload_done)

/** payload_parse() - check a SPAWN message and take its strings and descriptors
 *  Return: 0, -EBADMSG (malformed), -ENOMEM. */
int payload_parse(struct wire_msg *m, struct payload *ret, struct err *e);

struct payload_run {
	pid_t pid; /* child of init: the program, or on a tty its leader (leader.h) */
	int status_fd; /* owned: a struct err when exec failed, end of file when it did not */
	int report_fd; /* owned: of the leader; -1 = none */
	int fds[3];    /* owned: the client's ends */
	bool log;      /* its end is noted beside its output */
};
#define PAYLOAD_RUN_NONE ((struct payload_run){ -1, -1, -1, { -1, -1, -1 }, false })
void payload_run_done(struct payload_run *r);

/** payload_note_end() - BOX_LOG_DIR/PID.exit says the status of one with a log, for whoever
 *  waits for it in the box; nobody else believes it */
void payload_note_end(const struct payload_run *r, int status);

/** payload_start() - fork; returns before the program was executed */
int payload_start(const struct payload_box *b, const struct payload *p,
		  struct payload_run *ret, struct err *e);

#endif
