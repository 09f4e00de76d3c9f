/* session_port - how a session starts and ends its shell: in a box, or in a test.
 * Needs:  nothing.
 * Owns:   nothing.
 * Never:  knows what a session is. */
#ifndef AGENT_SESSION_PORT_H
#define AGENT_SESSION_PORT_H

#include <stdint.h>

#include "base/err.h"

struct spill;

struct session_spawn {
	const char *const *argv; /* NULL-ended; argv[0]: name or path */
	const char *const *env;	 /* NULL-ended; added to that of the box */
	const char *cwd, *user;	 /* user may be NULL: root */
	uint16_t rows, cols;
	const int *extra_fds; /* become 3, 4, …; borrowed */
	unsigned n_extra_fds;
};

struct session_life {
	uint32_t id;
	int master; /* owned by the session */
};

struct session_death {
	int status; /* 0–255 */
	int signal; /* 0 = it exited */
	bool oom;
	bool gone; /* with its box: by the session, when died() fails */
};

struct session_port {
	/* starts the box again where it has ended before; -ECONNRESET: it ended meanwhile */
	int (*spawn)(void *ctx, const struct session_spawn *c, struct session_life *ret,
		     struct err *e);
	/* 1 = it died and @ret is filled, 0 = it lives; never waits; negative = its box
	 * has ended, and every process of it */
	int (*died)(void *ctx, uint32_t id, struct session_death *ret, struct err *e);
	/* is somebody stopping its box? As far as died() has heard; NULL = nobody does */
	bool (*stopping)(void *ctx);
	/* HUP and TERM, a second, KILL: for every process of the shell's session */
	int (*end)(void *ctx, uint32_t id, struct err *e);
	/* readable when died() may have news; -1 = ask it now and then */
	int (*fd)(void *ctx);
	/* put the text into a file of the box as @user; parents are made */
	int (*save)(void *ctx, const char *user, const char *path, struct spill *text,
		    struct err *e);
	void *ctx;
};

#endif
