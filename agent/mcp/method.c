#include <stdio.h>
#include <string.h>

#include "agent/mcp/impl.h"
#include "agent/mcp/modern.h"
#include "base/text.h"

static const char *const revisions[] = { /* newest first */
					 "2025-11-25", "2025-06-18", MCP_RPC_BATCHES,
					 "2024-11-05"
};

/* Why there is no result. */
struct fault {
	int code; /* enum mcp_rpc_code; 0 = none */
	char text[200];
};

static struct json *fault(struct fault *f, int code, const char *fmt, ...)
	_printf_(3, 4);
static struct json *fault(struct fault *f, int code, const char *fmt, ...)
{
	va_list ap;

	f->code = code;
	va_start(ap, fmt);
	vsnprintf(f->text, sizeof(f->text), fmt, ap);
	va_end(ap);
	return NULL;
}

/* ---- initialize ---------------------------------------------------------- */

static const char *choose(const char *asked)
{
	for (size_t i = 0; asked && i < ARRAY_SIZE(revisions); i++)
		if (!strcmp(asked, revisions[i]))
			return revisions[i];
	return revisions[0];
}

bool mcp_method_batches(const struct mcp *m)
{
	return m->revision && !strcmp(m->revision, MCP_RPC_BATCHES);
}

static struct json *capabilities(void)
{
	struct json *c = json_object();

	json_set(c, "tools", json_object());
	json_set(c, "logging", json_object());
	return c;
}

static struct json *initialize(struct mcp *m, const struct mcp_rpc *rq, struct fault *f)
{
	_cleanup_json_ struct json *result = json_object();
	const char *asked = json_get_str(rq->params, "protocolVersion");

	if (m->revision)
		return fault(f, MCP_RPC_BAD_REQUEST, "already initialized");
	if (!asked)
		return fault(f, MCP_RPC_BAD_PARAMS, "protocolVersion is missing");
	json_set_str(result, "protocolVersion", choose(asked));
	json_set(result, "capabilities", capabilities());
	json_set(result, "serverInfo", mcp_send_server(m));
	if (m->conf->instructions)
		json_set_str(result, "instructions", m->conf->instructions);
	if (json_failed(result) < 0)
		return NULL;
	m->revision = choose(asked);
	return take(&result, NULL);
}

static struct json *discover(struct mcp *m, const struct mcp_rpc *, struct fault *)
{
	return mcp_modern_discover(m->conf->instructions);
}

/* ---- the other methods --------------------------------------------------- */

static struct json *ping(struct mcp *, const struct mcp_rpc *, struct fault *)
{
	return json_object();
}

static struct json *set_level(struct mcp *m, const struct mcp_rpc *rq, struct fault *f)
{
	if (mcp_send_level(m, json_get_str(rq->params, "level")))
		return json_object();
	return fault(f, MCP_RPC_BAD_PARAMS, "level must be one of debug to emergency");
}

static struct json *describe(const struct tool *t)
{
	_cleanup_json_ struct json *d = json_object(), *schema = NULL;
	struct json *annotations = json_object();

	(void)json_parse(t->schema, strlen(t->schema), &schema, ERR_IGNORED);
	json_set_str(d, "name", t->name);
	json_set_str(d, "description", t->description);
	json_set(d, "inputSchema", take(&schema, NULL));
	/* Clients may run those that change nothing without asking. */
	json_set_bool(annotations, "readOnlyHint", t->harmless);
	json_set(d, "annotations", annotations);
	return json_failed(d) < 0 ? NULL : take(&d, NULL);
}

static struct json *list_tools(struct mcp *m, const struct mcp_rpc *rq, struct fault *f)
{
	_cleanup_json_ struct json *list = json_array(), *result = json_object();

	if (json_get(rq->params, "cursor"))
		return fault(f, MCP_RPC_BAD_PARAMS, "there is only one page of tools");
	for (size_t i = 0; i < m->conf->tool_count; i++) {
		const struct tool *t = &m->conf->tools[i];

		if (strcmp(t->name, "finish") != 0)
			json_add(list, describe(t));
	}
	json_set(result, "tools", take(&list, NULL));
	return json_failed(result) < 0 ? NULL : take(&result, NULL);
}

/* ---- dispatch ------------------------------------------------------------ */

static const struct method {
	const char *name;
	struct json *(*run)(struct mcp *m, const struct mcp_rpc *rq, struct fault *f);
	bool early; /* before initialize, too */
	bool alone; /* not within a batch */
} methods[] = {
	{ "initialize", initialize, true, true },
	{ "ping", ping, true, false },
	{ "logging/setLevel", set_level, false, false },
	{ "tools/list", list_tools, false, false },
	{ "tools/call", NULL, false, false }, /* queued: call.c */
	{ "server/discover", discover, true, true },
};

static const struct method *find(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(methods); i++)
		if (!strcmp(name, methods[i].name))
			return &methods[i];
	return NULL;
}

static void request(struct mcp *m, const struct mcp_rpc *rq, struct mcp_batch *batch)
{
	const struct method *method = find(rq->method);
	bool modern = mcp_modern(rq);
	struct fault f = { 0 };
	struct json *result = NULL;

	if (modern && mcp_modern_refuse(rq, NULL, &result)) {
		mcp_send_answer(m, batch, result);
		return;
	}
	if (!method)
		fault(&f, MCP_RPC_NO_METHOD, "no method '%s'", text_shown(rq->method));
	else if (!m->revision && !method->early && !modern)
		fault(&f, MCP_RPC_BAD_REQUEST, "initialize comes first");
	else if (batch && method->alone)
		fault(&f, MCP_RPC_BAD_REQUEST, "%s must not be in a batch", rq->method);
	else if (!method->run) {
		mcp_call_request(m, rq, batch);
		return;
	} else
		result = method->run(m, rq, &f);
	if (!result && !f.code)
		fault(&f, MCP_RPC_INTERNAL, "out of memory");
	if (f.code)
		mcp_send_answer(m, batch, mcp_rpc_error(rq->id, f.code, f.text));
	else
		mcp_send_result(m, batch, rq->id, result, modern, true);
}

/* Notifications that are not known are passed over, as the protocol wants it. */
static void notification(struct mcp *m, const struct mcp_rpc *n)
{
	if (!strcmp(n->method, "notifications/cancelled"))
		mcp_call_cancel(m, json_get(n->params, "requestId"));
}

void mcp_method_message(struct mcp *m, const struct json *message,
			struct mcp_batch *batch)
{
	struct mcp_rpc rpc;

	mcp_rpc_read(message, &rpc);
	if (batch && rpc.kind != MCP_RPC_NOTIFICATION && rpc.kind != MCP_RPC_RESPONSE)
		batch->open++;
	switch (rpc.kind) {
	case MCP_RPC_REQUEST:
		request(m, &rpc, batch);
		break;
	case MCP_RPC_NOTIFICATION:
		notification(m, &rpc);
		break;
	case MCP_RPC_RESPONSE: /* we ask for nothing */
		break;
	case MCP_RPC_INVALID:
		mcp_send_answer(m, batch,
				mcp_rpc_error(rpc.id, MCP_RPC_BAD_REQUEST, rpc.why));
	}
}
