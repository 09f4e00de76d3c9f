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

#include "agent/server/exchange/impl.h"
#include "base/sys/sys.h"

enum { CHUNK = 64 << 10, HEAD_CHUNK = 4096, LINGER_MAX = 8 << 20 };

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
	(void)share_gather(x, 0);
	x->key = NULL;
	x->head_text = NULL;
	x->head = (struct head){ .query = "" };
	x->policy[0] = '\0';
	x->n_args = 0;
	x->chunked = (struct chunked){ 0 };
	x->hooks = NULL;
	x->ctx = NULL;
	x->status = 0;
	share_release(x);
	x->body_done = true;
	x->streams = x->paused = x->begun = x->ended = x->cut = x->close = false;
	x->out_chunked = x->no_body = x->pinged = x->raw = x->corked = false;
	x->kick = x->blank = x->flows = false;
	x->wrong_in[0] = x->wrong_at[0] = '\0';
	x->sent = 0;
	x->body_left = 0;
	x->discarded = 0;
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
		exchange_enter(x, EXCHANGE_LINGER, EXCHANGE_LINGER_MS);
		buf_truncate(&x->in, 0);
		return;
	}
	exchange_enter(x, EXCHANGE_HEAD,
		       x->in.len ? EXCHANGE_HEAD_MS : EXCHANGE_KEEP_MS);
	advance(x);
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
	int r;

	if (x->paused || !x->in.len)
		return;
	r = ws_feed(&x->ws, x->in.data, x->in.len, on_message, x);
	buf_truncate(&x->in, 0);
	if (r == 0 && share_gather(x, ws_held(&x->ws)) < 0)
		r = WS_LATER;
	if (r == 0) {
		exchange_push(x);
		return;
	}
	if (x->state != EXCHANGE_WS)
		return;
	exchange_gone(x);
	exchange_ws_close(x, r == 1 ? 1000 : (unsigned)r, "");
}

/* ---- events --------------------------------------------------------------------- */

static void advance(struct exchange *x)
{
	switch (x->state) {
	case EXCHANGE_HEAD:
		intake_head(x);
		break;
	case EXCHANGE_BODY:
		intake_body(x);
		break;
	case EXCHANGE_BUSY:
		if (x->streams && x->hooks)
			intake_body(x);
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

/* The client has closed its side: it is gone, or it says no more and still reads, which
 * only what is sent to it shows. */
static void on_half(struct exchange *x)
{
	if (x->state != EXCHANGE_BUSY && x->state != EXCHANGE_FLUSH) {
		exchange_die(x);
		return;
	}
	x->half = true;
	x->half_ms = sys_now_ms();
}

/* Is who has closed its side, and hears nothing, somebody who has left? */
static bool has_left(const struct exchange *x, uint64_t now_ms)
{
	return x->half && x->state == EXCHANGE_BUSY && !x->waiting && !x->out.len &&
	       !(x->hooks && x->hooks->goes_on) &&
	       now_ms - x->half_ms > EXCHANGE_HALF_MS;
}

static int on_event(void *ctx, uint32_t events, struct err *)
{
	struct exchange *x = ctx;

	if (x->state == EXCHANGE_DEAD)
		return 0;
	if (events & (EPOLLHUP | EPOLLERR))
		exchange_die(x);
	else if (events & EPOLLRDHUP && !(events & EPOLLIN))
		on_half(x);
	if (x->state == EXCHANGE_DEAD)
		return 0;
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
		if (x->state == EXCHANGE_BUSY && x->begun && x->no_body) {
			exchange_gone(x); /* of HEAD: with a long file, or a stream */
			exchange_end(x);
		} else if (x->state == EXCHANGE_BUSY || x->state == EXCHANGE_WS) {
			advance(x);
		}
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
	exchange_enter(x, EXCHANGE_HEAD, EXCHANGE_HEAD_MS);
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
	struct server *s = x->server;

	exchange_gone(x);
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
	if (has_left(x, now_ms))
		exchange_die(x);
	if (now_ms < x->deadline_ms || x->state == EXCHANGE_DEAD)
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
		intake_refuse(x, 408, "the head did not come in time");
	} else if (x->state == EXCHANGE_H2 && !x->out.len) {
		streams_end(x);
	} else {
		exchange_die(x);
	}
}
