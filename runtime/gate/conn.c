/* gate_conn - connections: taken from the box, joined with their other end, ended.
 *
 * While a connection is being dialled only its own side is there and not watched: what
 * the box sends waits in the kernel. From gate_conn_open() on both sockets are watched
 * edge-triggered for their whole life, and any event runs the pump. */
#include <netinet/tcp.h>
#include <stdio.h>
#include <string.h>

#include "base/sys/sys.h"
#include "runtime/gate/impl.h"

enum { ACCEPTS = 64, ORIGINAL_DST = 80 /* linux/netfilter_ipv4.h */, DNS_PORT = 53 };

static void watch(struct gated *g, struct loop_source *src, bool on)
{
	if (src)
		loop_modify(g->loop, src, on ? EPOLLIN : 0);
}

void gate_conn_listen(struct gated *g)
{
	bool want = g->n_conns < g->max_conns && !g->rest;
	/* what was sent on to a listener has its place already */
	bool accepts = g->fd_src[NETNS_FD_SYN] ? !g->rest : want;

	if (want == g->listening && accepts == g->accepting)
		return;
	watch(g, g->fd_src[NETNS_FD_SYN], want);
	for (int i = NETNS_FD_TCP; i < NETNS_FDS; i++)
		watch(g, g->fd_src[i], accepts);
	for (int i = 0; i < GATE_PUBLISHED; i++)
		watch(g, g->published[i].src, want);
	g->listening = want;
	g->accepting = accepts;
}

static int rested(void *ctx, uint32_t events, struct err *e)
{
	struct gated *g = ctx;

	(void)events;
	(void)e;
	loop_remove(g->loop, &g->rest);
	gate_conn_listen(g);
	return 0;
}

bool gate_conn_rest(struct gated *g, int r)
{
	if (r != -EMFILE && r != -ENFILE && r != -ENOBUFS && r != -ENOMEM)
		return false;
	if (!g->rest && gate_memory_timer(g, GATE_REST_MS, rested, g, &g->rest) >= 0)
		gate_conn_listen(g);
	return true;
}

struct gate_conn *gate_conn_new(struct gated *g, int in)
{
	struct gate_conn *c = gate_memory_get(g, sizeof(*c));

	if (!c) {
		scope_close(&in);
		return NULL;
	}
	*c = (struct gate_conn){ .g = g,
				 .in = in,
				 .out = -1,
				 .id = ++g->next_id,
				 .start_ms = sys_now_ms(),
				 .next = g->conns };
	if (c->next)
		c->next->prev = c;
	g->conns = c;
	g->n_conns++;
	g->stats.accepted++;
	gate_conn_listen(g);
	return c;
}

/* An error of either side becomes a reset of the other: nobody may take a broken
 * connection for one that ended. */
static void close_end(int *fd, bool reset)
{
	const struct linger now = { .l_onoff = 1 };

	if (*fd < 0)
		return;
	if (reset)
		(void)sys_setsockopt(*fd, SOL_SOCKET, SO_LINGER, &now, sizeof(now));
	scope_close(fd);
	*fd = -1;
}

static void tell_end(struct gate_conn *c, const char *why)
{
	struct gate_audit_line line = { .event = "close",
					.id = c->id,
					.name = c->name,
					.addr = &c->addr,
					.port = c->port,
					.why = why,
					.by_box = true,
					.who = &c->who.found,
					.ended = true,
					.sent = c->pump.up.bytes,
					.received = c->pump.down.bytes,
					.ms = sys_now_ms() - c->start_ms };

	if (take(&c->who.owes, NULL)) {
		gate_who_forget(c->g, &c->who);
		gate_dial_owed(c);
	}
	c->g->stats.sent += c->pump.up.bytes;
	c->g->stats.received += c->pump.down.bytes;
	gate_note_line(c->g, &line);
}

void gate_conn_end(struct gate_conn *c, int r, const char *why)
{
	struct gated *g = c->g;

	if (c->open)
		tell_end(c, why);
	loop_remove(g->loop, &c->in_src);
	loop_remove(g->loop, &c->out_src);
	loop_remove(g->loop, &c->again);
	gate_dial_free(&c->dial);
	gate_who_forget(g, &c->who);
	gate_syn_end(&c->held, r);
	gate_ports_forget(c);
	gate_look_free(&c->look);
	gate_pump_free(&c->pump);
	close_end(&c->in, r < 0);
	close_end(&c->out, r < 0);
	if (c->prev)
		c->prev->next = c->next;
	else
		g->conns = c->next;
	if (c->next)
		c->next->prev = c->prev;
	g->n_conns--;
	free(c->said);
	free(c);
	gate_conn_listen(g);
}

static int moved(void *ctx, uint32_t events, struct err *e);

/* What is looked at may be moved, and makes room for more to look at. */
static int look_and_pump(struct gate_conn *c)
{
	int seen = gate_look_run(c);
	int r = seen < 0 ? seen : gate_pump_run(&c->pump);

	while (r == GATE_PUMP_WAIT && (seen = gate_look_run(c)))
		r = seen < 0 ? seen : gate_pump_run(&c->pump);
	return r;
}

static void pump(struct gate_conn *c)
{
	int r = look_and_pump(c);

	if (r == -EACCES)
		gate_conn_end(c, r, "not allowed");
	else if (r < 0)
		gate_conn_end(c, r, "broken");
	else if (r == GATE_PUMP_DONE)
		gate_conn_end(c, 0, NULL);
	else if (r == GATE_PUMP_MORE && !c->again &&
		 gate_memory_timer(c->g, 0, moved, c, &c->again) < 0)
		gate_conn_end(c, -ENOMEM, "no memory");
}

/* A reset on a side that has nothing to read or write any more shows here only. */
static int pending_error(int fd)
{
	int v = 0;

	if (sys_getsockopt(fd, SOL_SOCKET, SO_ERROR, &v, &(socklen_t){ sizeof(v) }) < 0)
		return 0;
	return -v;
}

/* Either socket, or the timer of a pump that had more to do. */
static int moved(void *ctx, uint32_t events, struct err *e)
{
	struct gate_conn *c = ctx;
	int r = 0;

	(void)e;
	if (!events)
		loop_remove(c->g->loop, &c->again);
	if (events & EPOLLPRI)
		gate_pump_urgent(&c->pump);
	if (events & EPOLLERR) {
		r = pending_error(c->in);
		if (!r)
			r = pending_error(c->out);
	}
	if (r < 0)
		gate_conn_end(c, r, "broken");
	else
		pump(c);
	return 0;
}

/* Bytes go on as they come; a peer that vanished is found out in two minutes; urgent
 * data stays in the stream. */
static void tune(int fd)
{
	static const struct {
		int level, name, value;
	} options[] = {
		{ IPPROTO_TCP, TCP_NODELAY, 1 },   { SOL_SOCKET, SO_KEEPALIVE, 1 },
		{ IPPROTO_TCP, TCP_KEEPIDLE, 60 }, { IPPROTO_TCP, TCP_KEEPINTVL, 15 },
		{ IPPROTO_TCP, TCP_KEEPCNT, 4 },   { SOL_SOCKET, SO_OOBINLINE, 1 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(options); i++)
		(void)sys_setsockopt(fd, options[i].level, options[i].name,
				     &options[i].value, sizeof(int));
}

void gate_conn_open(struct gate_conn *c)
{
	const uint32_t events = EPOLLIN | EPOLLOUT | EPOLLPRI | EPOLLRDHUP | EPOLLET;
	struct gated *g = c->g;
	int r;

	c->open = true;
	g->stats.opened++;
	tune(c->in);
	tune(c->out);
	gate_pump_init(&c->pump, c->in, c->out, &g->pool);
	r = gate_look_start(c);
	if (r >= 0)
		r = gate_memory_watch(g, c->in, events, moved, c, &c->in_src);
	if (r >= 0)
		r = gate_memory_watch(g, c->out, events, moved, c, &c->out_src);
	if (r < 0)
		gate_conn_end(c, r, "no memory");
	else
		pump(c);
}

/* The program's socket, and where it meant to go. It knows nothing of a redirection. */
static int ends_of(const struct gated *g, int in, struct gate_ends *ret)
{
	socklen_t len = sizeof(ret->ours), len_theirs = sizeof(ret->theirs);
	int r;

	*ret = (struct gate_ends){ .udp = false };
	if (g->facts.caught == NETNS_CATCH_REDIRECT)
		r = sys_getsockopt(in, SOL_IP, ORIGINAL_DST, &ret->ours, &len);
	else
		r = sys_getsockname(in, (struct sockaddr *)&ret->ours, &len);
	return r < 0 ? r
		     : sys_getpeername(in, (struct sockaddr *)&ret->theirs,
				       &len_theirs);
}

void gate_conn_ask_who(struct gated *g, int in, struct gate_who *w)
{
	struct gate_ends ends;

	if (ends_of(g, in, &ends) >= 0)
		gate_who_ask(g, w, &ends);
}

void gate_conn_begin(struct gate_conn *c, const struct gate_ends *ends)
{
	struct netaddr addr = { .len = 4 };

	memcpy(addr.bytes, &ends->ours.sin_addr, 4);
	c->port = ntohs(ends->ours.sin_port);
	c->name = gate_names_at(c->g->names, &addr, NULL);
	if (!c->name)
		c->addr = addr;
	gate_who_ask(c->g, &c->who, ends);
	gate_dial_start(c);
}

static void take_in(struct gated *g, int in)
{
	struct gate_ends ends;
	bool known = ends_of(g, in, &ends) >= 0;
	bool dns = known && ntohs(ends.ours.sin_port) == DNS_PORT;
	struct gate_conn *c = known && !dns ? gate_syn_take(g, &ends) : NULL;

	if (dns) {
		gate_dns_accept(g, in);
	} else if (c) {
		c->in = in;
		gate_dial_done(c);
	} else if (!known || !g->listening) { /* sent on by a gate that is no more */
		close_end(&in, true);
	} else if ((c = gate_conn_new(g, in))) {
		gate_conn_begin(c, &ends);
	}
}

int gate_conn_ready(void *ctx, uint32_t events, struct err *e)
{
	struct gated *g = ctx;

	(void)events;
	(void)e;
	for (int i = NETNS_FD_TCP; i < NETNS_FDS; i++) {
		for (int n = 0; n < ACCEPTS && g->fd_src[i] && g->accepting; n++) {
			int fd = sys_accept(g->fds[i], NULL, NULL);

			if (fd < 0) {
				(void)gate_conn_rest(g, fd);
				break;
			}
			take_in(g, fd);
		}
	}
	return 0;
}

/* By name or number; by the address that was dialled where we know it. */
static enum gate_policy_verdict judge(const struct gate_conn *c)
{
	const struct gate_policy *p = c->g->policy;
	bool known = c->out >= 0 && !c->proxy && c->name &&
		     strcmp(c->name, GATE_POLICY_HOST);
	enum gate_policy_verdict v;

	if (c->published)
		return GATE_POLICY_ALLOW;
	v = c->name ? gate_policy_name(p, c->name, c->port)
		    : gate_policy_literal(p, &c->addr, c->port);
	if (v == GATE_POLICY_ALLOW && c->said)
		v = gate_policy_name(p, c->said, c->port);
	if (v != GATE_POLICY_ALLOW || (c->name && !known))
		return v;
	return gate_policy_address(p, &c->addr, c->port, gate_dial_class(&c->addr));
}

void gate_conn_recheck(struct gated *g)
{
	struct gate_conn *next;

	g->rules++; /* what is being dialled is judged by its address when it is there */
	for (struct gate_conn *c = g->conns; c; c = next) {
		enum gate_policy_verdict v = judge(c);

		next = c->next;
		if (v != GATE_POLICY_ALLOW && c->open)
			gate_conn_end(c, -EACCES, "no longer allowed");
		else if (v != GATE_POLICY_ALLOW)
			gate_dial_refused(c, v);
		else if (c->open && !c->look && !c->pump.up.bytes && !c->pump.up.held)
			(void)gate_look_start(c); /* it has said nothing yet */
	}
}
