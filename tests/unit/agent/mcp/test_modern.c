#include "agent/mcp/modern.h"

#include "tests/unit/unit.h"

#define OWN "io.modelcontextprotocol/"
#define VERSION(v) "\"" OWN "protocolVersion\":\"" v "\""
#define CAN "\"" OWN "clientCapabilities\":{}"
#define ASK(method, meta) \
	"{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"" method "\",\"params\":{" meta "}}"
#define META(v) "\"_meta\":{" VERSION(v) "," CAN "}"
#define TOOL(name) "\"name\":\"" name "\","

static const struct row {
	const char *name, *text;
	struct mcp_modern_head head; /* no method: there is no head */
	bool modern;
	int code;
	const char *message; /* begins so */
} rows[] = {
	{ "well", ASK("tools/list", META("2026-07-28")), { 0 }, true, 0, NULL },
	{ "well, with a head",
	  ASK("tools/list", META("2026-07-28")),
	  { "2026-07-28", "tools/list", NULL },
	  true,
	  0,
	  NULL },
	{ "of an older revision",
	  ASK("tools/list", ""),
	  { 0 },
	  false,
	  -32602,
	  "_meta needs " OWN "protocolVersion" },
	{ "server/discover is of the new ones alone",
	  ASK("server/discover", ""),
	  { 0 },
	  true,
	  -32602,
	  "_meta needs " OWN "protocolVersion" },
	{ "a version that is a number",
	  ASK("tools/list", "\"_meta\":{\"" OWN "protocolVersion\":1," CAN "}"),
	  { 0 },
	  true,
	  -32602,
	  "_meta needs " OWN "protocolVersion" },
	{ "no capabilities",
	  ASK("tools/list", "\"_meta\":{" VERSION("2026-07-28") "}"),
	  { 0 },
	  true,
	  -32602,
	  "_meta needs " OWN "clientCapabilities" },
	{ "capabilities as a list",
	  ASK("tools/list",
	      "\"_meta\":{" VERSION("2026-07-28") ",\"" OWN "clientCapabilities\":[]}"),
	  { 0 },
	  true,
	  -32602,
	  "_meta needs " OWN "clientCapabilities" },
	{ "a revision that is not spoken",
	  ASK("tools/list", META("2027-01-01")),
	  { 0 },
	  true,
	  -32022,
	  "Unsupported protocol version" },
	{ "an old revision without its session",
	  ASK("tools/list", META("2025-11-25")),
	  { 0 },
	  true,
	  -32022,
	  "Unsupported protocol version" },
	{ "the head comes first",
	  ASK("tools/list", META("2027-01-01")),
	  { "2026-07-28", "tools/list", NULL },
	  true,
	  -32020,
	  "Header mismatch: MCP-Protocol-Version" },
	{ "no version in the head",
	  ASK("tools/list", META("2026-07-28")),
	  { NULL, "tools/list", NULL },
	  true,
	  -32020,
	  "Header mismatch: MCP-Protocol-Version" },
	{ "another method in the head",
	  ASK("tools/list", META("2026-07-28")),
	  { "2026-07-28", "Tools/List", NULL },
	  true,
	  -32020,
	  "Header mismatch: Mcp-Method" },
	{ "no tool in the head",
	  ASK("tools/call", TOOL("shell") META("2026-07-28")),
	  { "2026-07-28", "tools/call", NULL },
	  true,
	  -32020,
	  "Header mismatch: Mcp-Name" },
	{ "another tool in the head",
	  ASK("tools/call", TOOL("shell") META("2026-07-28")),
	  { "2026-07-28", "tools/call", "python" },
	  true,
	  -32020,
	  "Header mismatch: Mcp-Name" },
	{ "no tool in the body",
	  ASK("tools/call", META("2026-07-28")),
	  { "2026-07-28", "tools/call", "shell" },
	  true,
	  -32020,
	  "Header mismatch: Mcp-Name" },
	{ "the tool",
	  ASK("tools/call", TOOL("shell") META("2026-07-28")),
	  { "2026-07-28", "tools/call", "shell" },
	  true,
	  0,
	  NULL },
	{ "the tool in base64",
	  ASK("tools/call", TOOL("\xc3\xbc") META("2026-07-28")),
	  { "2026-07-28", "tools/call", "=?base64?w7w=?=" },
	  true,
	  0,
	  NULL },
	{ "another tool in base64",
	  ASK("tools/call", TOOL("u") META("2026-07-28")),
	  { "2026-07-28", "tools/call", "=?base64?w7w=?=" },
	  true,
	  -32020,
	  "Header mismatch: Mcp-Name" },
	{ "what is no base64",
	  ASK("tools/call", TOOL("u") META("2026-07-28")),
	  { "2026-07-28", "tools/call", "=?base64?w7?=" },
	  true,
	  -32020,
	  "Header mismatch: Mcp-Name" },
	{ "begins as base64 does",
	  ASK("tools/call", TOOL("=?base64?=") META("2026-07-28")),
	  { "2026-07-28", "tools/call", "=?base64?=" },
	  true,
	  0,
	  NULL },
	{ "a method that went",
	  ASK("ping", META("2026-07-28")),
	  { 0 },
	  true,
	  -32601,
	  "no method 'ping'" },
	{ "initialize of a new revision",
	  ASK("initialize", META("2026-07-28")),
	  { 0 },
	  true,
	  -32601,
	  "no method 'initialize'" },
};

static void test_refuse(const void *data)
{
	const struct row *row = data;
	_cleanup_json_ struct json *j = NULL, *why = NULL;
	struct err e = ERR_NONE;
	struct mcp_rpc m;
	const char *said;

	unit_ok(json_parse(row->text, strlen(row->text), &j, &e), &e);
	mcp_rpc_read(j, &m);
	assert_int_equal(m.kind, MCP_RPC_REQUEST);
	assert_int_equal(mcp_modern(&m), row->modern);
	assert_int_equal(
		mcp_modern_refuse(&m, row->head.method ? &row->head : NULL, &why),
		row->code);
	if (!row->code) {
		assert_null(why);
		return;
	}
	assert_int_equal(json_get_int(why, "id", 0), 7);
	assert_int_equal(json_get_int(json_get(why, "error"), "code", 0), row->code);
	said = json_get_str(json_get(why, "error"), "message");
	assert_memory_equal(said, row->message, strlen(row->message));
}

static const struct kept_row {
	const char *name, *in, *out;
	bool kept;
} kept_rows[] = {
	{ "what a call has", "{\"content\":[],\"_meta\":{\"cubby/exit\":0}}",
	  "{\"content\":[],\"_meta\":{\"cubby/exit\":0,\"" OWN
	  "serverInfo\":{\"name\":\"n\"}},\"resultType\":\"complete\"}",
	  false },
	{ "what holds for longer", "{\"tools\":[]}",
	  "{\"tools\":[],\"_meta\":{\"" OWN
	  "serverInfo\":{\"name\":\"n\"}},\"resultType\":\"complete\",\"ttlMs\":300000,"
	  "\"cacheScope\":\"private\"}",
	  true },
};

static void test_result(const void *data)
{
	const struct kept_row *row = data;
	_cleanup_json_ struct json *j = unit_json(row->in);
	_cleanup_buf_ struct buf out = BUF_INIT(4096);
	struct json *server = json_object();

	json_set_str(server, "name", "n");
	assert_int_equal(mcp_modern_result(j, server, row->kept), 0);
	assert_int_equal(json_print(j, false, &out), 0);
	assert_string_equal(buf_cstr(&out), row->out);
}

static void test_discover(void)
{
	_cleanup_json_ struct json *j = mcp_modern_discover("how");
	_cleanup_buf_ struct buf out = BUF_INIT(4096);

	assert_int_equal(json_print(j, false, &out), 0);
	assert_string_equal(buf_cstr(&out),
			    "{\"supportedVersions\":[\"2026-07-28\"],\"capabilities\":{"
			    "\"tools\":{}},\"instructions\":\"how\"}");
}

int main(void)
{
	static const struct unit_case cases[] = { { "discover", test_discover } };

	return unit_rows("mcp_modern_refuse", rows, test_refuse) +
	       unit_rows("mcp_modern_result", kept_rows, test_result) +
	       unit_cases("mcp_modern", cases);
}
