/* start - from a spec to a running init: the monitor's side (child.h has the other).
 * Needs:  a fresh, single-threaded process; the box's lock.
 * Owns:   what struct running holds.
 * Never:  starts a box weaker than its spec; what had to be left out is in @why. */
#ifndef RUNTIME_START_START_H
#define RUNTIME_START_START_H

#include <sys/types.h>

#include "base/buf.h"
#include "base/err.h"
#include "runtime/cgroup/cgroup.h"
#include "runtime/cgroup/memwatch.h"
#include "runtime/net/netns.h"
#include "runtime/spec/spec.h"

struct running {
	pid_t init;		 /* init as this process sees it; -1 = none */
	int pidfd;		 /* owned */
	int sock;		 /* owned: to init */
	int watch[MEMWATCH_FDS]; /* owned: of the box; what memwatch.h asks for */
	struct cgroup *cg;	 /* owned */
	int lease;		 /* owned: of a range of ids; -1 = the shared one */
	uint32_t base;		 /* the first id of the range; root map alone */
	int net[NETNS_FDS];	 /* owned; what netns_setup() made */
	struct netns_facts facts;
	bool copy;	/* the root is a copy of the image, not an overlay */
	int git;	/* why git directories are read-only; 0 = they are not */
	struct buf why; /* owned: a line for each better way that was not taken */
};
#define RUNNING_NONE                                \
	((struct running){ .init = -1,              \
			   .pidfd = -1,             \
			   .sock = -1,              \
			   .lease = -1,             \
			   .watch = MEMWATCH_NO_FD, \
			   .net = NETNS_NO_FD,      \
			   .why = BUF_INIT(64 * 1024) })

struct start_conf {
	const struct spec *spec; /* borrowed */
	int boxdir;		 /* boxes/<key>; borrowed */
	const char *gitconfig;	 /* of the box; NULL = none; borrowed */
	note_fn *note;		 /* may be NULL */
	void *note_ctx;
	/* Called while the child makes its root: what it is to mount for git (gitgate.h). May
	 * be NULL */
	int (*git)(void *ctx, struct buf *ret, struct err *e);
	/* Called when the child works by itself, with the socket to what will be init: what
	 * is sent there now is the first that it hears. Once for each attempt; a failure
	 * ends the start. May be NULL */
	int (*meanwhile)(void *ctx, int sock, struct err *e);
	void *meanwhile_ctx; /* of both */
};

enum {
	START_DEADLINE_MS = 20000,
	START_COPY_MS = 600000, /* the first start, which copies the image */
	START_MOST_MS = START_DEADLINE_MS + START_COPY_MS
};

/**
 * start_box() - clone the child, give it its ids and limits, wait for init
 *
 * Return: 0, or why it did not start: the message names cause and remedy.
 */
int start_box(const struct start_conf *conf, struct running *ret, struct err *e);

/** start_kill() - begin to end the box: init, and with it everything in it. Returns at
 *  once; start_done() waits. */
void start_kill(const struct running *r);
/** start_done() - end init and with it everything in the box, release all */
void start_done(struct running *r);

#endif
