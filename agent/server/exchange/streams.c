/* Theory of operation
 *
 * Each request of an HTTP/2 connection becomes a connection of HTTP/1.1 to this very server,
 * over a pair of sockets: its head is written there in the words of HTTP/1.1 (retell.h), and
 * what comes back is read in them. So there is one way for all requests: the same parser,
 * routes, rights, bounds, deadlines and limits of connections hold for them, and nothing
 * behind the pair knows of frames. A client that reads slowly fills the pair, and one whose
 * box takes slowly has its window kept from it; who resets a request hangs up.
 *
 * What is left for this file are bytes on their way, and what HTTP/2 has besides: many
 * requests at once (base/h2.c bounds what they cost), and the end of one before its body's. */
#include "agent/server/exchange/streams.h"

#include <errno.h>
#include <string.h>
#include <sys/epoll.h>

#include "agent/server/exchange/impl.h"
#include "agent/server/http/retell.h"
#include "base/h2.h"
#include "base/sys/sys.h"

enum { PART = 32 << 10, IN_MAX = 2 * H2_WINDOW + HEAD_MAX, PAIR = 64 << 10 };

struct stream {
	struct streams *all; /* borrowed */
	struct stream *prev, *next;
	int32_t id;
	int fd;			    /* owned; -1: not begun, or no more needed */
	struct loop_source *source; /* owned by the loop */
	struct retell ask;
	struct buf in; /* owned; on its way into the server */
	struct retell_answer answer;
	struct buf out;	   /* owned; of the answer's body, on its way to the client */
	uint64_t left;	   /* of a body with a length */
	size_t held;	   /* of the body: the client's window lacks it */
	uint64_t moved_ms; /* when some of the answer left last */
	bool chunks, asked, answered, reset;
};

struct streams {
	struct exchange *x;  /* borrowed */
	struct h2 *h2;	     /* owned */
	struct stream *list; /* owned */
	unsigned n;
	uint64_t idle_ms; /* since when there is none */
	bool leaving, stuck;
};

static int on_end(void *ctx, uint32_t events, struct err *e);

/* ---- one request ------------------------------------------------------------------- */

static struct stream *find(const struct streams *s, int32_t id)
{
	struct stream *st = s->list;

	while (st && st->id != id)
		st = st->next;
	return st;
}

static struct stream *stream_new(struct streams *s, int32_t id)
{
	struct stream *st = calloc(1, sizeof(*st));

	if (!st)
		return NULL;
	*st = (struct stream){ .all = s, .id = id, .fd = -1, .next = s->list };
	retell_init(&st->ask);
	retell_answer_init(&st->answer, false);
	buf_init(&st->in, IN_MAX);
	buf_init(&st->out, 2L * PART); /* on_end() reads where there is less than one */
	if (st->next)
		st->next->prev = st;
	s->list = st;
	s->n++;
	return st;
}

/* The server sees that the client has hung up, or that it has all it wanted. */
static void hang_up(struct stream *st)
{
	loop_remove(st->all->x->server->loop, &st->source);
	scope_close(&st->fd);
	buf_done(&st->in);
	h2_took(st->all->h2, st->id, take(&st->held, 0));
}

static void stream_free(struct stream *st)
{
	struct streams *s = st->all;

	loop_remove(s->x->server->loop, &st->source);
	scope_close(&st->fd);
	retell_done(&st->ask);
	retell_answer_done(&st->answer);
	buf_done(&st->in);
	buf_done(&st->out);
	*(st->prev ? &st->prev->next : &s->list) = st->next;
	if (st->next)
		st->next->prev = st->prev;
	if (!--s->n)
		s->idle_ms = sys_now_ms();
	free(st);
}

static void give_up(struct stream *st, enum h2_code code)
{
	if (!st->reset)
		h2_reset(st->all->h2, st->id, code);
	st->reset = true;
	hang_up(st);
}

/* Where nothing is wanted nothing is watched: the end of the other side would be told again
 * and again while the client takes what came before it. */
static void watch(struct stream *st)
{
	struct loop *l = st->all->x->server->loop;
	uint32_t events =
		(st->in.len ? EPOLLOUT : 0) | (st->out.len < PART ? EPOLLIN : 0);
	int r = 0;

	if (st->fd < 0)
		return;
	if (!events)
		loop_remove(l, &st->source);
	else if (st->source)
		r = loop_modify(l, st->source, events);
	else
		r = loop_add(l, st->fd, events, on_end, st, &st->source);
	if (r < 0)
		give_up(st, H2_BROKEN);
}

/* What the server takes at the moment. What it does not want any more is dropped: an answer
 * is on its way then. */
static void push(struct stream *st)
{
	ssize_t n = 0;

	while (st->in.len && st->fd >= 0) {
		n = sys_send(st->fd, st->in.data, st->in.len, MSG_NOSIGNAL);
		if (n <= 0)
			break;
		buf_consume(&st->in, (size_t)n);
	}
	if (n < 0 && n != -EAGAIN)
		buf_truncate(&st->in, 0);
	if (st->held && st->in.len < st->held) {
		h2_took(st->all->h2, st->id, st->held - st->in.len);
		st->held = st->in.len;
	}
	watch(st);
}

static int connect_to_self(struct stream *st)
{
	struct exchange *x = st->all->x;
	int fds[2], size = PAIR;
	int r = sys_socketpair(SOCK_STREAM | SOCK_NONBLOCK, fds);

	if (r < 0)
		return r;
	for (int i = 0; i < 2; i++)
		(void)sys_setsockopt(fds[i], SOL_SOCKET, SO_SNDBUF, &size,
				     sizeof(size));
	r = loop_add(x->server->loop, fds[0], EPOLLIN, on_end, st, &st->source)
		    ?: x->server->take_request(x->server, fds[1], x);
	if (r < 0) {
		loop_remove(x->server->loop, &st->source);
		scope_close_set(fds, 2);
		return r;
	}
	st->fd = fds[0];
	return 0;
}

/* Before anything was asked. */
static void answer_short(struct stream *st, int status)
{
	const struct h2_field none = { { "content-length", 14 }, { "0", 1 } };

	st->answered = true;
	st->answer.whole = true;
	h2_answer(st->all->h2, st->id, status, &none, 1, false);
}

/* ---- what the client sends --------------------------------------------------------- */

static bool on_field(void *ctx, int32_t id, const struct h2_field *f)
{
	struct streams *s = ctx;
	struct stream *st = find(s, id) ?: stream_new(s, id);

	return st && retell_field(&st->ask, f);
}

static void on_head(void *ctx, int32_t id, bool last)
{
	struct streams *s = ctx;
	struct stream *st = find(s, id);
	int r = st ? retell_head(&st->ask, last, &st->in) : -ENOMEM;

	if (!st) {
		h2_reset(s->h2, id, H2_BROKEN);
		return;
	}
	s->x->served = true;
	st->moved_ms = sys_now_ms();
	st->asked = last;
	st->chunks = st->ask.length < 0;
	st->left = st->chunks ? 0 : (uint64_t)st->ask.length;
	st->answer.to_head = retell_is_head(&st->ask);
	retell_done(&st->ask);
	if (r == -EMSGSIZE)
		answer_short(st, 431);
	else if (r < 0)
		give_up(st, r == -EBADMSG ? H2_MALFORMED : H2_BROKEN);
	else if (connect_to_self(st) < 0)
		give_up(st, H2_REFUSED);
	else
		push(st);
}

static void on_body(void *ctx, int32_t id, const char *data, size_t len)
{
	struct streams *s = ctx;
	struct stream *st = find(s, id);

	if (!st || st->fd < 0) { /* nobody wants it any more */
		h2_took(s->h2, id, len);
		return;
	}
	st->held += len;
	if (!st->chunks && len > st->left) {
		give_up(st, H2_MALFORMED);
		return;
	}
	if (st->chunks && len)
		(void)retell_piece(data, len, &st->in);
	else
		(void)buf_add(&st->in, data, len);
	st->left -= st->chunks ? 0 : len;
	if (buf_failed(&st->in))
		give_up(st, H2_BROKEN);
	else
		push(st);
}

static void on_asked(void *ctx, int32_t id)
{
	struct stream *st = find(ctx, id);

	if (!st)
		return;
	st->asked = true;
	if (st->fd < 0)
		return;
	if (st->left)
		give_up(st, H2_MALFORMED);
	else if (st->chunks && retell_piece("", 0, &st->in) < 0)
		give_up(st, H2_BROKEN);
	else
		push(st);
}

static void on_closed(void *ctx, int32_t id)
{
	struct streams *s = ctx;
	struct stream *st = find(s, id);

	if (!st)
		return;
	h2_took(s->h2, 0, take(&st->held, 0));
	stream_free(st);
}

/* ---- what the server answers ------------------------------------------------------- */

static ssize_t on_answer(void *ctx, int32_t id, char *data, size_t len, bool *last)
{
	struct stream *st = find(ctx, id);
	size_t n = st ? MIN(len, st->out.len) : 0;

	if (!st)
		return -EPROTO;
	*last = st->answer.whole && n == st->out.len;
	st->answered |= *last;
	if (!n)
		return *last ? 0 : -EAGAIN;
	memcpy(data, st->out.data, n);
	buf_consume(&st->out, n);
	st->moved_ms = sys_now_ms();
	watch(st);
	return (ssize_t)n;
}

static void on_answer_head(struct stream *st)
{
	const struct retell_answer *a = &st->answer;

	h2_answer(st->all->h2, st->id, a->status, a->fields, a->n, !a->whole);
	st->answered |= a->status >= 200 && a->whole;
	st->moved_ms = sys_now_ms();
}

static void take_answer(struct stream *st, const char *data, size_t len)
{
	int r = 0;

	for (size_t at = 0, used; r >= 0 && at < len; at += used) {
		r = retell_answer(&st->answer, data + at, len - at, &used, &st->out);
		if (r == 1)
			on_answer_head(st);
	}
	if (r < 0)
		give_up(st, H2_BROKEN);
}

static int on_end(void *ctx, uint32_t events, struct err *)
{
	struct stream *st = ctx;
	struct exchange *x = st->all->x;
	char data[PART];
	ssize_t n = -EAGAIN;

	if (x->state == EXCHANGE_DEAD)
		return 0;
	if (events & EPOLLOUT)
		push(st);
	if (st->fd >= 0 && st->out.len < PART)
		n = sys_recv(st->fd, data, sizeof(data), 0);
	if (n > 0)
		take_answer(st, data, (size_t)n);
	else if (n != -EAGAIN && !retell_answer_end(&st->answer))
		give_up(st, st->answer.status ? H2_BROKEN : H2_REFUSED);
	if (st->answer.whole && st->fd >= 0)
		hang_up(st);
	else
		watch(st);
	if (st->out.len || st->answer.whole)
		h2_more(st->all->h2, st->id);
	streams_turn(x); /* @st may be no more */
	return 0;
}

/* ---- the connection ---------------------------------------------------------------- */

struct streams *streams_begin(struct exchange *x)
{
	static const struct h2_hooks hooks = { .field = on_field,
					       .head_end = on_head,
					       .body = on_body,
					       .end = on_asked,
					       .closed = on_closed,
					       .answer = on_answer };
	struct streams *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->x = x;
	s->idle_ms = x->born_ms;
	s->h2 = h2_new(x->server->conf->h2, &hooks, s);
	if (!s->h2) {
		free(s);
		return NULL;
	}
	return s;
}

void streams_free(struct streams **sp)
{
	struct streams *s = take(sp, NULL);

	if (!s)
		return;
	for (struct stream *st = s->list, *next; st; st = next) {
		next = st->next;
		stream_free(st);
	}
	h2_free(&s->h2);
	free(s);
}

bool streams_idle(const struct exchange *x)
{
	return !x->h2->n;
}

void streams_end(struct exchange *x)
{
	struct streams *s = x->h2;

	h2_goodbye(s->h2);
	(void)h2_send(s->h2, &x->out, STREAMS_FULL);
	for (struct stream *st = s->list, *next; st; st = next) {
		next = st->next;
		stream_free(st);
	}
	x->close = true;
	x->state = EXCHANGE_FLUSH;
	x->deadline_ms = sys_now_ms() + EXCHANGE_STALL_MS;
	exchange_push(x);
}

static void set_deadline(struct streams *s)
{
	struct exchange *x = s->x;
	uint64_t since = h2_head_since(s->h2);

	if (x->out.len && s->stuck)
		return; /* each byte that leaves puts it off */
	s->stuck = x->out.len;
	if (s->stuck)
		x->deadline_ms = sys_now_ms() + EXCHANGE_STALL_MS;
	else if (since)
		x->deadline_ms = since + EXCHANGE_HEAD_MS;
	else if (s->n)
		x->deadline_ms = UINT64_MAX; /* each request has its own */
	else
		x->deadline_ms =
			s->idle_ms + (x->served ? EXCHANGE_KEEP_MS : EXCHANGE_HEAD_MS);
}

void streams_turn(struct exchange *x)
{
	struct streams *s = x->h2;
	size_t filled;
	int r;

	do {
		r = h2_send(s->h2, &x->out, STREAMS_FULL);
		filled = x->out.len;
		exchange_push(x);
	} while (r == 0 && filled >= STREAMS_FULL && !x->out.len &&
		 x->state == EXCHANGE_H2);
	if (x->state != EXCHANGE_H2)
		return;
	if (r < 0 || h2_over(s->h2) || (s->leaving && !s->n)) {
		streams_end(x);
		return;
	}
	set_deadline(s);
	exchange_watch(x);
}

void streams_take(struct exchange *x)
{
	int r = h2_recv(x->h2->h2, x->in.data, x->in.len, sys_now_ms());

	buf_truncate(&x->in, 0);
	if (r < 0)
		streams_end(x);
	else
		streams_turn(x);
}

/* The client takes nothing of its answer any more, or has it and goes on with its body:
 * there are clients that do not read an answer when that is cut at once. */
static bool is_stale(const struct stream *st, uint64_t now_ms)
{
	uint64_t since = now_ms > st->moved_ms ? now_ms - st->moved_ms : 0;

	return st->answered ? !st->asked && since > EXCHANGE_LINGER_MS
			    : st->out.len && since > EXCHANGE_STALL_MS;
}

void streams_tick(struct exchange *x, uint64_t now_ms)
{
	bool any = false;

	for (struct stream *st = x->h2->list; st; st = st->next) {
		if (st->reset || !is_stale(st, now_ms))
			continue;
		give_up(st, st->answered ? H2_DONE : H2_STALLED);
		any = true;
	}
	if (any)
		streams_turn(x);
}

void streams_goodbye(struct exchange *x)
{
	if (x->h2->leaving)
		return;
	x->h2->leaving = true;
	h2_goodbye(x->h2->h2);
	streams_turn(x);
}
