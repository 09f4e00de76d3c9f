/* kernel - an interpreter of a tenant's box as clients of Jupyter see it: requests on
 * WebSockets in, messages to all of them out.
 * Needs:  the tenant's box, open.
 * Owns:   the interpreter; requests that wait for it.
 * Never:  runs two cells at a time; lets one client's slowness grow our memory: the
 *         interpreter waits.
 *
 * Source: jupyter_client, docs/messaging.rst, version 5.3 of the protocol; the JSON form
 * that a WebSocket without a sub-protocol has. */
#ifndef AGENT_SERVER_JUPYTER_KERNEL_H
#define AGENT_SERVER_JUPYTER_KERNEL_H

#include "agent/server/exchange/exchange.h"

struct kernel;
struct tenant;

enum { KERNEL_ID = 37, KERNEL_MAX = 8 };

/* What is known of it besides, for the lists of sessions. */
struct kernel_session {
	char *path, *name, *type; /* owned; NULL = it was made without */
};

/** kernel_new() - another one of the tenant; -EAGAIN: it has KERNEL_MAX
 *  @cwd: where its Python begins; NULL = at the tenant's home */
int kernel_new(struct tenant *t, const char *cwd, struct kernel **ret, struct err *e);
/** kernel_find() - by its id; -ENOENT */
int kernel_find(struct tenant *t, const char *id, struct kernel **ret, struct err *e);
/** kernel_next() - the first, or the one after @k; NULL */
struct kernel *kernel_next(struct tenant *t, struct kernel *k);
/** kernel_end() - it and its WebSockets */
void kernel_end(struct kernel *k);

const char *kernel_id(const struct kernel *k);
const char *kernel_cwd(const struct kernel *k);
struct kernel_session *kernel_session(struct kernel *k);
/** kernel_model() - as the REST interface describes it; NULL = out of memory */
struct json *kernel_model(const struct kernel *k);
void kernel_interrupt(struct kernel *k);
/** kernel_restart() - what is defined in it is lost; what ran is told as an error */
void kernel_restart(struct kernel *k);

/* Somebody who wants to hear of a cell what the WebSockets hear. */
struct kernel_watch {
	/* "execute_reply" is the last; @type NULL: there will be none. Both are said once,
	 * and the watch is forgotten */
	void (*said)(void *ctx, const char *type, const struct json *content);
	/* has it more than it should? Then the interpreter waits, until kernel_pace() */
	bool (*slow)(void *ctx);
	void *ctx;
};

/** kernel_execute() - queue a cell; @w outlives it, or kernel_leave(). -EAGAIN
 *  @env: {NAME: text}, while it runs; NULL = none */
int kernel_execute(struct kernel *k, const char *code, const struct json *env,
		   const struct kernel_watch *w, struct err *e);
void kernel_pace(struct kernel *k);
/** kernel_leave() - nobody waits for its cell any more: that is interrupted, or never begins */
void kernel_leave(struct kernel *k, const struct kernel_watch *w);

/** kernel_attach() - accept a WebSocket and serve it until it or the kernel ends */
int kernel_attach(struct kernel *k, struct exchange *x, struct err *e);

#endif
