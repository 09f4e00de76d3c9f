/* Theory of operation
 *
 * The Model Context Protocol by HTTP. A session is a child, `cubby mcp` in the caller's
 * box, that speaks on its standard streams; here its lines become answers. What a client
 * asks by POST is a line in, and the line with the same id is its answer: as JSON, or as
 * the last event of a stream when a tool is called. Events have numbers and the last of
 * them are kept: a client that lost its stream asks with Last-Event-ID for what came
 * after. Revision 2025-03-26 has batches, several messages in one POST: the child is told
 * them one by one, and the answers are put together here. What revision 2026-07-28 has,
 * which knows no sessions, is in shared.c.
 * Source: modelcontextprotocol.io, specification 2025-11-25, transports. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "agent/mcp/rpc.h"
#include "agent/server/exchange/exchange.h"
#include "agent/server/mcp/impl.h"
#include "agent/server/mcp/mcp.h"
#include "agent/server/tenant/tenant.h"
#include "base/list.h"
#include "base/loop.h"
#include "base/nonce.h"
#include "base/sys/sys.h"

enum {
	SESSIONS = 16, /* of a tenant */
	ID = 33,
	BATCH = 256,				     /* messages */
	BATCH_BYTES = EXCHANGE_OUT_MAX - (64 << 10), /* of its answers as JSON */
	IDLE_MS = 1800000
};

/* A POST that awaits the answer of its request, or of each in its batch. */
struct mcp_web_call {
	struct mcp_web_call *next;
	struct session *s;
	struct exchange *x; /* NULL = its stream is lost */
	struct json **ids;  /* owned; NULL = that one is answered */
	size_t n_ids;
	size_t open; /* without an answer; one more while its messages are read */
	uint64_t stream;
	bool events; /* answered by a stream, else as JSON */
	bool batch;
	struct buf answers; /* as JSON, until all are there */
	bool full;	    /* there was no room for all of them */
};

struct session {
	struct session *next;
	struct sessions *all;
	struct loop *loop;
	char id[ID];
	struct mcp_child child;
	struct loop_source *idle;
	struct mcp_web_call *calls;
	struct exchange *listener; /* GET; NULL = none */
	struct mcp_events events;
	uint64_t streams;
	bool primed; /* the revision that was agreed on has first events without data */
	bool batches; /* it has them */
};

struct sessions {
	struct tenant *tenant;
	struct session *first;
	unsigned count;
};

/* ---- the life of a session ------------------------------------------------------ */

static void call_free(struct mcp_web_call *c)
{
	(void)list_drop(c->s->calls, c);
	for (size_t i = 0; i < c->n_ids; i++)
		json_free(&c->ids[i]);
	free(c->ids);
	buf_done(&c->answers);
	free(c);
}

static void session_free(struct session *s)
{
	(void)list_drop(s->all->first, s);
	s->all->count--;
	while (s->calls) {
		struct exchange *x = s->calls->x;
		bool begun = s->calls->events;

		call_free(s->calls);
		if (x && begun)
			exchange_cut(x);
		else if (x)
			exchange_fail(x, 404, "the session has ended");
	}
	if (s->listener)
		exchange_end(s->listener);
	loop_remove(s->loop, &s->idle);
	mcp_child_done(&s->child);
	mcp_events_done(&s->events);
	tenant_release(s->all->tenant);
	free(s);
}

static void sessions_free(void *ctx)
{
	struct sessions *all = ctx;

	while (all->first)
		session_free(all->first);
	free(all);
}

static struct sessions *sessions_of(struct tenant *t)
{
	struct sessions *all = tenant_slot(t, TENANT_MCP, sizeof(*all), sessions_free);

	if (all)
		all->tenant = t;
	return all;
}

static int on_idle(void *ctx, uint32_t, struct err *)
{
	struct session *s = ctx;

	if (s->calls || s->listener)
		loop_rearm(s->loop, s->idle, IDLE_MS);
	else
		session_free(s);
	return 0;
}

/* ---- what the child says -------------------------------------------------------- */

/* Where @id stands in it; NULL = it does not wait for that. */
static struct json **id_in(const struct mcp_web_call *c, const struct json *id)
{
	for (size_t i = 0; i < c->n_ids; i++)
		if (mcp_rpc_same_id(c->ids[i], id))
			return &c->ids[i];
	return NULL;
}

static struct mcp_web_call *call_with(const struct session *s, const struct json *id)
{
	struct mcp_web_call *c = s->calls;

	while (c && !id_in(c, id))
		c = c->next;
	return c;
}

static void send_json(struct exchange *x, const char *text, size_t len)
{
	exchange_begin(x, 200, "application/json", NULL, (int64_t)len);
	exchange_write(x, text, len);
	exchange_end(x);
}

/* One less to wait for; with the last the POST is over. */
static void call_less(struct mcp_web_call *c)
{
	_cleanup_buf_ struct buf answers = BUF_INIT(0);
	struct exchange *x = c->x;
	bool events = c->events, full = c->full, batch = c->batch;

	if (--c->open)
		return;
	answers = take(&c->answers, BUF_INIT(0));
	call_free(c);
	if (!x)
		return;
	if (batch && answers.len)
		buf_addc(&answers, ']');
	if (events)
		exchange_end(x);
	else if (buf_failed(&answers))
		exchange_fail(
			x, 503,
			"the answers of the batch are too large together; ask for "
			"fewer at once, or for a stream");
	else if (full)
		exchange_fail(x, 503, "too many large answers at once; try again");
	else if (answers.len)
		send_json(x, answers.data, answers.len);
	else
		exchange_fail(x, 409, "the call was cancelled");
}

/* An answer to @c, whose id is not in it any more. */
static void answer_call(struct mcp_web_call *c, const char *line, size_t len)
{
	bool whole = !c->events && c->x;

	c->full |=
		whole && (c->batch || len > EXCHANGE_FULL) && share_hold(c->x, len) < 0;
	if (!whole) {
		mcp_events_add(&c->s->events, c->x, c->stream, line, len);
	} else if (!c->full) {
		if (c->batch)
			buf_addc(&c->answers, c->answers.len ? ',' : '[');
		buf_add(&c->answers, line, len);
	}
	call_less(c);
}

static void on_line(void *ctx, struct json *j, const char *line, size_t len)
{
	struct session *s = ctx;
	struct mcp_web_call *c =
		json_get(j, "method") ? NULL : call_with(s, json_get(j, "id"));

	if (c) {
		const char *version =
			json_get_str(json_get(j, "result"), "protocolVersion");

		s->primed |= version && strcmp(version, "2025-11-25") >= 0;
		s->batches |= version && strcmp(version, MCP_RPC_BATCHES) == 0;
		json_free(id_in(c, json_get(j, "id")));
		answer_call(c, line, len);
		return;
	}
	if (!json_get(j, "method") && mcp_rpc_is_id(json_get(j, "id")))
		return; /* of a call that was cancelled meanwhile */
	for (struct mcp_web_call *at = s->calls; at; at = at->next)
		if (at->events)
			c = at; /* what is told while a tool runs */
	if (c)
		mcp_events_add(&s->events, c->x, c->stream, line, len);
	else
		mcp_events_add(&s->events, s->listener, 0, line, len);
}

static void on_end(void *ctx)
{
	session_free(ctx);
}

static int to_child(struct session *s, const struct json *j)
{
	loop_rearm(s->loop, s->idle, IDLE_MS);
	return mcp_child_tell(&s->child, j);
}

/* ---- requests ------------------------------------------------------------------- */

/* A page of any site could ask a server on this host: only those that may are answered. */
static int check_origin(struct exchange *x, struct err *e)
{
	if (exchange_header(x, "origin") && !exchange_origin_own(x) &&
	    !exchange_origin_allowed(x))
		return err_set(e, -EPERM, "this origin may not call");
	return 0;
}

static int check(struct exchange *x, struct err *e)
{
	const char *version = exchange_header(x, "mcp-protocol-version");
	int r = check_origin(x, e);

	if (r < 0)
		return r;
	if (version && (strlen(version) != 10 || strspn(version, "0123456789-") != 10))
		return err_set(e, -EINVAL, "bad mcp-protocol-version");
	return 0;
}

/* NULL: it was answered */
static struct session *session_for(struct exchange *x)
{
	struct sessions *all = sessions_of(exchange_tenant(x));
	const char *id = exchange_header(x, "mcp-session-id");

	if (!id) {
		exchange_fail(x, 400, "mcp-session-id is needed");
		return NULL;
	}
	for (struct session **at = all ? &all->first : NULL; at && *at;
	     at = &(*at)->next) {
		struct session *s = *at;

		if (strcmp(s->id, id) != 0)
			continue;
		*at = s->next; /* to the front: the last one is asked for least */
		s->next = all->first;
		all->first = s;
		return s;
	}
	exchange_fail(x, 404, "no such session");
	return NULL;
}

/* Clients seldom say that they are done: what nobody asked for longest makes place. A client
 * whose session is gone hears 404, and begins another. */
static bool make_place(struct sessions *all)
{
	struct session *last = NULL, *listens = NULL;

	if (all->count < SESSIONS)
		return true;
	for (struct session *s = all->first; s; s = s->next) {
		last = s->calls || s->listener ? last : s;
		listens = s->calls || !s->listener ? listens : s;
	}
	last = last ? last : listens;
	if (last)
		session_free(last);
	return last != NULL;
}

/* Which session it is about; @ret stays as it is: it was answered, or the return is */
static int asked_of(struct exchange *x, struct session **ret, struct err *e)
{
	int r = check(x, e);

	if (r < 0)
		return r;
	*ret = session_for(x);
	return 0;
}

/* NULL: @e says why */
static struct session *session_new(struct exchange *x, struct err *e)
{
	struct sessions *all = sessions_of(exchange_tenant(x));
	struct session *s = all && make_place(all) ? calloc(1, sizeof(*s)) : NULL;

	if (!s) {
		err_set(e, -EAGAIN, "too many sessions");
		return NULL;
	}
	*s = (struct session){ .all = all, .loop = exchange_loop(x) };
	mcp_child_init(&s->child, on_line, on_end, s);
	s->next = all->first;
	all->first = s;
	all->count++;
	tenant_hold(all->tenant);
	if (nonce_make(s->id, ID, e) == 0 && mcp_child_start(&s->child, x, e) == 0) {
		(void)loop_timer(s->loop, IDLE_MS, on_idle, s, &s->idle);
		return s;
	}
	session_free(s);
	return NULL;
}

static void on_call_gone(void *ctx)
{
	struct mcp_web_call *c = ctx;

	c->x = NULL; /* the answer is kept */
	c->events = true;
}

static const struct exchange_hooks call_hooks = { .gone = on_call_gone };

/* The first bytes of a stream: a client of 2025-11-25 and later takes an event without data,
 * whose number it asks from when it loses the stream before the first real one. */
static void prime(struct exchange *x, const struct mcp_web_call *c)
{
	char text[64] = ":\n\n";

	if (c && c->s->primed)
		snprintf(text, sizeof(text),
			 "id: %" PRIu64 "-0\nretry: 1000\ndata: \n\n", c->stream);
	exchange_write(x, text, strlen(text));
}

/* Of @n requests; @open until call_less() */
static struct mcp_web_call *call_new(struct session *s, struct exchange *x, size_t n)
{
	struct mcp_web_call *c = calloc(1, sizeof(*c));

	if (!c)
		return NULL;
	*c = (struct mcp_web_call){ .s = s,
				    .x = x,
				    .ids = calloc(n, sizeof(*c->ids)),
				    .open = 1,
				    .stream = ++s->streams,
				    .answers = BUF_INIT(BATCH_BYTES),
				    .next = s->calls };
	if (!c->ids) {
		free(c);
		return NULL;
	}
	s->calls = c;
	return c;
}

static void call_begin(struct mcp_web_call *c, bool events, bool fresh)
{
	char id[64];
	const char *const headers[] = { id, MCP_UNBUFFERED, NULL };

	snprintf(id, sizeof(id), "Mcp-Session-Id: %s", c->s->id);
	c->events = events;
	exchange_later(c->x, &call_hooks, c);
	if (c->events) {
		exchange_begin(c->x, 200, "text/event-stream", headers, -1);
		exchange_flows(c->x);
		prime(c->x, fresh ? NULL : c);
	}
}

static bool takes_events(struct exchange *x, const char *method)
{
	const char *accept = exchange_header(x, "accept");

	return method && strcmp(method, "tools/call") == 0 && accept &&
	       strstr(accept, "text/event-stream");
}

/* The child says nothing more of it: who waits would do so for ever. */
static void cancel_call(struct session *s, const struct json *j)
{
	const struct json *id = json_get(json_get(j, "params"), "requestId");
	struct mcp_web_call *c = call_with(s, id);

	if (!c)
		return;
	json_free(id_in(c, id));
	call_less(c);
}

/* A message that has no answer. */
static int tell(struct session *s, const struct json *j)
{
	if (to_child(s, j) < 0)
		return -EAGAIN;
	if (json_is(j, "method", "notifications/cancelled"))
		cancel_call(s, j);
	return 0;
}

/* ---- several messages at once --------------------------------------------------- */

static bool has_answer(const struct mcp_rpc *m)
{
	return m->kind == MCP_RPC_REQUEST || m->kind == MCP_RPC_INVALID;
}

static void refuse_one(struct mcp_web_call *c, const struct mcp_rpc *m, int code,
		       const char *why)
{
	_cleanup_json_ struct json *j = mcp_rpc_error(m->id, code, why);
	_cleanup_buf_ struct buf text = BUF_INIT(BATCH_BYTES);

	if (json_print(j, false, &text) < 0)
		c->full = true;
	answer_call(c, text.data, text.len);
}

/* Tells the child, or the client why not. */
static void ask_one(struct mcp_web_call *c, const struct json *j)
{
	struct session *s = c->s;
	struct mcp_rpc m;

	mcp_rpc_read(j, &m);
	if (!has_answer(&m)) {
		(void)tell(s, j);
		return;
	}
	c->open++;
	if (m.kind == MCP_RPC_INVALID)
		refuse_one(c, &m, MCP_RPC_BAD_REQUEST, m.why);
	else if (strcmp(m.method, "initialize") == 0)
		refuse_one(c, &m, MCP_RPC_BAD_REQUEST,
			   "initialize must not be in a batch");
	else if (to_child(s, j) < 0)
		refuse_one(c, &m, MCP_RPC_BUSY, "the session does not read");
	else
		c->ids[c->n_ids++] = json_dup(m.id);
}

/* How many of them have an answer; whether it is a stream. */
static size_t count_answers(struct exchange *x, const struct json *list, bool *events)
{
	size_t n = 0;

	json_each(j, list)
	{
		struct mcp_rpc m;

		mcp_rpc_read(j, &m);
		n += has_answer(&m);
		*events |= m.kind == MCP_RPC_REQUEST && takes_events(x, m.method);
	}
	return n;
}
/* ---- the routes ----------------------------------------------------------------- */

static void accepted(struct exchange *x)
{
	exchange_begin(x, 202, NULL, NULL, 0);
	exchange_end(x);
}

static int post_batch(struct exchange *x, const struct json *list, struct err *e)
{
	size_t n, len = json_len(list);
	bool events = false;
	struct mcp_web_call *c;
	struct session *s;

	if (len == 0)
		return err_set(e, -EINVAL, "the batch is empty");
	if (len > BATCH)
		return err_set(e, -EINVAL, "a batch has %d messages at most", BATCH);
	s = session_for(x);
	if (!s)
		return 0;
	if (!s->batches)
		return err_set(e, -EINVAL,
			       "only revision %s has batches, and the session's is "
			       "another; send one message at a time",
			       MCP_RPC_BATCHES);
	n = count_answers(x, list, &events);
	if (n == 0) {
		json_each(j, list)(void) tell(s, j);
		accepted(x);
		return 0;
	}
	c = call_new(s, x, n);
	if (!c)
		return err_sys(e, -ENOMEM, "cannot ask");
	c->batch = true;
	call_begin(c, events, false);
	json_each(j, list) ask_one(c, j);
	call_less(c);
	return 0;
}

static int post_one(struct exchange *x, const struct json *j, struct err *e)
{
	struct mcp_web_call *c;
	struct session *s;
	struct mcp_rpc m;
	bool fresh;

	mcp_rpc_read(j, &m);
	if (m.kind == MCP_RPC_INVALID) {
		exchange_reply(x, 400, mcp_rpc_error(m.id, MCP_RPC_BAD_REQUEST, m.why));
		return 0;
	}
	fresh = m.kind == MCP_RPC_REQUEST && strcmp(m.method, "initialize") == 0;
	s = fresh ? session_new(x, e) : session_for(x);
	if (!s)
		return fresh ? e->code : 0;
	if (m.kind == MCP_RPC_REQUEST) {
		c = call_new(s, x, 1);
		if (!c)
			return err_sys(e, -ENOMEM, "cannot ask");
		if (to_child(s, j) < 0) {
			call_free(c);
			return err_set(e, -EAGAIN, "the session does not read");
		}
		c->ids[c->n_ids++] = json_dup(m.id);
		call_begin(c, fresh || takes_events(x, m.method), fresh);
		return 0;
	}
	if (tell(s, j) < 0)
		return err_set(e, -EAGAIN, "the session does not read");
	accepted(x);
	return 0;
}

static int post_mcp(struct exchange *x, struct err *e)
{
	const struct json *j = exchange_json(x);
	int r = check_origin(x, e);

	if (r < 0)
		return r;
	if (mcp_shared_meant(x))
		return mcp_shared_post(x, e);
	r = check(x, e);
	if (r < 0)
		return r;
	return json_type(j) == JSON_ARRAY ? post_batch(x, j, e) : post_one(x, j, e);
}

static void on_listener_gone(void *ctx)
{
	struct session *s = ctx;

	s->listener = NULL;
}

static const struct exchange_hooks listener_hooks = { .gone = on_listener_gone };

/* "STREAM-NUMBER": what came after on that stream, and then the rest of it. */
static bool resume(struct session *s, struct exchange *x, const char *last)
{
	uint64_t stream, number;
	struct mcp_web_call *c = s->calls;

	if (sscanf(last, "%" SCNu64 "-%" SCNu64, &stream, &number) != 2)
		return false;
	mcp_events_again(&s->events, x, stream, number);
	while (c && c->stream != stream)
		c = c->next;
	if (stream == 0)
		return false; /* the listener's own: it goes on */
	if (!c || c->x) {
		exchange_end(x);
		return true;
	}
	c->x = x;
	exchange_later(x, &call_hooks, c);
	return true;
}

static int get_mcp(struct exchange *x, struct err *e)
{
	const char *last = exchange_header(x, "last-event-id");
	struct session *s = NULL;
	int r = asked_of(x, &s, e);

	if (!s)
		return r;
	exchange_begin(x, 200, "text/event-stream", NULL, -1);
	exchange_flows(x);
	exchange_write(x, ":\n\n", 3);
	if (last && resume(s, x, last))
		return 0;
	if (s->listener)
		exchange_end(s->listener); /* the newer one counts */
	s->listener = x;
	exchange_later(x, &listener_hooks, s);
	return 0;
}

static int delete_mcp(struct exchange *x, struct err *e)
{
	struct session *s = NULL;
	int r = asked_of(x, &s, e);

	if (!s)
		return r;
	session_free(s);
	exchange_begin(x, 204, NULL, NULL, 0);
	exchange_end(x);
	return 0;
}

static const struct route rows[] = {
	{ "POST", "/mcp", post_mcp, ROUTE_KEY, ROUTE_JSON, .box = true },
	{ "GET", "/mcp", get_mcp, ROUTE_KEY, .box = true },
	{ "DELETE", "/mcp", delete_mcp, ROUTE_KEY, .box = true },
};

const struct route_table mcp_web_routes = { rows, ARRAY_SIZE(rows) };
