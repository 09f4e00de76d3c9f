/* python_port - how an interpreter is started, told and ended: in a box, or in a test.
 * Needs:  nothing.
 * Owns:   nothing.
 * Never:  knows what an interpreter is. The functions are those of box.h. */
#ifndef AGENT_PYTHON_PORT_H
#define AGENT_PYTHON_PORT_H

#include "runtime/box/box.h"

struct python_port {
	/* 0, or 1: the answer is python_spawned()'s (python.h) */
	int (*spawn)(void *ctx, const struct box_command *c, struct box_proc *ret,
		     struct err *e);
	/* -ETIMEDOUT: it has not ended, or that is not known (later: not yet) */
	int (*wait)(void *ctx, uint32_t id, int timeout_ms, struct box_exit *ret,
		    struct err *e);
	/* to its whole process group */
	int (*signal)(void *ctx, uint32_t id, int sig, struct err *e);
	/* HUP and TERM, a second, KILL: for every process of its session */
	int (*end)(void *ctx, uint32_t id, struct err *e);
	void *ctx; /* borrowed */
	bool later; /* wait() does not wait: when it knows more python_pump() is called */
};

/** python_box_port() - that of a running box, which is borrowed */
struct python_port python_box_port(struct box *box);

#endif
