#include "agent/mcp/rpc.h"

#include <string.h>

bool mcp_rpc_is_id(const struct json *id)
{
	int64_t n;

	return json_str(id) || !json_int(id, &n);
}

bool mcp_rpc_same_id(const struct json *a, const struct json *b)
{
	int64_t x, y;

	if (json_str(a) && json_str(b))
		return !strcmp(json_str(a), json_str(b));
	return !json_int(a, &x) && !json_int(b, &y) && x == y;
}

static enum mcp_rpc_kind invalid(struct mcp_rpc *m, const char *why)
{
	m->why = why;
	return MCP_RPC_INVALID;
}

static enum mcp_rpc_kind kind_of(const struct json *msg, struct mcp_rpc *m)
{
	const struct json *id = json_get(msg, "id");

	if (json_type(msg) != JSON_OBJECT)
		return invalid(m, "a message must be an object");
	if (mcp_rpc_is_id(id))
		m->id = id;
	if (!json_is(msg, "jsonrpc", "2.0"))
		return invalid(m, "jsonrpc must be \"2.0\"");
	if (!json_get(msg, "method") &&
	    (json_get(msg, "result") || json_get(msg, "error")))
		return MCP_RPC_RESPONSE;
	m->method = json_get_str(msg, "method");
	if (!m->method)
		return invalid(m, "method must be a string");
	m->params = json_get(msg, "params");
	if (m->params && json_type(m->params) != JSON_OBJECT)
		return invalid(m, "params must be an object");
	if (!id)
		return MCP_RPC_NOTIFICATION;
	return m->id ? MCP_RPC_REQUEST
		     : invalid(m, "id must be a string or a whole number");
}

void mcp_rpc_read(const struct json *msg, struct mcp_rpc *ret)
{
	struct mcp_rpc m = { 0 };

	m.kind = kind_of(msg, &m);
	*ret = m;
}

/* A message with one member of its own; takes @v over. */
static struct json *message(const struct json *id, bool has_id, const char *key,
			    struct json *v)
{
	_cleanup_json_ struct json *m = json_object();

	json_set_str(m, "jsonrpc", "2.0");
	if (has_id)
		json_set(m, "id", id ? json_dup(id) : json_null());
	json_set(m, key, v);
	return json_failed(m) < 0 ? NULL : take(&m, NULL);
}

struct json *mcp_rpc_result(const struct json *id, struct json *result)
{
	return message(id, true, "result", result);
}

struct json *mcp_rpc_error(const struct json *id, int code, const char *text)
{
	struct json *e = json_object();

	json_set_int(e, "code", code);
	json_set_str(e, "message", text);
	return mcp_rpc_failure(id, e);
}

struct json *mcp_rpc_failure(const struct json *id, struct json *error)
{
	return message(id, true, "error", error);
}

struct json *mcp_rpc_notify(const char *method, struct json *params)
{
	_cleanup_json_ struct json *m =
		message(NULL, false, "method", json_string(method));

	json_set(m, "params", params);
	return json_failed(m) < 0 ? NULL : take(&m, NULL);
}
