/* Theory of operation
 *
 * A server that has as many connections as it may have takes no more until one ends: they
 * wait in the kernel, and idle ones are closed for them. */
#include "agent/server/exchange/accept.h"

#include <errno.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>

#include "agent/server/exchange/impl.h"
#include "base/sys/sys.h"

enum { STOP_MS = 3000, TAKE = 64 };

static void set_full(struct server *s, bool full)
{
	if (s->full == full)
		return;
	s->full = full;
	for (unsigned i = 0; i < s->conf->n_listen; i++)
		if (s->listeners[i])
			(void)loop_modify(s->loop, s->listeners[i], full ? 0 : EPOLLIN);
}

/* The one that has waited longest for another request makes place, or one without key that
 * is slow in whatever it does. */
static bool pick_place(struct server *s, const struct exchange *asks)
{
	struct exchange *oldest = NULL;
	uint64_t now;

	if (s->n_exchanges < s->conf->max_connections)
		return true;
	for (struct exchange *x = s->exchanges; x; x = x->next)
		if (x != asks && (conn_idle(x) || x->half) &&
		    (!oldest || x->deadline_ms < oldest->deadline_ms))
			oldest = x;
	now = oldest ? 0 : sys_now_ms();
	for (struct exchange *x = s->exchanges; x && !oldest; x = x->next)
		if (x != asks && (!asks || x->outer != asks) && conn_stranger(x, now))
			oldest = x;
	if (!oldest)
		return false;
	exchange_die(oldest);
	return true;
}

static bool make_place(struct server *s)
{
	bool place = pick_place(s, NULL);

	conn_reap(s);
	return place;
}

/* Nothing is reaped: whoever asks has connections at hand. */
static int take_request(struct server *s, int fd, struct exchange *outer)
{
	struct err why = ERR_NONE;

	if (s->stopping || !pick_place(s, outer))
		return -EAGAIN;
	return conn_new(s, fd, outer, &why);
}

/* Between two rounds: is there a place again? */
void accept_tidy(struct server *s)
{
	conn_reap(s);
	if (s->full && !s->starved && make_place(s))
		set_full(s, false);
}

static int on_listener(void *ctx, uint32_t, struct err *)
{
	struct server *s = ctx;

	for (unsigned i = 0; i < s->conf->n_listen; i++)
		for (int n = 0; n < TAKE; n++) {
			struct err why = ERR_NONE;
			int fd, one = 1;

			if (!make_place(s)) {
				set_full(s, true);
				return 0;
			}
			fd = sys_accept(s->conf->listen_fds[i], NULL, NULL);
			if (fd == -EMFILE || fd == -ENFILE) {
				s->starved = true; /* until the next tick */
				set_full(s, true);
			}
			if (fd < 0)
				break;
			(void)sys_setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one,
					     sizeof(one));
			/* a stream may be silent for hours, and its client gone */
			(void)sys_setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &one,
					     sizeof(one));
			if (conn_new(s, fd, NULL, &why) < 0)
				scope_close(&fd);
		}
	return 0;
}

int accept_begin(struct server *s, struct err *e)
{
	int r = 0;

	s->take_request = take_request;
	for (unsigned i = 0; r == 0 && i < s->conf->n_listen; i++)
		r = loop_add(s->loop, s->conf->listen_fds[i], EPOLLIN, on_listener, s,
			     &s->listeners[i]);
	return r < 0 ? err_sys(e, r, "cannot set the server up") : 0;
}

void accept_tick(struct server *s, uint64_t now_ms)
{
	for (struct exchange *x = s->exchanges; x; x = x->next)
		if (x->state != EXCHANGE_DEAD)
			conn_tick(x, now_ms);
	s->starved = false;
	accept_tidy(s);
}

/* No more requests; what is being answered may be, for a moment. */
int accept_end(struct server *s, struct err *e)
{
	uint64_t end = sys_now_ms() + STOP_MS;
	int r = 0;

	for (unsigned i = 0; i < s->conf->n_listen; i++)
		loop_remove(s->loop, &s->listeners[i]);
	while (r >= 0 && sys_now_ms() < end) {
		bool busy = false;

		for (struct exchange *x = s->exchanges; x; x = x->next) {
			if (x->state == EXCHANGE_HEAD || x->state == EXCHANGE_WS ||
			    x->state == EXCHANGE_LINGER)
				exchange_die(x);
			if (x->state == EXCHANGE_H2)
				streams_goodbye(x);
			busy |= x->state == EXCHANGE_BUSY || x->state == EXCHANGE_H2 ||
				x->out.len;
		}
		conn_reap(s);
		if (!busy)
			return 0;
		r = loop_step(s->loop, 50, e);
		conn_reap(s);
	}
	return r;
}

void accept_close_all(struct server *s)
{
	for (struct exchange *x = s->exchanges; x; x = x->next)
		exchange_die(x);
	conn_reap(s);
}
