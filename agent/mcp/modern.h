/* modern - requests without a session: revision 2026-07-28, where each says in "_meta" which
 * revision it is of, and by HTTP in fields of its head, too.
 * Needs:  nothing.
 * Owns:   nothing; what it makes is the caller's.
 * Never:  remembers a request.
 * Source: modelcontextprotocol.io, specification 2026-07-28: versioning, server/discover,
 *         streamable HTTP (request metadata). */
#ifndef AGENT_MCP_MODERN_H
#define AGENT_MCP_MODERN_H

#include "agent/mcp/rpc.h"

#define MCP_MODERN "2026-07-28"

enum mcp_modern_code {
	MCP_MODERN_MISMATCH = -32020, /* the head says something else than the body */
	MCP_MODERN_VERSION = -32022   /* no such revision here */
};

/* Fields of the head that came with a request; NULL = none of that name. */
struct mcp_modern_head {
	const char *version, *method, *name;
};

/** mcp_modern() - is @m, as its body says, a request of such a revision? */
bool mcp_modern(const struct mcp_rpc *m);

/**
 * mcp_modern_refuse() - what is wrong with a request
 * @head: NULL = it came without one, by standard input
 *
 * Return: 0, or the code of @ret.
 */
int mcp_modern_refuse(const struct mcp_rpc *m, const struct mcp_modern_head *head,
		      struct json **ret);

/**
 * mcp_modern_result() - put into @result what each result of these revisions has
 * @server: name and version of the server; taken over
 * @kept:   it holds for longer: a client need not ask again at once
 */
int mcp_modern_result(struct json *result, struct json *server, bool kept);

/** mcp_modern_discover() - the result of server/discover, but for what all results have */
struct json *mcp_modern_discover(const char *instructions);

#endif
