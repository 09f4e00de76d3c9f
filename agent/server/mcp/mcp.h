/* mcp - the Model Context Protocol over HTTP: a `cubby mcp` in the caller's box.
 * Needs:  an exchange with a tenant.
 * Owns:   nothing.
 * Never:  has a tool of its own: agent/mcp has them all. */
#ifndef AGENT_SERVER_MCP_MCP_H
#define AGENT_SERVER_MCP_MCP_H

#include "agent/server/exchange/route.h"

extern const struct route_table mcp_web_routes;

#endif
