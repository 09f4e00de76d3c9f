#include "agent/mcp/rpc.h"

#include "tests/unit/unit.h"

#define V "\"jsonrpc\":\"2.0\""

static const struct row {
	const char *name, *text;
	enum mcp_rpc_kind kind;
	const char *method, *why;
	bool id;
} rows[] = {
	{ "request", "{" V ",\"id\":1,\"method\":\"m\"}", MCP_RPC_REQUEST, "m", NULL,
	  true },
	{ "id as text", "{" V ",\"id\":\"a\",\"method\":\"m\",\"params\":{}}",
	  MCP_RPC_REQUEST, "m", NULL, true },
	{ "notification", "{" V ",\"method\":\"m\"}", MCP_RPC_NOTIFICATION, "m", NULL,
	  false },
	{ "result", "{" V ",\"id\":1,\"result\":{}}", MCP_RPC_RESPONSE, NULL, NULL,
	  true },
	{ "error", "{" V ",\"id\":1,\"error\":{}}", MCP_RPC_RESPONSE, NULL, NULL,
	  true },
	{ "number", "7", MCP_RPC_INVALID, NULL, "a message must be an object", false },
	{ "no version", "{\"id\":1,\"method\":\"m\"}", MCP_RPC_INVALID, NULL,
	  "jsonrpc must be \"2.0\"", true },
	{ "version 1", "{\"jsonrpc\":\"1.0\",\"id\":1,\"method\":\"m\"}",
	  MCP_RPC_INVALID, NULL, "jsonrpc must be \"2.0\"", true },
	{ "method is a number", "{" V ",\"id\":1,\"method\":1}", MCP_RPC_INVALID, NULL,
	  "method must be a string", true },
	{ "nothing but an id", "{" V ",\"id\":1}", MCP_RPC_INVALID, NULL,
	  "method must be a string", true },
	{ "id is null", "{" V ",\"id\":null,\"method\":\"m\"}", MCP_RPC_INVALID, "m",
	  "id must be a string or a whole number", false },
	{ "id is a fraction", "{" V ",\"id\":1.5,\"method\":\"m\"}", MCP_RPC_INVALID,
	  "m", "id must be a string or a whole number", false },
	{ "params is a list", "{" V ",\"id\":1,\"method\":\"m\",\"params\":[]}",
	  MCP_RPC_INVALID, "m", "params must be an object", true },
};

static void test_read(const void *data)
{
	const struct row *row = data;
	_cleanup_json_ struct json *j = unit_json(row->text);
	struct mcp_rpc m;

	mcp_rpc_read(j, &m);
	assert_int_equal(m.kind, row->kind);
	assert_int_equal(m.id != NULL, row->id);
	if (row->why)
		assert_string_equal(m.why, row->why);
	if (row->method)
		assert_string_equal(m.method, row->method);
	else
		assert_null(m.method);
}

static void ids(void)
{
	_cleanup_json_ struct json *one = unit_json("1"), *text = unit_json("\"1\"");
	_cleanup_json_ struct json *other = unit_json("1.0"), *list = unit_json("[]");

	assert_true(mcp_rpc_same_id(one, other));
	assert_false(mcp_rpc_same_id(one, text));
	assert_true(mcp_rpc_same_id(text, text));
	assert_false(mcp_rpc_same_id(list, list));
	assert_false(mcp_rpc_same_id(NULL, NULL));
	assert_false(mcp_rpc_is_id(NULL));
}

static void assert_message(struct json *m, const char *want)
{
	_cleanup_json_ struct json *j = m;
	_cleanup_buf_ struct buf b = BUF_INIT(1000);

	assert_int_equal(json_print(j, false, &b), 0);
	assert_string_equal(buf_cstr(&b), want);
}

static void messages(void)
{
	_cleanup_json_ struct json *id = unit_json("\"x\"");

	assert_message(mcp_rpc_result(id, json_object()),
		       "{\"jsonrpc\":\"2.0\",\"id\":\"x\",\"result\":{}}");
	assert_message(mcp_rpc_error(NULL, MCP_RPC_PARSE, "no"),
		       "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32700,"
		       "\"message\":\"no\"}}");
	assert_message(mcp_rpc_notify("n", json_array()),
		       "{\"jsonrpc\":\"2.0\",\"method\":\"n\",\"params\":[]}");
	assert_null(mcp_rpc_result(id, NULL));
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "ids", ids },
		{ "messages", messages },
	};

	return unit_rows("mcp_rpc_read", rows, test_read) +
	       unit_cases("mcp_rpc", cases);
}
