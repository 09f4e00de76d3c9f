/* box - a client's view of a running box: start or join it, run things in it.
 * Needs:  a spec (spec.h) whose image and box directory are there.
 * Owns:   the connection to the monitor; the monitor owns the box.
 * Never:  runs anything of the box in this process; believes a length, count or
 *         descriptor from the other side without a check. */
#ifndef RUNTIME_BOX_BOX_H
#define RUNTIME_BOX_BOX_H

#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "base/json.h"
#include "base/scope.h"
#include "runtime/spec/spec.h"
#include "runtime/wire/command.h"

struct box;

struct box_open {
	const struct spec *spec; /* borrowed until box_close() */
	bool join_only;		 /* do not start one: -ENOENT when it is not running */
	uint32_t linger_ms;	 /* how long it waits for another when all have left */
	/* What will be run first: asked for together with the box, so that the way to it
	 * is not gone twice. box_spawn() of the same struct, which must stay as it is
	 * until then, takes the answer; a question in between would lose it. NULL = not
	 * known yet */
	const struct box_command *first;
	/* Asked before a box is started, by this call or again by box_spawn(); who joins one
	 * is where somebody else was permitted to be. NULL = it may be started */
	int (*permit)(void *ctx, struct err *e);
	void *permit_ctx;
	note_fn *note; /* may be NULL */
	void *note_ctx;
	unsigned answer_ms; /* how long its monitor may take; 0 = 20 s */
	/* Of a box_question(), where messages are taken; @answer NULL = @why. NULL = none is
	 * asked */
	void (*answered)(void *ctx, uint32_t id, const struct json *answer,
			 const struct err *why);
	void *answered_ctx;
};

/**
 * box_open() - join the running box of a directory, or start it
 *
 * Context: may block for the start's deadline (20 s). Safe to call from many processes
 * at once: one of them starts the monitor, the others join it.
 * Return: 0; -ENOENT (join_only); else why no box can be started here, with the remedy.
 */
int box_open(const struct box_open *o, struct box **ret, struct err *e);
/** box_close() - leave; what this client ran in the foreground is hung up and ended */
void box_close(struct box **b);
#define _cleanup_box_ _cleanup_(box_close)

/** box_unblock() - from here on nothing that is sent waits for room: what there is none for is
 *  -EAGAIN, and was not sent. Who takes messages waits for none anyway */
int box_unblock(struct box *b);

/** box_fd() - poll for POLLIN: exits are to be had by box_next_exit(); borrowed */
int box_fd(const struct box *b);

/* What is known of an open box. */
struct box_facts {
	pid_t init;   /* its init as the host sees it */
	bool started; /* it was started from here; else it was joined */
	bool reviews; /* its project is under review: one that is in use may be, where its
		       * spec now says live; the other way round it is not joined */
	struct idmap_owner owner; /* which of its users the caller is in the project */
};
const struct box_facts *box_facts(const struct box *b);

static inline pid_t box_init_pid(const struct box *b)
{
	return box_facts(b)->init;
}

static inline bool box_started(const struct box *b)
{
	return box_facts(b)->started;
}

static inline bool box_reviews(const struct box *b)
{
	return box_facts(b)->reviews;
}

/** box_stay() - no other box takes the place of this one: a program that is begun after it has
 *  ended is -ENOTCONN */
void box_stay(struct box *b);
/** box_ends() - how many boxes are known to have ended in which something of ours was run.
 *  Calls about programs of such a one say so; box_spawn() goes on in another */
unsigned box_ends(const struct box *b);
/** box_stopping() - somebody is stopping the box, as far as was heard when it was last asked
 *  for an exit: programs that end do so because of that, and their ends are not told */
bool box_stopping(const struct box *b);

struct box_proc {
	uint32_t id; /* of this process within this connection */
	pid_t pid;   /* inside the box's pid namespace */
	int fds[3];  /* owned; pipes: our ends of 0, 1, 2; tty: the master, -1, -1.
			Non-blocking may be set by the other side: always poll */
};
#define BOX_PROC_NONE ((struct box_proc){ .fds = { -1, -1, -1 } })
void box_proc_done(struct box_proc *p); /* closes; does not end the process */
#define _cleanup_box_proc_ _cleanup_(box_proc_done)

/**
 * box_spawn() - run a program in the box
 * Return: 0; -ENOENT (not found: 127), -EACCES or -ENOEXEC (cannot be run: 126),
 *         -EINVAL (user, cwd, size), -EAGAIN (process limit), -ECONNRESET (the box ended
 *         meanwhile: whether the program ran is not known; the next call works),
 *         -ENOTCONN (it has ended for good, and why).
 *
 * Where the box has ended before it heard of the program, the program runs in another:
 * the directory's box is started again, or joined if somebody else has done that.
 */
int box_spawn(struct box *b, const struct box_command *c, struct box_proc *ret,
	      struct err *e);

/**
 * box_request() - box_spawn() without waiting for the answer, for a caller of many boxes
 * @id: names it in box_next_spawned()
 *
 * It never starts the box again. Return: 0; -ECONNRESET: the box has ended; -EINVAL,
 * -E2BIG, -ENOMEM.
 */
int box_request(struct box *b, const struct box_command *c, uint32_t *id,
		struct err *e);
/**
 * box_next_spawned() - without blocking: the answer to one of them
 * @id: of which
 * @ret: filled when it runs; else @why is why not
 * Return: 1 = there was one, 0 = none yet, negative: the box is gone.
 */
int box_next_spawned(struct box *b, uint32_t *id, struct box_proc *ret, struct err *why,
		     struct err *e);

struct box_exit {
	uint32_t id;
	int status;	   /* 0–255, or 128 + signal */
	int signal;	   /* 0 = it exited */
	bool oom;	   /* it was killed for the box's memory limit */
	bool disk;	   /* the whole box was ended for its disk limit */
	bool nothing_left; /* in the box but what other clients run */
};
/** box_next_exit() - without blocking: 1 = @ret filled, 0 = none yet, or box gone */
int box_next_exit(struct box *b, struct box_exit *ret, struct err *e);
/** box_kept() - has one of these two put aside what the other gives? Then box_fd() need not
 *  become readable again. */
bool box_kept(const struct box *b);
/** box_wait() - wait for one process; exits of others stay queued; -ETIMEDOUT */
int box_wait(struct box *b, uint32_t id, int timeout_ms, struct box_exit *ret,
	     struct err *e);
/** box_signal() - to the process and its whole process group */
int box_signal(struct box *b, uint32_t id, int sig, struct err *e);
/** box_kill_session() - HUP and TERM, 1 s, then KILL to every process of the terminal
 *  session or group that @id leads, daemons that left it included */
int box_kill_session(struct box *b, uint32_t id, struct err *e);

/**
 * box_ask() - a question to the monitor that is not about a process of ours
 * @what: "info", "ps", "stop", "net", "ports", "publish", …
 * @args: an object, or NULL; borrowed
 * @ret:  an object, owned; NULL pointer = answer not wanted
 */
int box_ask(struct box *b, const char *what, const struct json *args, struct json **ret,
	    struct err *e);
/** box_question() - box_ask() without waiting: the answer is told by answered() of box_open,
 *  with this @id, while exits or starts are looked for */
int box_question(struct box *b, const char *what, const struct json *args, uint32_t *id,
		 struct err *e);

#endif
