#include "agent/mcp/modern.h"

#include <stdio.h>
#include <string.h>

#include "base/base64.h"
#include "base/text.h"

#define OWN "io.modelcontextprotocol/"

enum { KEPT_MS = 300000 };

static const char *const methods[] = { "server/discover", "tools/list", "tools/call" };

static const struct json *meta(const struct mcp_rpc *m, const char *key)
{
	return json_get(json_get(m->params, "_meta"), key);
}

bool mcp_modern(const struct mcp_rpc *m)
{
	return meta(m, OWN "protocolVersion") || !strcmp(m->method, "server/discover");
}

static bool same(const char *a, const char *b)
{
	return a && b && !strcmp(a, b);
}

/* A name that is no plain ASCII stands in the head as "=?base64?…?=". */
static bool same_name(const char *in_head, const char *name)
{
	static const char begin[] = "=?base64?", end[] = "?=";
	size_t len = in_head ? strlen(in_head) : 0, n = sizeof(begin) - 1;
	_cleanup_buf_ struct buf plain = BUF_INIT(32 << 10); /* no head is larger */

	if (!in_head || !text_starts(in_head, begin) || len < n + 2 ||
	    strcmp(in_head + len - 2, end) != 0)
		return same(in_head, name);
	return name && base64_get(&plain, in_head + n, len - n - 2) == 0 &&
	       plain.len == strlen(name) && !memcmp(buf_cstr(&plain), name, plain.len);
}

static const char *mismatch(const struct mcp_rpc *m, const struct mcp_modern_head *head,
			    const char *version)
{
	if (!same(head->version, version))
		return "Header mismatch: MCP-Protocol-Version is not that of the body";
	if (!same(head->method, m->method))
		return "Header mismatch: Mcp-Method is not the method of the body";
	if (!strcmp(m->method, "tools/call") &&
	    !same_name(head->name, json_get_str(m->params, "name")))
		return "Header mismatch: Mcp-Name is not params.name of the body";
	return NULL;
}

static int refuse(const struct mcp_rpc *m, int code, const char *text,
		  struct json **ret)
{
	*ret = mcp_rpc_error(m->id, code, text);
	return code;
}

static int refuse_version(const struct mcp_rpc *m, const char *version,
			  struct json **ret)
{
	_cleanup_json_ struct json *error = json_object(), *data = json_object(),
				   *supported = json_array();

	json_add(supported, json_string(MCP_MODERN));
	json_set(data, "supported", take(&supported, NULL));
	json_set_str(data, "requested", version);
	json_set_int(error, "code", MCP_MODERN_VERSION);
	json_set_str(error, "message", "Unsupported protocol version");
	json_set(error, "data", take(&data, NULL));
	*ret = mcp_rpc_failure(m->id, take(&error, NULL));
	return MCP_MODERN_VERSION;
}

int mcp_modern_refuse(const struct mcp_rpc *m, const struct mcp_modern_head *head,
		      struct json **ret)
{
	const char *version = json_str(meta(m, OWN "protocolVersion")), *wrong;
	char text[120], shown[80];

	if (!version)
		return refuse(m, MCP_RPC_BAD_PARAMS,
			      "_meta needs " OWN "protocolVersion", ret);
	if (json_type(meta(m, OWN "clientCapabilities")) != JSON_OBJECT)
		return refuse(m, MCP_RPC_BAD_PARAMS,
			      "_meta needs " OWN "clientCapabilities", ret);
	wrong = head ? mismatch(m, head, version) : NULL;
	if (wrong)
		return refuse(m, MCP_MODERN_MISMATCH, wrong, ret);
	if (strcmp(version, MCP_MODERN) != 0)
		return refuse_version(m, version, ret);
	for (size_t i = 0; i < ARRAY_SIZE(methods); i++)
		if (!strcmp(m->method, methods[i]))
			return 0;
	snprintf(text, sizeof(text), "no method '%s'",
		 text_escaped(shown, sizeof(shown), m->method, strlen(m->method)));
	return refuse(m, MCP_RPC_NO_METHOD, text, ret);
}

int mcp_modern_result(struct json *result, struct json *server, bool kept)
{
	struct json *own = json_remove(result, "_meta");

	own = own ? own : json_object();
	json_set(own, OWN "serverInfo", server);
	json_set(result, "_meta", own);
	json_set_str(result, "resultType", "complete");
	if (kept) {
		json_set_int(result, "ttlMs", KEPT_MS);
		json_set_str(result, "cacheScope", "private");
	}
	return json_failed(result);
}

struct json *mcp_modern_discover(const char *instructions)
{
	struct json *result = json_object(), *versions = json_array(),
		    *can = json_object();

	json_add(versions, json_string(MCP_MODERN));
	json_set(result, "supportedVersions", versions);
	json_set(can, "tools", json_object());
	json_set(result, "capabilities", can);
	if (instructions)
		json_set_str(result, "instructions", instructions);
	return result;
}
