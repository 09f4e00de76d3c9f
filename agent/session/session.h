/* session - a persistent shell on a terminal of its own, driven command by command.
 * Needs:  a port that starts programs (port.h).
 * Owns:   the shell, its terminal and its private channel, from session_open() to
 *         session_close().
 * Never:  takes prompt text, quiet or the look of the screen for the end of a command:
 *         it is known from the shell's mark or from its death. */
#ifndef AGENT_SESSION_SESSION_H
#define AGENT_SESSION_SESSION_H

#include <stdint.h>

#include "agent/session/jobs.h"
#include "agent/session/port.h"
#include "agent/session/waiting.h"
#include "base/aside.h"
#include "base/buf.h"
#include "base/err.h"

struct session;

enum {
	SESSION_ROWS = 40, /* of a terminal that nobody gave a size */
	SESSION_COLS = 100,
	SESSION_TEXT_MAX = 1 << 20, /* bytes of a command */
	SESSION_LINE_MAX = 4095,    /* what the kernel takes as one line */
	SESSION_KEEP = 12000,	    /* bytes of output kept for a result */
	SESSION_ASIDES = 2,
	SESSION_SOFT_MS = 30000,
	SESSION_HARD_MS = 600000,
	SESSION_FLOOD = 16 << 20 /* bytes of a command past which output is no news */
};

/* What to do about a text of several commands (split.h) of which one fails. */
enum session_on_error {
	SESSION_GO_ON, /* as a script does: nothing */
	SESSION_STOP,  /* do not run those behind it */
	SESSION_REJECT /* refuse such a text before anything runs */
};

/* What the terminal gets, less marks and secrets: it still has what a terminal answers, and
 * is not to be written to one as it is (escape.h). */
typedef void session_output_fn(void *ctx, const void *data, size_t len);

struct session_conf {
	const struct session_port *port; /* borrowed */
	const char *name;		 /* for messages and file names; copied */
	const char *shell;		 /* NULL = bash; name or path; copied */
	const char *cwd;		 /* absolute; copied */
	const char *user;		 /* NULL = root; copied */
	const char *const *env;		 /* added; NULL-ended; borrowed; may be NULL */
	const char *const *secrets;	 /* NULL-ended; borrowed; may be NULL */
	uint16_t rows, cols;		 /* 0 = SESSION_ROWS × SESSION_COLS */
	size_t keep; /* bytes of output per result; 0 = SESSION_KEEP */
	bool no_rc;  /* do not read the rc files of system and user */
	enum session_on_error on_error;
	session_output_fn *output; /* may be NULL */
	void *ctx;
	int interrupt_fd; /* readable: interrupt the running command; -1 = none */
	/* Looked at while a command runs: requests of a client, other sessions. */
	struct aside asides[SESSION_ASIDES];
};

/**
 * session_open() - start the shell and wait until it takes commands
 *
 * Context: may block for 15 s. The rc files of system and user are read; when they
 * fail, end the shell or take five seconds it is started again without them.
 * Return: 0; -ENOENT, -EISDIR, -EACCES (the shell), -EINVAL (a shell that cannot be
 *         driven), -ETIMEDOUT (with what it printed), or what the port returned.
 */
int session_open(const struct session_conf *conf, struct session **ret, struct err *e);
void session_close(struct session **s); /* ends all its processes */
#define _cleanup_session_ _cleanup_(session_close)

enum session_state {
	SESSION_EXITED,	 /* the command ended: status and cwd */
	SESSION_WAITING, /* for input: reason */
	SESSION_RUNNING, /* a limit was reached: which */
	SESSION_DIED /* the shell ended: status or signal; a new one is there, unless
			  * gone is set */
};

enum session_limit {
	SESSION_NO_LIMIT,
	SESSION_SOFT,
	SESSION_FLOOD_SOFT, /* in spite of output, which has no end */
	SESSION_HARD,
	SESSION_INTERRUPT
};

struct session_limits {
	uint64_t soft_ms; /* without output; 0 = none */
	uint64_t hard_ms; /* 0 = SESSION_HARD_MS */
};

struct session_result {
	enum session_state state;
	int status; /* 0–255 of the command, or of the shell that died; -1 = none */
	int signal; /* that ended the shell; 0 = none */
	bool oom;   /* the shell was ended for the box's memory limit */
	bool gone;  /* the shell ended with its box: the next command gets another */
	bool unrun; /* and that was before this command, which was not run */
	enum waiting_reason reason;
	bool full_screen; /* a program draws the screen */
	bool blind; /* the kernel does not tell who waits: only limits end a wait */
	enum session_limit limit;
	uint64_t limit_ms, time_ms;
	struct buf earlier; /* owned; printed before the command began */
	struct buf text;    /* owned; printed by the command since the last result */
	bool cut;	    /* text has a gap, or lines were folded */
	char *cwd;	    /* owned; any bytes; NULL = not known */
	char *log_path;	    /* owned; the whole output, in the box; NULL = not cut */
	bool log_partial;   /* it was too long: the file has its end */
	char *note;	    /* owned; one line about the session itself; may be NULL */
	char *jobs; /* owned; what runs in the background (jobs_add), when a command
		     * ended and that is not what was told last; what a shell that died
		     * has left running; NULL = nothing new */
};
void session_result_init(struct session_result *r);
void session_result_done(struct session_result *r);
#define _cleanup_session_result_ _cleanup_(session_result_done)

/**
 * session_run() - run a text as one command, and wait for its end or another state
 *
 * A shell that ended since the last call is replaced first, and that is noted. Where its
 * box has ended the text is not run: what it counts on may be gone.
 *
 * Return: 0 with @ret filled; -EBUSY (a command runs or waits: nothing was done),
 *         -EMSGSIZE, -EINVAL (NUL in the text; several commands with SESSION_REJECT), or
 *         a failure of the port.
 */
int session_run(struct session *s, const char *text, size_t len,
		const struct session_limits *lim, struct session_result *ret,
		struct err *e);

/**
 * session_input() - send bytes to the running command, then wait as session_run() does
 * @len: 0 = only wait on
 *
 * Return: 0; -ENOMSG (no command runs), -EMSGSIZE (a line that the kernel would cut).
 */
int session_input(struct session *s, const char *data, size_t len,
		  const struct session_limits *lim, struct session_result *ret,
		  struct err *e);

/** session_add_keys() - append what key names (keys.h) send to the running program */
int session_add_keys(struct session *s, const char *names, struct buf *out,
		     struct err *e);

/** session_reset() - end all its processes; a new shell in the initial directory */
int session_reset(struct session *s, struct err *e);

/** session_screen() - append the cells and a line that describes them */
int session_screen(struct session *s, struct buf *out, struct err *e);

/**
 * session_jobnews() - what runs in the background now, with the last output
 * @ret:     JOBS_MAX of them
 * @earlier: appended: what was printed since the last result, which no other result
 *           will have; or, when that is nothing, the last lines that were printed while
 *           no command ran
 * @fresh:   which of the two
 *
 * To be called while no command runs.
 * Return: how many jobs, or a negative errno.
 */
int session_jobnews(struct session *s, struct job *ret, struct buf *earlier,
		    bool *fresh, bool *ended, struct err *e);

/** session_jobnews_all() - all that would end with the session but its shell, daemons too, as
 *                 jobs_add() names them; NULL = nothing; owned by the caller */
char *session_jobnews_all(struct session *s);

/** session_redact() - append @in to @out, less the session's secrets */
int session_redact(const struct session *s, const struct buf *in, struct buf *out);

/** session_gone() - the shell has ended with its box, and no result has told that: the
 *  next command will not be run, but told */
bool session_gone(struct session *s);
/** session_waitable() - a command began whose end has not been told */
bool session_waitable(const struct session *s);
const char *session_name(const struct session *s);
const char *session_cwd(const struct session *s); /* of the shell; borrowed */
const char *session_user(const struct session *s);

/**
 * session_pump() - take what the terminal has to say, without waiting
 *
 * To be called while nothing else is done with the session, whenever session_fd() is
 * readable: a program that prints must not be stopped by a full terminal. Takes a few
 * MiB at most, for a program may print faster than anybody reads.
 */
void session_pump(struct session *s);
/** session_ended() - nobody holds the terminal any more: session_fd() stays readable */
bool session_ended(const struct session *s);
int session_fd(const struct session *s); /* -1 = no shell; borrowed */

#endif
