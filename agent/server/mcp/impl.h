/* mcp_impl - what the files of /mcp share: the child, the events that are kept, the requests
 *           without session.
 * Needs:  an exchange with a tenant.
 * Owns:   see struct mcp_child.
 * Never:  is included by others. */
#ifndef AGENT_SERVER_MCP_IMPL_H
#define AGENT_SERVER_MCP_IMPL_H

#include "agent/mcp/frame.h"
#include "agent/server/exchange/exchange.h"
#include "base/json.h"
#include "base/loop.h"
#include "base/proc.h"

/* Proxies that gather answers (nginx) pass a stream with this field on as it comes. */
#define MCP_UNBUFFERED "X-Accel-Buffering: no"

/* A `cubby mcp` in the caller's box, spoken with by lines. */
struct mcp_child {
	struct loop *loop; /* borrowed */
	struct proc proc;
	int in, out; /* owned; its ends of them are the child's */
	struct loop_source *writes, *reads;
	struct buf queue; /* what it has not read */
	struct mcp_frame frame;
	void (*line)(void *ctx, struct json *j, const char *text, size_t len);
	void (*end)(void *ctx); /* it says nothing more; calls mcp_child_done() */
	void *ctx;
};

void mcp_child_init(struct mcp_child *c,
		    void (*line)(void *ctx, struct json *j, const char *text,
				 size_t len),
		    void (*end)(void *ctx), void *ctx);
int mcp_child_start(struct mcp_child *c, struct exchange *x, struct err *e);
/** mcp_child_tell() - a message to it; or negative: it does not read */
int mcp_child_tell(struct mcp_child *c, const struct json *j);
void mcp_child_done(struct mcp_child *c);

enum { MCP_EVENTS = 128 };

struct mcp_event {
	uint64_t stream, number;
	char *text; /* owned */
	size_t len;
};

/* The last events of a session, on all of its streams. */
struct mcp_events {
	struct mcp_event list[MCP_EVENTS]; /* a ring */
	size_t first, count, bytes;
	uint64_t number;
};

/** mcp_events_add() - keep @text as an event of @stream, and send it to @x unless NULL */
void mcp_events_add(struct mcp_events *all, struct exchange *x, uint64_t stream,
		    const char *text, size_t len);
/** mcp_events_again() - send those of @stream that came after @number */
void mcp_events_again(const struct mcp_events *all, struct exchange *x, uint64_t stream,
		      uint64_t number);
void mcp_events_done(struct mcp_events *all);

/** mcp_shared_meant() - is it a request of a revision without sessions? */
bool mcp_shared_meant(struct exchange *x);
int mcp_shared_post(struct exchange *x, struct err *e);

#endif
