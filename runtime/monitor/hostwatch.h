/* hostwatch - what the host changes in a project under review, told to whoever has the box look
 * it up again: before each program that starts and while one runs.
 * Needs:  a loop.
 * Owns:   its descriptor.
 * Never:  follows a link. */
#ifndef RUNTIME_MONITOR_HOSTWATCH_H
#define RUNTIME_MONITOR_HOSTWATCH_H

#include "base/loop.h"

struct hostwatch_conf {
	struct loop *loop;	  /* borrowed */
	const char *project;	  /* borrowed; its path */
	void (*renew)(void *ctx); /* it is to be looked up again */
	bool (*runs)(void *ctx);  /* does a program run in the box? */
	void *ctx;
};

struct hostwatch {
	struct hostwatch_conf conf;
	int fd;	    /* owned; -1 = nothing is watched */
	bool begun; /* a program was started: the first sees what there is */
	struct loop_source *on_event, *on_time;
	uint64_t rest_ms;
	bool clock; /* there are too many directories */
	bool again; /* it is looked at once more */
};
#define HOSTWATCH_NONE ((struct hostwatch){ .fd = -1 })

/** hostwatch_begin() - the box is there, and its project under review */
int hostwatch_begin(struct hostwatch *w, const struct hostwatch_conf *conf);
/** hostwatch_spawn() - before a program that was noted is started, in any box
 *  @alone: no other one runs */
void hostwatch_spawn(struct hostwatch *w, bool alone);

#endif
