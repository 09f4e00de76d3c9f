/* Theory of operation
 *
 * Revision 2026-07-28 has no sessions: all such requests of a box's callers go to one child,
 * which keeps the shells that they name. It is told ids of ours, for clients that know
 * nothing of each other may use the same ones. An answer is a stream when a tool is called,
 * else JSON; a stream that its client closes cancels the call. Nothing is kept for a client
 * that lost one. Source: modelcontextprotocol.io, specification 2026-07-28, transports. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "agent/mcp/modern.h"
#include "agent/server/exchange/exchange.h"
#include "agent/server/mcp/impl.h"
#include "agent/server/tenant/tenant.h"
#include "base/list.h"
#include "base/loop.h"

enum { IDLE_MS = 1800000, TEXT = (16 << 20) + (64 << 10) };

struct shared_call {
	struct shared_call *next;
	struct shared *s;
	struct exchange *x;
	char id[24];	    /* that the child has been told */
	struct json *asked; /* owned; the client's id */
	struct json
		*token; /* owned; the client's, of its progress; NULL = none wanted */
	bool events;	/* answered by a stream, else as JSON */
};

struct shared {
	struct tenant *tenant; /* held while the child runs */
	struct mcp_child child;
	struct loop_source *idle; /* NULL = there is no child */
	struct shared_call *calls;
	uint64_t number;
};

/* ---- the life of the child ------------------------------------------------------ */

static void call_free(struct shared_call *c)
{
	(void)list_drop(c->s->calls, c);
	json_free(&c->asked);
	json_free(&c->token);
	free(c);
}

static void stop(struct shared *s)
{
	while (s->calls) {
		struct exchange *x = s->calls->x;
		bool begun = s->calls->events;

		call_free(s->calls);
		if (begun)
			exchange_cut(x);
		else
			exchange_fail(x, 503, "the tools have ended; ask again");
	}
	if (!s->idle)
		return;
	loop_remove(s->child.loop, &s->idle);
	mcp_child_done(&s->child);
	tenant_release(s->tenant);
}

static void on_end(void *ctx)
{
	stop(ctx);
}

static void shared_free(void *ctx)
{
	stop(ctx);
	free(ctx);
}

static int on_idle(void *ctx, uint32_t, struct err *)
{
	struct shared *s = ctx;

	if (s->calls)
		loop_rearm(s->child.loop, s->idle, IDLE_MS);
	else
		stop(s);
	return 0;
}

/* ---- what it says --------------------------------------------------------------- */

static void tell(struct exchange *x, const struct json *j)
{
	_cleanup_buf_ struct buf text = BUF_INIT(TEXT);

	if (json_print(j, false, &text) < 0)
		return;
	exchange_write(x, "event: message\ndata: ", 21);
	exchange_write(x, text.data, text.len);
	exchange_write(x, "\n\n", 2);
}

static struct shared_call *call_of(struct shared *s, const char *id)
{
	struct shared_call *c = s->calls;

	while (c && (!id || strcmp(c->id, id) != 0))
		c = c->next;
	return c;
}

static void on_progress(struct shared *s, struct json *j)
{
	struct json *params = json_remove(j, "params");
	struct shared_call *c = call_of(s, json_get_str(params, "progressToken"));

	if (c && c->events && c->token) {
		json_set(params, "progressToken", json_dup(c->token));
		json_set(j, "params", take(&params, NULL));
		tell(c->x, j);
	}
	json_free(&params);
}

static void on_line(void *ctx, struct json *j, const char *, size_t)
{
	struct shared *s = ctx;
	struct shared_call *c = call_of(s, json_get_str(j, "id"));
	struct exchange *x = c ? c->x : NULL;
	bool events = c && c->events;

	if (json_get(j, "method"))
		on_progress(s, j);
	if (!c || json_get(j, "method"))
		return;
	json_set(j, "id", take(&c->asked, NULL));
	call_free(c);
	if (events)
		tell(x, j);
	if (events)
		exchange_end(x);
	else
		exchange_reply(x, 200, json_dup(j));
}

/* ---- requests ------------------------------------------------------------------- */

static void on_gone(void *ctx)
{
	_cleanup_json_ struct json *params = json_object(), *j = NULL;
	struct shared_call *c = ctx;
	struct shared *s = c->s;

	json_set_str(params, "requestId", c->id);
	call_free(c);
	j = mcp_rpc_notify("notifications/cancelled", take(&params, NULL));
	if (j)
		(void)mcp_child_tell(&s->child, j);
}

static const struct exchange_hooks hooks = { .gone = on_gone };

/* NULL: @e says why */
static struct shared *shared_of(struct exchange *x, struct err *e)
{
	struct shared *s = tenant_slot(exchange_tenant(x), TENANT_MCP_SHARED,
				       sizeof(*s), shared_free);

	if (!s)
		err_sys(e, -ENOMEM, "cannot ask");
	if (!s || s->idle)
		return s;
	s->tenant = exchange_tenant(x);
	mcp_child_init(&s->child, on_line, on_end, s);
	if (mcp_child_start(&s->child, x, e) < 0) {
		mcp_child_done(&s->child);
		return NULL;
	}
	if (loop_timer(exchange_loop(x), IDLE_MS, on_idle, s, &s->idle) < 0) {
		mcp_child_done(&s->child);
		err_sys(e, -ENOMEM, "cannot ask");
		return NULL;
	}
	tenant_hold(s->tenant);
	return s;
}

/* The request as the child gets it: with the id of @c for the client's two. */
static struct json *with_id(struct shared_call *c, const struct json *j)
{
	struct json *copy = json_dup(j), *params = json_remove(copy, "params");
	struct json *meta = json_remove(params, "_meta");

	c->asked = json_remove(copy, "id");
	c->token = json_remove(meta, "progressToken");
	json_set_str(copy, "id", c->id);
	if (mcp_rpc_is_id(c->token))
		json_set_str(meta, "progressToken", c->id);
	json_set(params, "_meta", meta);
	json_set(copy, "params", params);
	return copy;
}

static int call(struct shared *s, struct exchange *x, const struct json *j,
		struct err *e)
{
	static const char *const headers[] = { MCP_UNBUFFERED, NULL };
	const char *accept = exchange_header(x, "accept");
	struct shared_call *c = calloc(1, sizeof(*c));
	_cleanup_json_ struct json *copy = NULL;

	if (!c)
		return err_sys(e, -ENOMEM, "cannot ask");
	*c = (struct shared_call){ .s = s, .x = x, .next = s->calls };
	snprintf(c->id, sizeof(c->id), "%" PRIu64, ++s->number);
	s->calls = c;
	copy = with_id(c, j);
	if (json_failed(copy) < 0 || mcp_child_tell(&s->child, copy) < 0) {
		call_free(c);
		return err_set(e, -EAGAIN, "the tools do not read");
	}
	loop_rearm(s->child.loop, s->idle, IDLE_MS);
	c->events = json_is(j, "method", "tools/call") && accept &&
		    strstr(accept, "text/event-stream");
	exchange_later(x, &hooks, c);
	if (!c->events)
		return 0;
	exchange_begin(x, 200, "text/event-stream", headers, -1);
	exchange_flows(x);
	exchange_write(x, ":\n\n", 3); /* proxies and clients see that it has begun */
	return 0;
}

/* By its body, or by its head alone: then the body is wrong. */
bool mcp_shared_meant(struct exchange *x)
{
	const char *version = exchange_header(x, "mcp-protocol-version");
	struct mcp_rpc m;

	mcp_rpc_read(exchange_json(x), &m);
	return m.kind == MCP_RPC_REQUEST &&
	       (mcp_modern(&m) || (version && strcmp(version, MCP_MODERN) >= 0));
}

int mcp_shared_post(struct exchange *x, struct err *e)
{
	const struct mcp_modern_head head = {
		.version = exchange_header(x, "mcp-protocol-version"),
		.method = exchange_header(x, "mcp-method"),
		.name = exchange_header(x, "mcp-name")
	};
	const struct json *j = exchange_json(x);
	struct json *why = NULL;
	struct shared *s;
	struct mcp_rpc m;
	int r;

	mcp_rpc_read(j, &m);
	r = mcp_modern_refuse(&m, &head, &why);
	if (r) {
		exchange_reply(x, r == MCP_RPC_NO_METHOD ? 404 : 400, why);
		return 0;
	}
	s = shared_of(x, e);
	return s ? call(s, x, j, e) : e->code;
}
