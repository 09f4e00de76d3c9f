/* gate_conn - connections: dialled, joined with their other end, ended. What becomes of one
 * is told here, to the audit log and the monitor.
 *
 * gate_accept, gate_syn and gate_ports bring them. While one is being dialled only its own
 * side is there and not watched: what the box sends waits in the kernel. From
 * gate_conn_join() on both sockets are watched edge-triggered for their whole life, and any
 * event runs the pump; for room to write from when there was none for the first time on. */
#include <netinet/tcp.h>
#include <string.h>

#include "base/sys/sys.h"
#include "runtime/gate/impl.h"

enum { EVENTS = EPOLLIN | EPOLLPRI | EPOLLRDHUP | EPOLLET };

static void watch(struct gated *g, struct loop_source *src, bool on)
{
	if (src)
		loop_modify(g->loop, src, on ? EPOLLIN : 0);
}

/* Watch the listeners, or not while there are too many. */
static void gate_conn_listen(struct gated *g)
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

static int rested(void *ctx, uint32_t, struct err *)
{
	struct gated *g = ctx;

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

/* An error of either side becomes a reset of the other, as does the death of this process
 * (gate_conn_tune): nobody may take a broken connection for one that ended. */
static void close_end(int *fd, bool reset)
{
	if (*fd >= 0 && !reset)
		gate_conn_orderly(*fd);
	scope_close(fd);
}

static void note_dialled(struct gate_conn *c, const char *verdict, const char *why,
			 const struct gate_owner *who)
{
	struct gate_audit_line line = { .event = c->published ? "publish" : "open",
					.verdict = verdict,
					.id = c->id,
					.name = c->name,
					.addr = &c->addr,
					.port = c->port,
					.proxy = c->proxy,
					.why = why,
					.by_box = true,
					.who = who };

	gate_note_line(&c->g->notes, &line);
}

static void note(struct gate_conn *c, const char *verdict, const char *why)
{
	note_dialled(c, verdict, why, gate_who_settle(&c->g->finder, &c->who));
}

static void note_opened(void *ctx)
{
	struct gate_conn *c = ctx;

	note_dialled(c, "allowed", NULL, &c->who.found);
}

/* What the box sends comes from the other end where the host called it. */
static void count(const struct gate_conn *c, struct gate_stats *s)
{
	const struct gate_flow *up = &c->pump.up, *down = &c->pump.down;

	s->sent += c->published ? down->bytes : up->bytes;
	s->received += c->published ? up->bytes : down->bytes;
}

struct gate_stats gate_conn_stats(const struct gated *g)
{
	struct gate_stats all = g->stats;

	for (const struct gate_conn *c = g->conns; c; c = c->next)
		if (c->open)
			count(c, &all);
	return all;
}

static void tell_end(struct gate_conn *c, const char *why)
{
	struct gate_stats moved = { 0 };
	struct gate_audit_line line = { .event = "close",
					.id = c->id,
					.name = c->name,
					.addr = &c->addr,
					.port = c->port,
					.why = why,
					.by_box = true,
					.who = &c->who.found,
					.ended = true,
					.ms = sys_now_ms() - c->start_ms };

	if (take(&c->who.then, NULL)) {
		gate_who_forget(&c->g->finder, &c->who);
		note_opened(c);
	}
	count(c, &moved);
	line.sent = moved.sent;
	line.received = moved.received;
	c->g->stats.sent += moved.sent;
	c->g->stats.received += moved.received;
	gate_note_line(&c->g->notes, &line);
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
	gate_who_forget(&g->finder, &c->who);
	if (c->brought)
		c->brought->gone(c, r);
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

/* It was never seen: its program's kernel will ask again. */
static void forget(struct gate_conn *c)
{
	c->g->stats.accepted--;
	gate_conn_end(c, 0, NULL);
}

void gate_conn_fail(struct gate_conn *c, int r)
{
	const char *why = strerrordesc_np(-r);

	if (c->held && gate_conn_rest(c->g, r)) {
		forget(c);
		return;
	}
	c->g->stats.failed++;
	note(c, "failed", why);
	gate_conn_end(c, r, why);
}

static void denied(struct gate_conn *c, enum gate_policy_verdict v)
{
	char addr[NETADDR_TEXT];
	const char *what = c->name ? c->name : netaddr_format(&c->addr, addr);

	c->g->stats.refused++;
	note(c, "refused",
	     v == GATE_POLICY_DENIED ? "denied by a rule" : "not allowed");
	gate_note_tell(&c->g->notes, "network: %s port %u is not allowed in this box",
		       what, c->port);
	gate_conn_end(c, -EACCES, NULL);
}

static void refused(struct gate_conn *c, const struct netaddr *a,
		    enum netaddr_class class)
{
	char addr[NETADDR_TEXT];
	const char *kind = netaddr_class_name(class);

	netaddr_format(a, addr);
	c->g->stats.refused++;
	note(c, "refused", kind);
	if (c->name)
		gate_note_tell(&c->g->notes,
			       "network: %s is %s here, a %s that is not allowed in "
			       "this box",
			       c->name, addr, kind);
	else
		gate_note_tell(&c->g->notes,
			       "network: %s, a %s, is not allowed in this box", addr,
			       kind);
	gate_conn_end(c, -EACCES, NULL);
}

static int again(void *ctx, uint32_t events, struct err *e);

/* What is looked at may be moved, and makes room for more to look at. */
static int look_and_pump(struct gate_conn *c)
{
	int seen = gate_look_run(c);
	int r = seen < 0 ? seen : gate_pump_run(&c->pump);

	while (r == GATE_PUMP_WAIT && (seen = gate_look_run(c)))
		r = seen < 0 ? seen : gate_pump_run(&c->pump);
	return r;
}

/* Room where there was none comes as an edge, too. */
static int await_room(struct gate_conn *c, const struct gate_flow *f,
		      struct loop_source *to)
{
	return f->held ? loop_modify(c->g->loop, to, EVENTS | EPOLLOUT) : 0;
}

static void pump(struct gate_conn *c)
{
	int r = look_and_pump(c);

	if (r == GATE_PUMP_WAIT)
		r = await_room(c, &c->pump.up, c->out_src)
			    ?: await_room(c, &c->pump.down, c->in_src);
	if (r == -EACCES)
		gate_conn_end(c, r, "not allowed");
	else if (r < 0)
		gate_conn_end(c, r, "broken");
	else if (r == GATE_PUMP_DONE)
		gate_conn_end(c, 0, NULL);
	else if (r == GATE_PUMP_MORE && !c->again &&
		 gate_memory_timer(c->g, 0, again, c, &c->again) < 0)
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

/* The pump had more to do. */
static int again(void *ctx, uint32_t, struct err *)
{
	struct gate_conn *c = ctx;

	loop_remove(c->g->loop, &c->again);
	pump(c);
	return 0;
}

static int moved(struct gate_conn *c, struct gate_flow *f, uint32_t events)
{
	int r = 0;

	gate_pump_event(f, events);
	if (events & EPOLLERR)
		r = pending_error(c->in) ?: pending_error(c->out);
	if (r < 0)
		gate_conn_end(c, r, "broken");
	else
		pump(c);
	return 0;
}

static int in_moved(void *ctx, uint32_t events, struct err *)
{
	struct gate_conn *c = ctx;

	return moved(c, &c->pump.up, events);
}

static int out_moved(void *ctx, uint32_t events, struct err *)
{
	struct gate_conn *c = ctx;

	return moved(c, &c->pump.down, events);
}

void gate_conn_tune(int fd)
{
	static const struct {
		int level, name, value;
	} options[] = {
		{ IPPROTO_TCP, TCP_NODELAY, 1 },   { SOL_SOCKET, SO_KEEPALIVE, 1 },
		{ IPPROTO_TCP, TCP_KEEPIDLE, 60 }, { IPPROTO_TCP, TCP_KEEPINTVL, 15 },
		{ IPPROTO_TCP, TCP_KEEPCNT, 4 },   { SOL_SOCKET, SO_OOBINLINE, 1 },
	};
	const struct linger reset = { .l_onoff = 1 };

	for (size_t i = 0; i < ARRAY_SIZE(options); i++)
		(void)sys_setsockopt(fd, options[i].level, options[i].name,
				     &options[i].value, sizeof(int));
	(void)sys_setsockopt(fd, SOL_SOCKET, SO_LINGER, &reset, sizeof(reset));
}

void gate_conn_orderly(int fd)
{
	const struct linger wait = { .l_onoff = 0 };

	(void)sys_setsockopt(fd, SOL_SOCKET, SO_LINGER, &wait, sizeof(wait));
}

static void open_both(struct gate_conn *c)
{
	struct gated *g = c->g;
	int r;

	c->open = true;
	g->stats.opened++;
	gate_conn_tune(c->out); /* the other one has it from its listener */
	gate_pump_init(&c->pump, c->in, c->out, &g->pool);
	r = gate_look_start(c) ?:
		gate_memory_watch(g, c->in, EVENTS, in_moved, c, &c->in_src) ?:
		gate_memory_watch(g, c->out, EVENTS, out_moved, c, &c->out_src);
	if (r < 0) /* else what is there already is an edge */
		gate_conn_end(c, r, "no memory");
}

void gate_conn_join(struct gate_conn *c)
{
	if (!gate_who_later(&c->g->finder, &c->who, note_opened, c))
		note_opened(c);
	open_both(c);
}

static void reached(struct gate_conn *c, int out, const struct netaddr *addr)
{
	c->out = out;
	c->addr = *addr;
	if (c->held)
		c->brought->reached(c);
	else
		gate_conn_join(c);
}

void gate_conn_begin(struct gate_conn *c, const struct gate_ends *ends)
{
	static const struct gate_dial_calls calls = { reached, gate_conn_fail, denied,
						      refused };
	struct netaddr addr = { .len = 4 };

	memcpy(addr.bytes, &ends->ours.sin_addr, 4);
	c->port = ntohs(ends->ours.sin_port);
	c->name = gate_names_at(c->g->names, &addr);
	if (!c->name)
		c->addr = addr;
	gate_who_ask(&c->g->finder, &c->who, ends);
	if (gate_dial_start(c, &calls) < 0)
		gate_conn_end(c, -ENOMEM, "no memory");
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
	if (v == GATE_POLICY_ALLOW && !gate_look_still(c))
		v = GATE_POLICY_DENIED;
	if (v != GATE_POLICY_ALLOW || (c->name && !known))
		return v;
	return gate_policy_address(p, &c->addr, c->port,
				   gate_place_class(&c->g->places, &c->addr));
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
			denied(c, v);
		else if (c->open && !c->look && !c->pump.up.bytes && !c->pump.up.held)
			(void)gate_look_start(c); /* it has said nothing yet */
	}
}
