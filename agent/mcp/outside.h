/* mcp_outside - a program on this computer as an MCP server: where a person asked for it.
 * Needs:  nothing of a box.
 * Owns:   the program, from its start to its end.
 * Never:  begins in the project, whose files the box writes, but in "/"; has a terminal, or
 *         a variable of the caller that it was not given. */
#ifndef AGENT_MCP_OUTSIDE_H
#define AGENT_MCP_OUTSIDE_H

#include "agent/mcp/client.h"
#include "base/proc.h"

struct mcp_outside {
	struct proc proc; /* owned */
};
#define MCP_OUTSIDE_NONE ((struct mcp_outside){ .proc = PROC_NONE })

/** mcp_outside_port() - of one client, which @o has to outlive */
struct mcp_client_port mcp_outside_port(struct mcp_outside *o);

#endif
