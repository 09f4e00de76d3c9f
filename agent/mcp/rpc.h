/* mcp_rpc - the messages of JSON-RPC 2.0, as the Model Context Protocol narrows them.
 * Needs:  nothing.
 * Owns:   nothing; what it makes is the caller's.
 * Never:  knows a method. */
#ifndef AGENT_MCP_RPC_H
#define AGENT_MCP_RPC_H

#include "base/json.h"

/* The one revision in which several messages may come at once; the next took them out. */
#define MCP_RPC_BATCHES "2025-03-26"

enum mcp_rpc_kind {
	MCP_RPC_REQUEST,
	MCP_RPC_NOTIFICATION,
	MCP_RPC_RESPONSE, /* to a request that we never sent */
	MCP_RPC_INVALID
};

/* Source: JSON-RPC 2.0, section 5.1; -32000 is of the range left to servers. */
enum mcp_rpc_code {
	MCP_RPC_PARSE = -32700,
	MCP_RPC_BAD_REQUEST = -32600,
	MCP_RPC_NO_METHOD = -32601,
	MCP_RPC_BAD_PARAMS = -32602,
	MCP_RPC_INTERNAL = -32603,
	MCP_RPC_BUSY = -32000
};

/* All borrowed from the message. */
struct mcp_rpc {
	enum mcp_rpc_kind kind;
	const struct json *id;	   /* of a request; of a bad one, if it is usable */
	const char *method;	   /* of a request or notification */
	const struct json *params; /* an object, or NULL */
	const char *why;	   /* it is invalid */
};

/** mcp_rpc_read() - what kind of message is it? */
void mcp_rpc_read(const struct json *msg, struct mcp_rpc *ret);

/** mcp_rpc_is_id() - a string or a whole number */
bool mcp_rpc_is_id(const struct json *id);
bool mcp_rpc_same_id(const struct json *a, const struct json *b);

/* Whole messages; @result, @error and @params are taken over, also on failure. NULL when out of
 * memory. @id NULL = null. */
struct json *mcp_rpc_result(const struct json *id, struct json *result);
struct json *mcp_rpc_error(const struct json *id, int code, const char *message);
struct json *mcp_rpc_failure(const struct json *id, struct json *error);
struct json *mcp_rpc_notify(const char *method, struct json *params);

#endif
