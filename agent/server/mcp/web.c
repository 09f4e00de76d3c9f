/* Theory of operation
 *
 * The Model Context Protocol by HTTP. A session is a child, `cubby mcp` in the caller's
 * box, that speaks on its standard streams; here its lines become answers. What a client
 * asks by POST is a line in, and the line with the same id is its answer: as JSON, or as
 * the last event of a stream when a tool is called. Events have numbers and the last of
 * them are kept: a client that lost its stream asks with Last-Event-ID for what came
 * after. What revision 2026-07-28 has, which knows no sessions, is in shared.c.
 * Source: modelcontextprotocol.io, specification 2025-11-25, transports. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>

#include "agent/mcp/rpc.h"
#include "agent/server/exchange/exchange.h"
#include "agent/server/mcp/impl.h"
#include "agent/server/mcp/mcp.h"
#include "agent/server/tenant/tenant.h"
#include "base/loop.h"
#include "base/sys/sys.h"
#include "base/text.h"

enum {
	SESSIONS = 16, /* of a tenant */
	ID = 33,
	EVENTS = 128, /* that are kept */
	EVENT_BYTES = 4 << 20,
	IDLE_MS = 1800000
};

/* A request that awaits its answer. */
struct mcp_web_call {
	struct mcp_web_call *next;
	struct session *s;
	struct exchange *x; /* NULL = its stream is lost */
	struct json *id;    /* owned */
	uint64_t stream;
	bool events; /* answered by a stream, else as JSON */
};

struct event {
	uint64_t stream, number;
	char *text; /* owned */
	size_t len;
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
	struct event events[EVENTS];
	size_t first, count, bytes;
	uint64_t number, streams;
	bool primed; /* the revision that was agreed on has first events without data */
};

struct sessions {
	struct tenant *tenant;
	struct session *first;
	unsigned count;
};

/* ---- events --------------------------------------------------------------------- */

static void drop_event(struct session *s)
{
	struct event *e = &s->events[s->first];

	s->bytes -= e->len;
	free(e->text);
	s->first = (s->first + 1) % EVENTS;
	s->count--;
}

static void send_event(struct exchange *x, const struct event *e)
{
	char head[96];
	int n = snprintf(head, sizeof(head),
			 "id: %" PRIu64 "-%" PRIu64 "\nevent: message\ndata: ",
			 e->stream, e->number);

	exchange_write(x, head, (size_t)n);
	exchange_write(x, e->text, e->len);
	exchange_write(x, "\n\n", 2);
}

/* Kept, and sent to @x if somebody is there. */
static void add_event(struct session *s, struct exchange *x, uint64_t stream,
		      const char *text, size_t len)
{
	struct event *e;

	while (s->count == EVENTS || (s->count && s->bytes + len > EVENT_BYTES))
		drop_event(s);
	e = &s->events[(s->first + s->count) % EVENTS];
	*e = (struct event){ stream, ++s->number, strndup(text, len), len };
	if (!e->text)
		return;
	s->count++;
	s->bytes += len;
	if (x)
		send_event(x, e);
}

/* ---- the life of a session ------------------------------------------------------ */

static void call_free(struct mcp_web_call *c)
{
	struct mcp_web_call **at = &c->s->calls;

	while (*at != c)
		at = &(*at)->next;
	*at = c->next;
	json_free(&c->id);
	free(c);
}

static void session_free(struct session *s)
{
	struct session **at = &s->all->first;

	while (*at != s)
		at = &(*at)->next;
	*at = s->next;
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
	while (s->count)
		drop_event(s);
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

static void answer_call(struct mcp_web_call *c, const char *line, size_t len)
{
	struct exchange *x = c->x;
	struct session *s = c->s;
	_cleanup_buf_ struct buf text = BUF_INIT(len + 1);

	if (c->events || !x) {
		add_event(s, x, c->stream, line, len);
		call_free(c);
		if (x)
			exchange_end(x);
		return;
	}
	call_free(c);
	if (len > EXCHANGE_FULL && share_hold(x, len) < 0) {
		exchange_fail(x, 503, "too many large answers at once; try again");
		return;
	}
	buf_add(&text, line, len);
	exchange_begin(x, 200, "application/json", NULL, (int64_t)text.len);
	exchange_write(x, text.data, text.len);
	exchange_end(x);
}

static void on_line(void *ctx, struct json *j, const char *line, size_t len)
{
	struct session *s = ctx;
	struct mcp_web_call *to = NULL;
	const char *version;

	for (struct mcp_web_call *c = s->calls; c; c = c->next) {
		if (!json_get(j, "method") &&
		    mcp_rpc_same_id(c->id, json_get(j, "id"))) {
			version =
				json_get_str(json_get(j, "result"), "protocolVersion");
			s->primed |= version && strcmp(version, "2025-11-25") >= 0;
			answer_call(c, line, len);
			return;
		}
		if (c->events)
			to = c; /* what is told while a tool runs */
	}
	if (!json_get(j, "method") && mcp_rpc_is_id(json_get(j, "id")))
		return; /* of a call that was cancelled meanwhile */
	if (to)
		add_event(s, to->x, to->stream, line, len);
	else
		add_event(s, s->listener, 0, line, len);
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

static int make_id(char id[ID], struct err *e)
{
	unsigned char bytes[ID / 2];

	if (sys_getrandom(bytes, sizeof(bytes)) != (ssize_t)sizeof(bytes))
		return err_set(e, -EIO, "no random bytes");
	for (size_t i = 0; i < sizeof(bytes); i++)
		snprintf(id + 2 * i, 3, "%02x", bytes[i]);
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
	if (make_id(s->id, e) == 0 && mcp_child_start(&s->child, x, e) == 0) {
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

static int begin_call(struct session *s, struct exchange *x, const struct json *j,
		      bool fresh, struct err *e)
{
	const char *accept = exchange_header(x, "accept");
	const char *method = json_get_str(j, "method");
	char id[64];
	const char *const headers[] = { id, MCP_UNBUFFERED, NULL };
	struct mcp_web_call *c = calloc(1, sizeof(*c));

	if (!c)
		return err_sys(e, -ENOMEM, "cannot ask");
	*c = (struct mcp_web_call){ .s = s,
				    .x = x,
				    .id = json_dup(json_get(j, "id")),
				    .stream = ++s->streams,
				    .next = s->calls };
	c->events = fresh || (strcmp(method, "tools/call") == 0 && accept &&
			      strstr(accept, "text/event-stream"));
	s->calls = c;
	snprintf(id, sizeof(id), "Mcp-Session-Id: %s", s->id);
	exchange_later(x, &call_hooks, c);
	if (c->events)
		exchange_begin(x, 200, "text/event-stream", headers, -1);
	if (c->events)
		prime(x, fresh ? NULL : c);
	return 0;
}

/* The child says nothing more of it: who waits would do so for ever. */
static void cancel_call(struct session *s, const struct json *j)
{
	const struct json *id = json_get(json_get(j, "params"), "requestId");
	struct mcp_web_call *c = s->calls;
	struct exchange *x;
	bool events;

	while (c && !mcp_rpc_same_id(c->id, id))
		c = c->next;
	if (!c)
		return;
	x = c->x;
	events = c->events;
	call_free(c);
	if (x && events)
		exchange_end(x);
	else if (x)
		exchange_fail(x, 409, "the call was cancelled");
}

/* ---- the routes ----------------------------------------------------------------- */

static int post_mcp(struct exchange *x, struct err *e)
{
	const struct json *j = exchange_json(x);
	const char *method = json_get_str(j, "method");
	bool fresh = method && strcmp(method, "initialize") == 0;
	struct session *s;
	int r = check_origin(x, e);

	if (r < 0)
		return r;
	if (mcp_shared_meant(x))
		return mcp_shared_post(x, e);
	r = check(x, e);
	if (r < 0)
		return r;
	if (json_type(j) != JSON_OBJECT)
		return err_set(e, -EINVAL, "one JSON-RPC message is needed");
	if (method && json_get(j, "id") && !mcp_rpc_is_id(json_get(j, "id")))
		return err_set(e, -EINVAL, "the id has to be a text or a whole number");
	s = fresh ? session_new(x, e) : session_for(x);
	if (!s)
		return fresh ? e->code : 0;
	if (to_child(s, j) < 0)
		return err_set(e, -EAGAIN, "the session does not read");
	if (method && json_get(j, "id"))
		return begin_call(s, x, j, fresh, e);
	if (method && strcmp(method, "notifications/cancelled") == 0)
		cancel_call(s, j);
	exchange_begin(x, 202, NULL, NULL, 0);
	exchange_end(x);
	return 0;
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
	for (size_t i = 0; i < s->count; i++) {
		const struct event *event = &s->events[(s->first + i) % EVENTS];

		if (event->stream == stream && event->number > number)
			send_event(x, event);
	}
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
