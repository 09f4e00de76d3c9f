/* Theory of operation
 *
 * A connection is a struct exchange that goes through its states: HEAD, BODY, BUSY (the
 * handler has it), FLUSH, and HEAD again. What is read goes to a small buffer and is
 * taken from there by the state; while a handler works nothing is read, so a client that
 * pipelines or uploads faster than the box takes it is held up by its own socket. Nothing
 * is freed while a handler may be on the stack: a connection that fails is marked and
 * reaped when the round is over.
 *
 * Every state has a deadline, looked at once a second. A head has ten seconds in all,
 * however often a byte of it comes. */
#include <errno.h>
#include <string.h>
#include <sys/epoll.h>

#include "agent/server/impl.h"
#include "base/sys/sys.h"

enum {
	CHUNK = 64 << 10,
	HEAD_CHUNK = 4096,
	DISCARD_MAX = 64 << 10,
	LINGER_MAX = 8 << 20
};

static void advance(struct exchange *x);

/* ---- one request after the other ------------------------------------------------ */

static void leave_tenant(struct exchange *x)
{
	struct tenant *t = take(&x->tenant, NULL);

	if (!t)
		return;
	if (x->waiting)
		tenant_unwait(t, &x->wait);
	x->waiting = false;
	tenant_release(t);
}

static void clear_request(struct exchange *x)
{
	leave_tenant(x);
	free(x->head_text);
	json_free(&x->json);
	buf_done(&x->body);
	route_match_done(&x->match);
	for (unsigned i = 0; i < x->n_args; i++)
		free(x->args[i]);
	ws_done(&x->ws);
	x->key = NULL;
	x->head_text = NULL;
	x->head = (struct head){ .query = "" };
	x->policy[0] = '\0';
	x->n_args = 0;
	x->chunked = (struct chunked){ 0 };
	x->hooks = NULL;
	x->ctx = NULL;
	x->status = 0;
	x->server->counts.bodies -= take(&x->counted, 0);
	x->body_done = true;
	x->streams = x->paused = x->begun = x->ended = x->cut = x->close = false;
	x->out_chunked = x->no_body = x->pinged = x->raw = x->corked = false;
	x->kick = false;
	x->wrong_in[0] = x->wrong_at[0] = '\0';
	x->sent = 0;
	x->body_left = 0;
	x->discarded = 0;
}

static void set_state(struct exchange *x, enum exchange_state state, uint64_t ms)
{
	x->state = state;
	x->deadline_ms = ms ? sys_now_ms() + ms : UINT64_MAX;
}

/* The answer has left. */
static void next_request(struct exchange *x)
{
	bool close = x->close || x->server->stopping;

	x->served = true;
	clear_request(x);
	if (!x->in.len) {
		buf_done(&x->in);
		buf_init(&x->in, HEAD_MAX + CHUNK);
	}
	buf_done(&x->out);
	buf_init(&x->out, EXCHANGE_OUT_MAX);
	if (close) {
		if (x->tls)
			tls_end(x->tls);
		(void)sys_shutdown(x->fd, SHUT_WR);
		set_state(x, EXCHANGE_LINGER, EXCHANGE_LINGER_MS);
		buf_truncate(&x->in, 0);
		return;
	}
	set_state(x, EXCHANGE_HEAD, x->in.len ? EXCHANGE_HEAD_MS : EXCHANGE_KEEP_MS);
	advance(x);
}

/* ---- to the handler ------------------------------------------------------------- */

static void run_handler(struct exchange *x)
{
	struct err e = ERR_NONE;
	int r;

	x->state = EXCHANGE_BUSY;
	x->deadline_ms = UINT64_MAX;
	r = x->match.route->run(x, &e);
	if (r < 0 && !x->begun)
		exchange_fail_err(x, &e);
	else if (r < 0)
		exchange_cut(x);
	x->kick |= x->streams;
	exchange_watch(x);
}

static void on_box(void *ctx, const struct err *e)
{
	struct exchange *x = ctx;

	x->waiting = false;
	if (x->state == EXCHANGE_DEAD)
		return;
	if (e)
		exchange_fail(x, 503, "%s", e->msg);
	else
		run_handler(x);
}

static void dispatch(struct exchange *x)
{
	const struct tenant_who who = exchange_who(x);
	struct err e = ERR_NONE;

	if (!x->match.route->box) {
		run_handler(x);
		return;
	}
	x->state = EXCHANGE_BUSY;
	x->deadline_ms = UINT64_MAX;
	if (tenants_get(x->server->tenants, &who, &x->tenant, &e) < 0) {
		exchange_fail_err(x, &e);
		return;
	}
	tenant_hold(x->tenant);
	x->waiting = true;
	x->wait = (struct tenant_wait){ .ready = on_box, .ctx = x };
	tenant_open(x->tenant, &x->wait);
}

/* ---- the body ------------------------------------------------------------------- */

/* The next bytes of it at the front of x->in: 1 = there were some, or it is complete. */
static int next_part(struct exchange *x, struct chunked_data *d, size_t *used)
{
	int r;

	*d = (struct chunked_data){ x->in.data, 0 };
	*used = 0;
	if (x->head.length != HEAD_CHUNKED) {
		*used = d->len = (size_t)MIN((uint64_t)x->in.len, x->body_left);
		x->body_left -= d->len;
		x->body_done = !x->body_left;
		return x->body_done || d->len;
	}
	if (!x->in.len)
		return 0;
	r = chunked_feed(&x->chunked, x->in.data, x->in.len, used, d);
	x->body_done = r == 1;
	return r < 0 ? r : r || *used;
}

static void refuse_body(struct exchange *x, int status, const char *why)
{
	if (x->begun) {
		exchange_cut(x);
		return;
	}
	if (x->hooks && x->hooks->gone)
		x->hooks->gone(x->ctx);
	x->hooks = NULL;
	exchange_fail(x, status, "%s", why);
}

/* false = it was refused */
static bool take_part(struct exchange *x, const struct chunked_data *d)
{
	const struct route *route = x->match.route;

	if (x->streams) {
		if (d->len && x->hooks && x->hooks->body)
			x->hooks->body(x->ctx, d->data, d->len);
		return x->state == EXCHANGE_BUSY;
	}
	x->discarded += d->len;
	if (route->body == ROUTE_NO_BODY && x->discarded <= DISCARD_MAX)
		return true;
	if (route->body == ROUTE_JSON &&
	    x->server->counts.bodies + d->len > EXCHANGE_JSON_ALL) {
		refuse_body(x, 503, "too many large bodies at once; try again");
		return false;
	}
	x->counted += d->len;
	x->server->counts.bodies += d->len;
	if (route->body == ROUTE_JSON && buf_add(&x->body, d->data, d->len) == 0)
		return true;
	refuse_body(x, 413, "the body is too large");
	return false;
}

static bool parse_body(struct exchange *x)
{
	struct err e = ERR_NONE;

	if (x->match.route->body != ROUTE_JSON || !x->body.len)
		return true;
	if (json_parse(x->body.data, x->body.len, &x->json, &e) < 0) {
		exchange_fail(x, 422, "the body: %s", e.msg);
		return false;
	}
	buf_done(&x->body);
	return true;
}

static void take_body(struct exchange *x)
{
	while (!x->body_done && !x->paused) {
		struct chunked_data d;
		size_t used;
		int r = next_part(x, &d, &used);

		if (r < 0) {
			refuse_body(x, 400, "malformed chunk");
			return;
		}
		if (r == 0)
			return;
		/* what nobody asked for comes at once, or not at all */
		if (x->match.route->body != ROUTE_NO_BODY)
			x->deadline_ms = sys_now_ms() + EXCHANGE_STALL_MS;
		if (d.len && !take_part(x, &d))
			return;
		buf_consume(&x->in, used);
	}
	if (!x->body_done)
		return;
	if (!x->streams) {
		if (parse_body(x))
			dispatch(x);
		return;
	}
	x->streams = false;
	x->deadline_ms = UINT64_MAX;
	if (x->hooks && x->hooks->body)
		x->hooks->body(x->ctx, NULL, 0);
}

/* ---- the head ------------------------------------------------------------------- */

static bool has_token(struct exchange *x)
{
	const char *value = head_field(&x->head, "authorization");

	if (value && strncasecmp(value, "token ", 6) == 0)
		return exchange_key_is(x, value + 6 + strspn(value + 6, " "));
	return exchange_key_is(x, exchange_arg(x, "token", 0));
}

static bool has_key(struct exchange *x)
{
	const char *value = head_field(&x->head, "authorization");

	if (value && strncasecmp(value, "bearer ", 7) == 0)
		return exchange_key_is(x, value + 7 + strspn(value + 7, " "));
	return exchange_key_is(x, NULL);
}

/* What a route asks of its key: what looks at a box, what acts in it, its ports, all. */
static unsigned needed(const struct exchange *x)
{
	const struct route *route = x->match.route;
	bool get = strcmp(x->head.method, "GET") == 0 ||
		   strcmp(x->head.method, "HEAD") == 0;

	if (route->right == ROUTE_HOLDER)
		return KEY_HOLDER;
	if (strncmp(route->path, "/proxy/", 7) == 0)
		return KEY_NETWORK;
	return get && !x->head.websocket && strcmp(route->path, "/mcp") != 0 ? KEY_READ
									     : KEY_RUN;
}

/* A page asks whether it may ask. */
static void answer_preflight(struct exchange *x)
{
	static const char *const headers[] = {
		"Access-Control-Allow-Methods: GET, POST, PUT, PATCH, DELETE",
		"Access-Control-Allow-Headers: Authorization, Content-Type, X-User-Id, "
		"X-Session-Id, X-Terminal-Context-Id, X-Cubby-Box, Mcp-Session-Id, "
		"Mcp-Protocol-Version, Mcp-Method, Mcp-Name, Last-Event-ID",
		"Access-Control-Max-Age: 600", NULL
	};

	exchange_begin(x, 204, NULL, headers, 0);
	exchange_end(x);
}

/* The list of boxes has those alone that the key is for. */
static bool may(struct exchange *x)
{
	if (x->match.route->right == ROUTE_HOLDER && !*exchange_param(x, "box"))
		return x->key->rights & KEY_HOLDER;
	return exchange_may(x, needed(x));
}

/* false: it was answered */
static bool check_right(struct exchange *x)
{
	enum route_right right = x->match.route->right;
	bool key = right == ROUTE_ANYBODY || right == ROUTE_FIRST || has_key(x) ||
		   (right == ROUTE_TOKEN && has_token(x));

	if (!key)
		exchange_fail(x, 401, "Invalid API key");
	else if (x->key && !may(x))
		exchange_fail(x, 403, "this key has no right to that");
	else if (right == ROUTE_HOLDER &&
		 (*x->policy || head_field(&x->head, "x-user-id") ||
		  head_field(&x->head, "x-terminal-context-id")))
		exchange_fail(x, 403,
			      "this is for the holder of the key, not for a "
			      "user of a service");
	else
		return true;
	return false;
}

static bool check_kind(struct exchange *x)
{
	const char *key = head_field(&x->head, "sec-websocket-key");

	if (x->head.websocket && (!key || strlen(key) != 24))
		exchange_fail(x, 400, "bad sec-websocket-key");
	else if (x->head.websocket && exchange_arg(x, "user_id", 1))
		exchange_fail(x, 400, "user_id stands twice");
	else if (x->match.route->body == ROUTE_JSON &&
		 x->head.length > EXCHANGE_JSON_MAX)
		exchange_fail(x, 413, "the body is too large");
	else
		return true;
	return false;
}

/* "/p/ID/…": a service asks for a policy by its name (Open WebUI's policy_id). */
static void take_policy(struct exchange *x)
{
	const char *id = x->head.path + 3;
	size_t len = strcspn(id, "/");

	if (strncmp(x->head.path, "/p/", 3) != 0 || !len || len >= sizeof(x->policy))
		return;
	snprintf(x->policy, sizeof(x->policy), "%.*s", (int)len, id);
	x->head.path = id + len;
}

static bool check_request(struct exchange *x)
{
	const struct server *s = x->server;
	int r;

	if (s->conf->policies)
		take_policy(x);
	r = route_find(s->tables, s->n_tables,
		       x->head.websocket ? "WEBSOCKET" : x->head.method, x->head.path,
		       &x->match);
	x->close |= x->head.websocket; /* frames may follow */
	if (r < 0)
		exchange_fail(x, 400, "malformed path");
	else if (strcmp(x->head.method, "OPTIONS") == 0 && exchange_origin_allowed(x) &&
		 head_field(&x->head, "access-control-request-method"))
		answer_preflight(x);
	else if (!x->match.route)
		exchange_fail(x, x->match.path_known ? 405 : 404, "%s",
			      x->match.path_known ? "Method Not Allowed" : "Not Found");
	else
		return check_right(x) && check_kind(x);
	return false;
}

static void on_head(struct exchange *x)
{
	x->began_ms = sys_now_ms();
	x->server->counts.requests++;
	x->body_done = x->head.length == 0;
	x->body_left = x->head.length > 0 ? (uint64_t)x->head.length : 0;
	if (!check_request(x))
		return;
	buf_init(&x->body, EXCHANGE_JSON_MAX);
	if (x->head.expects && !x->body_done &&
	    buf_adds(&x->out, "HTTP/1.1 100 Continue\r\n\r\n") == 0)
		exchange_push(x);
	if (x->match.route->body == ROUTE_STREAM) {
		x->streams = !x->body_done;
		dispatch(x);
		return;
	}
	set_state(x, EXCHANGE_BODY,
		  x->match.route->body == ROUTE_NO_BODY ? EXCHANGE_HEAD_MS
							: EXCHANGE_STALL_MS);
	take_body(x);
}

static void refuse_head(struct exchange *x, int status, const char *why)
{
	x->close = true;
	x->server->counts.refused++;
	x->state = EXCHANGE_BUSY;
	x->began_ms = sys_now_ms();
	exchange_fail(x, status, "%s", why);
}

static void take_head(struct exchange *x)
{
	size_t n = head_length(buf_cstr(&x->in), x->in.len);
	int r;

	if (!n) {
		if (x->in.len >= HEAD_MAX)
			refuse_head(x, 431, "the head is too large");
		return;
	}
	x->head_text = strndup(x->in.data, n);
	if (!x->head_text || strlen(x->head_text) != n) {
		refuse_head(x, 400, "malformed head");
		return;
	}
	buf_consume(&x->in, n);
	r = head_parse(x->head_text, n, &x->head);
	if (r) {
		const char *why = x->head.wrong;

		x->head = (struct head){ .query = "" }; /* nothing of it is believed */
		refuse_head(x, r, why);
		return;
	}
	on_head(x);
}

/* ---- WebSockets ----------------------------------------------------------------- */

static int on_message(void *ctx, enum ws_opcode kind, const char *data, size_t len)
{
	struct exchange *x = ctx;

	x->deadline_ms = sys_now_ms() + EXCHANGE_PING_MS;
	x->pinged = false;
	if (kind == WS_PING)
		(void)ws_frame(WS_PONG, data, len, &x->out);
	else if (kind == WS_CLOSE)
		return 1;
	else if (kind != WS_PONG && x->hooks && x->hooks->message)
		x->hooks->message(x->ctx,
				  kind == WS_TEXT ? EXCHANGE_TEXT : EXCHANGE_BINARY,
				  data, len);
	return x->state != EXCHANGE_WS || x->out.len > EXCHANGE_OUT_MAX / 2;
}

static void take_frames(struct exchange *x)
{
	const struct exchange_hooks *hooks;
	int r;

	if (x->paused || !x->in.len)
		return;
	r = ws_feed(&x->ws, x->in.data, x->in.len, on_message, x);
	buf_truncate(&x->in, 0);
	if (r == 0) {
		exchange_push(x);
		return;
	}
	if (x->state != EXCHANGE_WS)
		return;
	hooks = x->hooks;
	x->hooks = NULL;
	if (hooks && hooks->gone)
		hooks->gone(x->ctx);
	exchange_ws_close(x, r == 1 ? 1000 : (unsigned)r, "");
}

/* ---- events --------------------------------------------------------------------- */

static void advance(struct exchange *x)
{
	switch (x->state) {
	case EXCHANGE_HEAD:
		take_head(x);
		break;
	case EXCHANGE_BODY:
		take_body(x);
		break;
	case EXCHANGE_BUSY:
		if (x->streams && x->hooks)
			take_body(x);
		break;
	case EXCHANGE_WS:
		take_frames(x);
		break;
	case EXCHANGE_H2:
		streams_take(x);
		break;
	default:
		break;
	}
}

static void on_input(struct exchange *x)
{
	bool first = x->state == EXCHANGE_HEAD && !x->in.len;
	ssize_t n = 0;
	size_t room =
		MIN(x->state == EXCHANGE_HEAD ? (size_t)HEAD_CHUNK : (size_t)CHUNK,
		    x->in.max - x->in.len);

	if (room && buf_reserve(&x->in, room) == 0)
		n = exchange_recv(x, x->in.data + x->in.len, room);
	if (n == -EAGAIN)
		return;
	if (n <= 0) {
		exchange_die(x);
		return;
	}
	if (x->state == EXCHANGE_LINGER) {
		x->discarded += (uint64_t)n;
		if (x->discarded > LINGER_MAX)
			exchange_die(x);
		return;
	}
	buf_commit(&x->in, (size_t)n);
	if (first && !x->served && x->tls && tls_chose_h2(x->tls)) {
		x->h2 = streams_begin(x);
		x->state = x->h2 ? EXCHANGE_H2 : EXCHANGE_DEAD;
		x->server->reap |= !x->h2;
	} else if (first)
		x->deadline_ms = sys_now_ms() + EXCHANGE_HEAD_MS;
	advance(x);
}

static int on_event(void *ctx, uint32_t events, struct err *e)
{
	struct exchange *x = ctx;

	(void)e;
	if (x->state == EXCHANGE_DEAD)
		return 0;
	if (events & (EPOLLHUP | EPOLLERR) ||
	    (events & EPOLLRDHUP && !(events & EPOLLIN) &&
	     x->state != EXCHANGE_FLUSH)) {
		exchange_die(x);
		return 0;
	}
	if (events & EPOLLIN || exchange_stirs(x))
		on_input(x);
	if (events & EPOLLOUT && x->state != EXCHANGE_DEAD) {
		exchange_push(x);
		if (x->state == EXCHANGE_H2)
			streams_turn(x);
		if (!x->out.len && x->hooks && x->hooks->drained)
			x->hooks->drained(x->ctx);
	}
	if (x->kick) {
		x->kick = false;
		if (x->state == EXCHANGE_BUSY || x->state == EXCHANGE_WS)
			advance(x);
	}
	/* a client may have many requests in one packet */
	while (x->state == EXCHANGE_FLUSH && !x->out.len)
		next_request(x);
	exchange_watch(x);
	return 0;
}

int conn_new(struct server *s, int fd, struct exchange *outer, struct err *e)
{
	struct exchange *x = calloc(1, sizeof(*x));
	int r = x ? loop_add(s->loop, fd, EPOLLIN | EPOLLRDHUP, on_event, x, &x->source)
		  : -ENOMEM;

	if (r == 0 && s->conf->tls && !outer) {
		x->tls = tls_conn_new(s->conf->tls, fd);
		r = x->tls ? 0 : -ENOMEM;
	}
	if (r < 0) {
		if (x)
			loop_remove(s->loop, &x->source);
		free(x);
		return err_sys(e, r, "cannot take a connection");
	}
	x->server = s;
	x->fd = fd;
	x->outer = outer;
	x->born_ms = sys_now_ms();
	buf_init(&x->in, HEAD_MAX + CHUNK);
	buf_init(&x->out, EXCHANGE_OUT_MAX);
	clear_request(x);
	set_state(x, EXCHANGE_HEAD, EXCHANGE_HEAD_MS);
	x->next = s->exchanges;
	if (x->next)
		x->next->prev = x;
	s->exchanges = x;
	s->n_exchanges++;
	s->counts.connections += !outer;
	return 0;
}

/* Its requests hear of its end by their sockets. */
static void leave_requests(struct exchange *x)
{
	for (struct exchange *y = x->h2 ? x->server->exchanges : NULL; y; y = y->next)
		if (y->outer == x)
			y->outer = NULL;
	streams_free(&x->h2);
}

static void conn_free(struct exchange *x)
{
	const struct exchange_hooks *hooks = take(&x->hooks, NULL);
	struct server *s = x->server;

	if (hooks && hooks->gone)
		hooks->gone(x->ctx);
	leave_requests(x);
	loop_remove(s->loop, &x->source);
	clear_request(x);
	buf_done(&x->in);
	buf_done(&x->out);
	tls_conn_free(&x->tls);
	scope_close(&x->fd);
	*(x->prev ? &x->prev->next : &s->exchanges) = x->next;
	if (x->next)
		x->next->prev = x->prev;
	s->n_exchanges--;
	free(x);
}

void conn_reap(struct server *s)
{
	while (s->reap) {
		struct exchange *next;

		s->reap = false;
		for (struct exchange *x = s->exchanges; x; x = next) {
			next = x->next;
			if (x->state == EXCHANGE_DEAD)
				conn_free(x);
		}
	}
}

bool conn_idle(const struct exchange *x)
{
	return (x->state == EXCHANGE_HEAD && x->served && !x->in.len) ||
	       (x->state == EXCHANGE_H2 && x->served && streams_idle(x)) ||
	       x->state == EXCHANGE_LINGER;
}

/* Who has no key and takes its time, however it does that. */
bool conn_stranger(const struct exchange *x, uint64_t now_ms)
{
	return x->state != EXCHANGE_DEAD && !x->known &&
	       now_ms - x->born_ms > EXCHANGE_STRANGER_MS;
}

void conn_tick(struct exchange *x, uint64_t now_ms)
{
	if (x->out.len && x->state == EXCHANGE_BUSY && x->deadline_ms == UINT64_MAX)
		x->deadline_ms = now_ms + EXCHANGE_STALL_MS;
	if (x->state == EXCHANGE_H2)
		streams_tick(x, now_ms);
	if (now_ms < x->deadline_ms)
		return;
	if (x->state == EXCHANGE_WS && !x->pinged && !x->out.len) {
		x->pinged = true;
		x->deadline_ms = now_ms + EXCHANGE_PING_MS;
		(void)ws_frame(WS_PING, "", 0, &x->out);
		exchange_push(x);
	} else if (x->state == EXCHANGE_BUSY && !x->out.len &&
		   (!x->streams || x->raw)) {
		x->deadline_ms = UINT64_MAX; /* the handler may take its time */
	} else if (x->state == EXCHANGE_HEAD && x->in.len) {
		refuse_head(x, 408, "the head did not come in time");
	} else if (x->state == EXCHANGE_H2 && !x->out.len) {
		streams_end(x);
	} else {
		exchange_die(x);
	}
}
