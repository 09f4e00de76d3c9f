/* mcpweb - what the files of /mcp share: the child, the requests without session.
 * Needs:  an exchange with a tenant.
 * Owns:   see struct mcpchild.
 * Never:  is included by others than mcp*.c. */
#ifndef AGENT_SERVER_MCPWEB_H
#define AGENT_SERVER_MCPWEB_H

#include "agent/mcp/frame.h"
#include "agent/server/exchange.h"
#include "base/json.h"
#include "base/loop.h"
#include "base/proc.h"

/* Proxies that gather answers (nginx) pass a stream with this field on as it comes. */
#define MCPWEB_UNBUFFERED "X-Accel-Buffering: no"

/* A `cubby mcp` in the caller's box, spoken with by lines. */
struct mcpchild {
	struct loop *loop; /* borrowed */
	struct proc proc;
	int in, out; /* owned; its ends of them are the child's */
	struct loop_source *writes, *reads;
	struct buf queue; /* what it has not read */
	struct mcp_frame frame;
	void (*line)(void *ctx, struct json *j, const char *text, size_t len);
	void (*end)(void *ctx); /* it says nothing more; calls mcpchild_done() */
	void *ctx;
};

void mcpchild_init(struct mcpchild *c,
		   void (*line)(void *ctx, struct json *j, const char *text,
				size_t len),
		   void (*end)(void *ctx), void *ctx);
int mcpchild_start(struct mcpchild *c, struct exchange *x, struct err *e);
/** mcpchild_tell() - a message to it; or negative: it does not read */
int mcpchild_tell(struct mcpchild *c, const struct json *j);
void mcpchild_done(struct mcpchild *c);

/** mcpshared_meant() - is it a request of a revision without sessions? */
bool mcpshared_meant(struct exchange *x);
int mcpshared_post(struct exchange *x, struct err *e);

#endif
