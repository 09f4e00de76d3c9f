/* resolve - real names, looked up the way the host's own programs do it, in helper
 * processes: the gate itself has no filesystem and must not wait.
 * Needs:  to be started before the gate gives its rights up.
 * Owns:   the helper, which ends when the gate's descriptor is closed, and its workers.
 * Never:  adds the host's search domains to a name; lets a slow server block another
 *         question (a worker each, 8 at once; one that takes too long is replaced).
 *
 * The helper idles without workers: the first question starts one, the last idle one
 * ends after half a minute. One more answers which process holds a socket (netwho). */
#ifndef RUNTIME_GATE_RESOLVE_H
#define RUNTIME_GATE_RESOLVE_H

#include "base/err.h"
#include "runtime/net/addr.h"

enum {
	RESOLVE_NAME = 256,
	RESOLVE_ADDRS = 8,
	RESOLVE_WORKERS = 8,
	RESOLVE_QUEUE = 128,	/* questions that wait for a worker */
	RESOLVE_WORK_MS = 8000, /* from the question on; then nobody waits for it */
	RESOLVE_IDLE_MS = 30000
};

struct resolve_query {
	uint32_t id;
	char name[RESOLVE_NAME];
};

struct resolve_reply {
	uint32_t id;
	int32_t error; /* 0; -ENOENT (no such name), -EAGAIN (no answer now) */
	uint32_t n;
	struct netaddr addr[RESOLVE_ADDRS]; /* in the order to be tried */
};

/** resolve_start() - fork the helper; @ret is its socket for names, @who the one for
 *  struct gate_owner_query; both non-blocking, owned */
int resolve_start(int *ret, int *who, struct err *e);

/** resolve_ask() - 0, -EAGAIN (too many already), -EPIPE (the helper is gone) */
int resolve_ask(int fd, uint32_t id, const char *name);
/** resolve_take() - 1 = @ret filled, 0 = nothing yet, -ECONNRESET */
int resolve_take(int fd, struct resolve_reply *ret);

#endif
