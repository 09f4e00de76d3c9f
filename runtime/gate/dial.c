/* gate_dial - the other end of a connection: judged by name, looked up, judged by
 * address, dialled. Addresses are tried in turns (RFC 8305, "happy eyeballs"): when one
 * does not answer for 250 ms the next is tried beside it, and the first that answers is
 * taken. Where the host itself must use a proxy, the proxy is dialled instead and told
 * the name: only it can resolve it. */
#include <netinet/tcp.h>
#include <stdio.h>
#include <string.h>

#include "base/sys/sys.h"
#include "runtime/gate/impl.h"

enum { PEEK = 8192, TALK = 1024, ATTEMPTS = GATE_FDS_PER_CONN - 1 };

struct attempt {
	struct gate_dial *d; /* borrowed */
	struct netaddr addr;
	int fd; /* owned; -1 = not running */
	struct loop_source *src;
};

struct gate_dial {
	struct gate_conn *c; /* borrowed */
	const struct gate_dial_calls *calls;
	struct gate_waiter waiter;
	struct attempt tries[RESOLVE_ADDRS];
	unsigned n, started, running;
	int error;	/* of the last that failed */
	unsigned rules; /* gated.rules when its addresses were judged */
	struct loop_source *next, *deadline;
	const struct gate_proxy *proxy; /* borrowed; NULL = direct */
	struct gate_proxy_talk talk;
	uint16_t port; /* that is dialled: the proxy's, or the connection's */
};

static void end_attempt(struct attempt *a)
{
	loop_remove(a->d->c->g->loop, &a->src);
	if (a->fd >= 0)
		a->d->running--;
	scope_close(&a->fd);
}

void gate_dial_free(struct gate_dial **dp)
{
	struct gate_dial *d = take(dp, NULL);

	if (!d)
		return;
	gate_lookup_cancel(&d->waiter);
	for (unsigned i = 0; i < d->n; i++)
		end_attempt(&d->tries[i]);
	loop_remove(d->c->g->loop, &d->next);
	loop_remove(d->c->g->loop, &d->deadline);
	free(d);
}

static void start_next(struct gate_dial *d);

/* The connection is there: hand it on. */
static void hand_over(struct attempt *a)
{
	struct gate_conn *c = a->d->c;
	const struct gate_dial_calls *calls = a->d->calls;
	struct netaddr addr = a->d->proxy ? c->addr : a->addr;
	int fd = a->fd;

	loop_remove(c->g->loop, &a->src);
	a->fd = -1;
	a->d->running--;
	gate_dial_free(&c->dial);
	calls->reached(c, fd, &addr);
}

/* The rules may have changed since the address was judged. Return: true = refused. */
static bool refused_by_now(struct attempt *a)
{
	struct gate_conn *c = a->d->c;
	enum netaddr_class class;

	if (a->d->rules == c->g->rules || a->d->proxy || !c->name ||
	    !strcmp(c->name, GATE_POLICY_HOST))
		return false;
	class = gate_place_class(&c->g->places, &a->addr);
	if (gate_policy_address(c->g->policy, &a->addr, c->port, class) ==
	    GATE_POLICY_ALLOW)
		return false;
	a->d->calls->refused(c, &a->addr, class);
	return true;
}

static void won(struct attempt *a)
{
	if (!refused_by_now(a))
		hand_over(a);
}

static int say(struct attempt *a, const struct buf *out)
{
	ssize_t n = out->len ? sys_send(a->fd, out->data, out->len, 0) : 0;

	if (n < 0)
		return (int)n;
	return (size_t)n == out->len ? 0 : -EPROTO; /* a first kilobyte always fits */
}

/* One answer of the proxy; only what belongs to the conversation is taken out. Return: 1 =
 * that was all of it, 0 = more has to come, -errno. @used: bytes that were taken. */
static int hear(struct attempt *a, size_t *used)
{
	_cleanup_buf_ struct buf out = BUF_INIT(TALK);
	char in[PEEK];
	ssize_t n = sys_recv(a->fd, in, sizeof(in), MSG_PEEK);
	int r;

	*used = 0;
	if (n <= 0)
		return n == -EAGAIN ? 0 : n < 0 ? (int)n : -ECONNRESET;
	r = gate_proxy_feed(&a->d->talk, in, (size_t)n, used, &out);
	if (r >= 0 && *used)
		(void)sys_recv(a->fd, in, *used, 0);
	else if (!r && n == sizeof(in))
		r = -EPROTO; /* no answer is that long */
	return r >= 0 && say(a, &out) < 0 ? -EPROTO : r;
}

/* Watched edge-triggered: what is not whole stays in the socket until more comes. */
static int talk(void *ctx, uint32_t events, struct err *)
{
	struct attempt *a = ctx;
	size_t used;
	int r;

	do
		r = hear(a, &used);
	while (!r && used);
	if (!r && events & (EPOLLRDHUP | EPOLLHUP | EPOLLERR))
		r = -ECONNRESET;
	if (r > 0)
		won(a);
	else if (r < 0)
		a->d->calls->failed(a->d->c, r);
	return 0;
}

static void connected(struct attempt *a)
{
	struct gate_dial *d = a->d;
	_cleanup_buf_ struct buf out = BUF_INIT(TALK);
	int r;

	if (!d->proxy) {
		won(a);
		return;
	}
	for (unsigned i = 0; i < d->n; i++)
		if (&d->tries[i] != a)
			end_attempt(&d->tries[i]);
	d->started = d->n;
	loop_remove(d->c->g->loop, &a->src);
	r = gate_proxy_begin(&d->talk, &out) ?: say(a, &out) ?:
		gate_memory_watch(d->c->g, a->fd, EPOLLIN | EPOLLRDHUP | EPOLLET, talk,
				  a, &a->src);
	if (r < 0)
		d->calls->failed(d->c, r);
}

static int answered(void *ctx, uint32_t, struct err *)
{
	struct attempt *a = ctx;
	struct gate_dial *d = a->d;
	int v = 0;

	if (sys_getsockopt(a->fd, SOL_SOCKET, SO_ERROR, &v, &(socklen_t){ sizeof(v) }) <
	    0)
		v = EIO;
	if (!v) {
		connected(a);
		return 0;
	}
	d->error = -v;
	end_attempt(a);
	start_next(d);
	return 0;
}

static int next_due(void *ctx, uint32_t, struct err *)
{
	struct gate_dial *d = ctx;

	start_next(d);
	return 0;
}

/* What is on this machine has answered before connect() returns, which says "in progress"
 * all the same; asked again it says what came of it. */
static int connect_here(int fd, const struct sockaddr *to, socklen_t len)
{
	int r;

	(void)sys_setsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, NETNS_CONGESTION,
			     strlen(NETNS_CONGESTION));
	r = sys_connect(fd, to, len);
	if (r == -EINPROGRESS)
		r = sys_connect(fd, to, len);
	return r == -EALREADY ? -EINPROGRESS : r;
}

/* 1 = connected at once, 0 = under way. */
static int try_one(struct attempt *a)
{
	struct sockaddr_storage to;
	socklen_t len = netaddr_to_sock(&a->addr, a->d->port, &to);
	int r = sys_socket(to.ss_family, SOCK_STREAM | SOCK_NONBLOCK, 0);

	if (r < 0)
		return r;
	a->fd = r;
	a->d->running++;
	if (netaddr_classify(&a->addr) == NETADDR_LOOPBACK)
		r = connect_here(a->fd, (struct sockaddr *)&to, len);
	else
		r = sys_connect(a->fd, (struct sockaddr *)&to, len);
	if (r >= 0)
		return 1;
	if (r == -EINPROGRESS)
		r = gate_memory_watch(a->d->c->g, a->fd, EPOLLOUT, answered, a,
				      &a->src);
	if (r < 0)
		end_attempt(a);
	return r;
}

/* Starts attempts until one is under way; ends the connection when none is left. With as
 * many as may be at once the next waits for one of them to end. */
static void start_next(struct gate_dial *d)
{
	loop_remove(d->c->g->loop, &d->next);
	while (d->started < d->n && d->running < ATTEMPTS) {
		struct attempt *a = &d->tries[d->started++];
		int r = try_one(a);

		if (r > 0) {
			connected(a);
			return;
		}
		if (r < 0) {
			d->error = r;
			continue;
		}
		if (d->started < d->n)
			(void)gate_memory_timer(d->c->g, GATE_NEXT_MS, next_due, d,
						&d->next);
		return;
	}
	if (!d->running)
		d->calls->failed(d->c, d->error ? d->error : -EHOSTUNREACH);
}

/* Looked at every few seconds: the place of one that nobody answers is taken by others once
 * most are taken. Not sooner: the box would dial as many as it likes. */
static int too_late(void *ctx, uint32_t, struct err *)
{
	struct gate_dial *d = ctx;
	struct gated *g = d->c->g;
	const bool is_crowded = g->n_conns > g->max_conns - g->max_conns / 8;
	const uint64_t age = sys_now_ms() - d->c->start_ms;

	if (age < GATE_DIAL_MS && !is_crowded) {
		loop_rearm(g->loop, d->deadline, MIN(GATE_DIAL_MS - age, GATE_FULL_MS));
		return 0;
	}
	if (age < GATE_DIAL_MS)
		gate_note_tell(
			&g->notes,
			"network: nearly all of this box's %u connections are in "
			"use; one that is not answered within %d s is given up",
			g->max_conns, GATE_FULL_MS / 1000);
	d->calls->failed(d->c, -ETIMEDOUT);
	return 0;
}

static void add_attempt(struct gate_dial *d, const struct netaddr *a)
{
	if (d->n < RESOLVE_ADDRS)
		d->tries[d->n++] = (struct attempt){ .d = d, .addr = *a, .fd = -1 };
}

/* The two families alternate, the resolver's favourite first. */
static void interleave(struct gate_dial *d)
{
	for (unsigned i = 1; i < d->n; i++) {
		unsigned k = i;
		struct attempt a;

		while (k < d->n && d->tries[k].addr.len == d->tries[i - 1].addr.len)
			k++;
		if (k == d->n)
			return;
		a = d->tries[k];
		memmove(&d->tries[i + 1], &d->tries[i], (k - i) * sizeof(a));
		d->tries[i] = a;
	}
}

/* Addresses of the name that was asked for: each is judged, here and not earlier. */
static void looked_up(void *ctx, const struct resolve_reply *reply)
{
	struct gate_dial *d = ctx;
	struct gate_conn *c = d->c;
	const struct netaddr *bad = NULL;
	enum netaddr_class class = NETADDR_PUBLIC;

	d->rules = c->g->rules;
	for (uint32_t i = 0; i < reply->n && !reply->error; i++) {
		const struct netaddr *a = &reply->addr[i];
		enum netaddr_class k =
			d->proxy ? NETADDR_PUBLIC : gate_place_class(&c->g->places, a);

		if (d->proxy || gate_policy_address(c->g->policy, a, c->port, k) ==
					GATE_POLICY_ALLOW) {
			add_attempt(d, a);
		} else if (!bad) {
			bad = a;
			class = k;
		}
	}
	if (d->n) {
		interleave(d);
		start_next(d);
	} else if (bad) {
		d->calls->refused(c, bad, class);
	} else {
		d->calls->failed(c, reply->error == -ENOENT ? -EHOSTUNREACH : -EAGAIN);
	}
}

static void dial_proxy(struct gate_dial *d)
{
	struct gate_conn *c = d->c;
	char addr[NETADDR_TEXT];
	struct netaddr a;

	c->proxy = d->proxy->host;
	d->port = d->proxy->port;
	d->talk = (struct gate_proxy_talk){ .proxy = d->proxy, .port = c->port };
	snprintf(d->talk.host, sizeof(d->talk.host), "%s",
		 c->name ? c->name : netaddr_format(&c->addr, addr));
	if (netaddr_parse(d->proxy->host, &a) < 0) {
		gate_lookup_start(c->g, d->proxy->host, &d->waiter, looked_up, d);
		return;
	}
	add_attempt(d, &a);
	start_next(d);
}

static void dial_host(struct gate_dial *d)
{
	const struct netaddr v4 = { .len = 4, .bytes = { 127, 0, 0, 1 } };
	const struct netaddr v6 = { .len = 16, .bytes = { [15] = 1 } };

	add_attempt(d, &v4);
	add_attempt(d, &v6);
	start_next(d);
}

/* An address that the box dialled by number. */
static void dial_literal(struct gate_dial *d)
{
	struct gate_conn *c = d->c;
	enum netaddr_class class = gate_place_class(&c->g->places, &c->addr);
	enum gate_policy_verdict v =
		gate_policy_literal(c->g->policy, &c->addr, c->port);

	if (v == GATE_POLICY_ALLOW)
		v = gate_policy_address(c->g->policy, &c->addr, c->port, class);
	if (v != GATE_POLICY_ALLOW && class != NETADDR_PUBLIC) {
		d->calls->refused(c, &c->addr, class);
		return;
	}
	if (v != GATE_POLICY_ALLOW) {
		d->calls->denied(c, v);
		return;
	}
	d->proxy = gate_proxy_for(&c->g->proxy, NULL, &c->addr, c->port);
	if (d->proxy) {
		dial_proxy(d);
		return;
	}
	add_attempt(d, &c->addr);
	start_next(d);
}

static void dial_name(struct gate_dial *d)
{
	struct gate_conn *c = d->c;
	enum gate_policy_verdict v = gate_policy_name(c->g->policy, c->name, c->port);

	if (v != GATE_POLICY_ALLOW) {
		d->calls->denied(c, v);
		return;
	}
	if (!strcmp(c->name, GATE_POLICY_HOST)) {
		dial_host(d);
		return;
	}
	d->proxy = gate_proxy_for(&c->g->proxy, c->name, NULL, c->port);
	if (d->proxy)
		dial_proxy(d);
	else
		gate_lookup_start(c->g, c->name, &d->waiter, looked_up, d);
}

int gate_dial_start(struct gate_conn *c, const struct gate_dial_calls *calls)
{
	struct gate_dial *d = gate_memory_get(c->g, sizeof(*d));

	if (!d ||
	    gate_memory_timer(c->g, GATE_FULL_MS, too_late, d, &d->deadline) < 0) {
		free(d);
		return -ENOMEM;
	}
	d->c = c;
	d->calls = calls;
	d->port = c->port;
	c->dial = d;
	if (c->name)
		dial_name(d);
	else
		dial_literal(d);
	return 0;
}
