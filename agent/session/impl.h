/* session_impl - what the parts of a session share. For agent/session/ alone.
 * Needs:  session.h.
 * Owns:   see struct session.
 * Never:  is included elsewhere. */
#ifndef AGENT_SESSION_IMPL_H
#define AGENT_SESSION_IMPL_H

#include "agent/session/jobs.h"
#include "agent/session/session.h"
#include "agent/session/shell.h"
#include "agent/terminal/clip.h"
#include "agent/terminal/fold.h"
#include "agent/terminal/marker.h"
#include "agent/terminal/output.h"
#include "agent/terminal/redact.h"
#include "agent/terminal/spill.h"

enum session_phase {
	SESSION_STARTING,  /* no mark yet */
	SESSION_LAUNCHING, /* at its prompt: the loop has been typed */
	SESSION_READY,	   /* the loop reads the channel */
	SESSION_SENT,	   /* a text is on its way */
	SESSION_IN_COMMAND /* it runs */
};

enum { SESSION_BATCH = 16 << 10, SESSION_BEFORE = 8 };

/* Who was who, in the host's numbering; 0 = not known. */
struct session_origin {
	pid_t shell, leader, init; /* each the child of the next */
};

struct session {
	struct session_conf conf;	 /* its strings are the copies below */
	char *name, *path, *cwd0, *user; /* owned; user may be NULL */
	const struct shell *shell;
	enum session_phase phase;

	/* the shell that runs now */
	struct session_life proc; /* master owned; -1 = none */
	struct session_origin origin;
	struct session_origin before[SESSION_BEFORE]; /* of shells that have ended */
	unsigned n_before;			      /* of all, also the forgotten */
	int channel;				      /* owned; -1 = none */
	char nonce[MARKER_NONCE + 1];
	unsigned launches; /* prompts since the loop last read a text */
	bool bare;	   /* that prompt itself has been seen */
	bool broken;	   /* it comes back to its prompt whatever is typed */
	bool is_dead;
	bool told_gone; /* that it died with its box; the next command gets another */
	struct session_death death;
	char *cwd; /* owned; the last that it told; NULL = none yet */

	/* the command */
	bool open;	/* began, and its end has not been reported */
	bool done;	/* its end is known */
	bool at_prompt; /* the status came with the prompt: the loop's is a copy */
	int status;
	bool typed;	/* bytes were sent to it */
	bool interrupt; /* the person asked for it to be interrupted */
	uint64_t began_ms, ended_ms;
	uint64_t waits_ms; /* since when it waits and nobody answers; 0 = it does not */
	unsigned serial;   /* of the files that keep whole outputs */

	/* bytes on their way */
	struct buf to_tty, to_channel;
	struct buf rest; /* commands that wait for the end of the one before them */
	struct marker marker;
	struct redact raw, text;
	struct output output;
	char batch[SESSION_BATCH]; /* plain text that the filters have not seen yet */
	size_t n_batch;
	struct clip earlier, now;
	struct fold fold; /* before now */
	struct buf aside; /* the last that was printed while no command ran */
	uint64_t told;	  /* jobs_key() of the jobs in the last result */
	struct jobs_none none;
	struct spill spill;
	struct screen *screen;	 /* owned */
	uint64_t last_output_ms; /* of the last byte; monotonic */

	/* waiting */
	struct waiting_sample before_input; /* as it was when input was written */
	uint64_t input_ms;
	bool blind;
	char *note; /* owned; for the next result */
};

/* In the order of the files, from the bottom: each calls those above it here. */

/* note.c */
/** session_note() - add to the note that the next result has */
void session_note(struct session *s, const char *fmt, ...) _printf_(2, 3);

/* io.c: the bytes */
void session_io_init(struct session *s);
/* Reads and writes what is possible now; true when anything was read. */
bool session_io_step(struct session *s);
/* Steps until nothing is left to read, but not for ever. */
void session_io_pump(struct session *s);
/* One poll(2) over all that can happen. */
void session_io_poll(struct session *s, int timeout_ms);
/* The next command of the text, or all of it. */
int session_io_next(struct session *s);
/* Writes what the terminal takes now. */
void session_io_write(struct session *s);
/* All that was printed has been read: the last line too. */
void session_io_end_text(struct session *s);
/* Plain text that waits for its filter gets there. */
void session_io_batch(struct session *s);

/* jobnews.c: the jobs in the background */
/* A line about the jobs for a result; NULL when nothing has changed. */
char *session_jobnews_news(struct session *s);
/* Who this shell is: to be known before it dies. */
void session_jobnews_origin(struct session *s);
/* What a shell that died has left running; NULL = nothing. */
char *session_jobnews_left(struct session *s, const struct session_origin *old);

/* life.c */
int session_life_start(struct session *s, const char *cwd, struct err *e);
void session_life_stop(struct session *s);
bool session_life_died(struct session *s);
/* A new shell where the old one was, or where the session began. */
int session_life_replace(struct session *s, struct err *e);

/* result.c */
int session_result_fill(struct session *s, struct session_result *ret, struct err *e);

/* wait.c */
/* Waits until the command is done, waits for input, dies, or a limit is reached. */
int session_wait(struct session *s, const struct session_limits *lim,
		 struct session_result *ret, struct err *e);
/* The command has ended, and not because its box is being stopped: then that is what is
 * told, when it has come, whoever in it is the first to end. */
bool session_wait_ended(struct session *s);
/* Before a key that sends a signal: there is somebody to get it, or the command ended. */
void session_wait_taker(struct session *s);

#endif
