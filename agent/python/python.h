/* python - a Python that stays: cells are run in it one by one, and what one defines the
 * next one has.
 * Needs:  a port that starts programs where there is a python3 (3.6 or later).
 * Owns:   the interpreter and its three descriptors, from the first cell to python_free().
 * Never:  blocks, but for two seconds when an interpreter ends; believes a message; tells
 *         output by marks: when a message has come, all that was printed before it is in
 *         the pipes already, and is told before it.
 *
 * Code in a cell has the descriptor that messages come from, and can forge them: that
 * deceives nobody but the reader of its own output. */
#ifndef AGENT_PYTHON_PYTHON_H
#define AGENT_PYTHON_PYTHON_H

#include "agent/python/message.h"
#include "agent/python/port.h"
#include "base/aside.h"

struct python;
struct python_room;

enum python_state {
	PYTHON_NONE, /* not started, or it has ended: the next cell starts it */
	PYTHON_IDLE,
	PYTHON_RUNNING, /* a cell, or the start before it */
	PYTHON_ASKING	/* a cell waits for python_input() */
};

/* An interpreter has ended, and all that was defined in it is lost. */
struct python_death {
	struct box_exit exit; /* status -1: the box is gone, or it is not known */
	bool killed;	      /* by us: an interrupt had no effect */
	bool in_cell;	      /* a cell ran, or was to run */
	const char
		*why; /* what it did that it was ended for; NULL = it ended by itself */
};

struct python_events { /* all may be NULL; none may call a function below */
	void (*stream)(void *ctx, int fd, const char *data, size_t len); /* fd 1 or 2 */
	void (*message)(void *ctx, const struct python_message *m);
	void (*death)(void *ctx, const struct python_death *d);
};

struct python_conf {
	struct python_port port;
	const struct python_events *events; /* borrowed */
	void *ctx;			    /* of the events; borrowed */
	const char *cwd;		    /* NULL = the project directory; borrowed */
	const char *user;		    /* NULL = root; borrowed */
	const char *const *env;		    /* NULL-ended; may be NULL; borrowed */
	struct python_room *room; /* borrowed; with others; NULL = none (frame.h) */
	const char *context; /* one that is served (context.h); NULL = one of our own */
	bool files;	     /* pictures become files of the box, not base64 */
	bool merge; /* standard error is standard output: their order is kept */
};

enum { PYTHON_CODE_MAX = 4 << 20 };

/** python_missing() - what is said where the box has none. Return: -ENOENT */
int python_missing(struct err *e);

int python_new(const struct python_conf *conf, struct python **ret, struct err *e);
void python_free(struct python **p);
#define _cleanup_python_ _cleanup_(python_free)

struct python_cell {
	const char *code;
	const char *name;	 /* for tracebacks; NULL = <cell N> */
	const char *const *argv; /* becomes sys.argv; NULL-ended; NULL = as it is */
	bool partial;		 /* it may be the beginning of one: PYTHON_INCOMPLETE */
	bool silent;		 /* no result, and it is not counted */
	const struct json *env;	 /* {NAME: text}, while it runs; NULL = none */
};

/**
 * python_run() - have a cell run; its output and its end are events
 * Return: 0; -EBUSY (another one runs), -EMSGSIZE, -ENOENT (no python3 there), or what the
 *         port returns.
 */
int python_run(struct python *p, const struct python_cell *c, struct err *e);

/* What is asked between cells. No code of a cell's is run for the answer, not even a
 * property: what only such code could tell is not told. */
struct python_look {
	enum python_kind what; /* COMPLETE, INSPECT or VARS */
	const char *code;      /* of COMPLETE and INSPECT */
	int64_t pos; /* the character before which the name ends; -1 = the end */
};

/** python_look() - as python_run(); the answer is a message of that kind, DONE behind it */
int python_look(struct python *p, const struct python_look *l, struct err *e);

/** python_spawned() - the answer to a port's spawn() that was 1; @proc is taken over, NULL:
 *  it does not run, for @why, which the death that follows says */
void python_spawned(struct python *p, struct box_proc *proc, const struct err *why);

/** python_input() - answer a question; NULL = nobody will; -ENOMSG: there is none */
int python_input(struct python *p, const char *line, struct err *e);

/** python_interrupt() - the running cell and its children get an interrupt; another after
 *  two seconds; after five the interpreter is ended. Nothing where none runs */
void python_interrupt(struct python *p);

/** python_restart() - end it; the next cell starts another. No death is told */
void python_restart(struct python *p);

/** python_finish() - ask an idle one to end by itself: its threads, what it has to do at
 *  its exit. python_pump() until its death is told */
void python_finish(struct python *p);

enum python_state python_state(const struct python *p);

/** python_fd() - readable: call python_pump(); borrowed, the same for ever */
int python_fd(const struct python *p);
/** python_pump() - take what has come, without waiting */
void python_pump(struct python *p);

struct python_wait {
	uint64_t timeout_ms; /* then it is interrupted; 0 = never */
	int interrupt_fd; /* readable: it is interrupted; -1 = none; read by others */
	struct aside asides[2]; /* looked at meanwhile; ready NULL = none */
};

/**
 * python_wait() - until the cell has ended or asks
 * Return: 1 = it was interrupted for its time, 0, or a negative errno.
 */
int python_wait(struct python *p, const struct python_wait *w, struct err *e);

#endif
