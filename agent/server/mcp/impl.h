/* mcp_impl - what the files of /mcp share: the child, the requests without session.
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

/** mcp_shared_meant() - is it a request of a revision without sessions? */
bool mcp_shared_meant(struct exchange *x);
int mcp_shared_post(struct exchange *x, struct err *e);

#endif
