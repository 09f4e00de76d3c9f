/* gate_ports - ports of the box that the host may reach, and what listens in the box.
 *
 * The host's side is a listener that the monitor made. For each connection a socket of
 * the box's namespace is asked for from init (netsock), in turn, and connected to the
 * box's loopback from here: 127.0.0.1 and, when nobody listens there, ::1. */
#include <arpa/inet.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <stdlib.h>
#include <string.h>

#include "base/sys/sys.h"
#include "runtime/gate/impl.h"
#include "runtime/net/sock.h"

enum { ACCEPTS = 32, SOCK_MS = 10000, LISTED = 256, DUMP = 16384 };

static const struct netaddr loopback4 = { .len = 4, .bytes = { 127, 0, 0, 1 } };
static const struct netaddr loopback6 = { .len = 16, .bytes = { [15] = 1 } };

static void fail(struct gate_conn *c, int r)
{
	struct gate_audit_line line = { .event = "publish",
					.verdict = "failed",
					.id = c->id,
					.addr = &c->addr,
					.port = c->port,
					.why = strerrordesc_np(-r) };

	gate_note_line(&c->g->notes, &line);
	gate_conn_end(c, r, NULL);
}

/* The socket that was asked for comes nevertheless, and is nobody else's. */
static void gone(struct gate_conn *c, int)
{
	for (struct gate_want *w = c->g->wants; w; w = w->next)
		if (w->c == c)
			w->c = NULL;
}

/* Sockets come in the order in which they were asked for. */
static void want_sock(struct gate_conn *c, const struct netaddr *at)
{
	struct gate_want *w = gate_memory_get(c->g, sizeof(*w)), **last = &c->g->wants;
	int r = w ? 0 : -ENOMEM;

	c->addr = *at;
	if (r == 0)
		r = netsock_ask(c->g->fds[NETNS_FD_SOCKS],
				at->len == 4 ? AF_INET : AF_INET6);
	if (r < 0) {
		free(w);
		fail(c, r);
		return;
	}
	while (*last)
		last = &(*last)->next;
	w->c = c;
	*last = w;
}

/* Return: for whom the first one was; NULL = nobody any more. */
static struct gate_conn *next_want(struct gated *g)
{
	struct gate_want *w = g->wants;
	struct gate_conn *c = w ? w->c : NULL;

	if (w)
		g->wants = w->next;
	free(w);
	return c;
}

static int inside(void *ctx, uint32_t events, struct err *)
{
	struct gate_conn *c = ctx;
	struct netaddr addr = c->addr;
	int v = 0;

	if (!events) { /* the timer */
		fail(c, -ETIMEDOUT);
		return 0;
	}
	(void)sys_getsockopt(c->out, SOL_SOCKET, SO_ERROR, &v,
			     &(socklen_t){ sizeof(v) });
	loop_remove(c->g->loop, &c->out_src);
	if (!v) {
		loop_remove(c->g->loop, &c->again);
		gate_who_listens(&c->g->finder, &c->who, &addr, c->port);
		gate_conn_join(c);
		return 0;
	}
	scope_close(&c->out);
	if (v == ECONNREFUSED && addr.len == 4 && c->g->facts.ipv6)
		want_sock(c, &loopback6);
	else
		fail(c, -v);
	return 0;
}

static void dial_inside(struct gate_conn *c, int sock)
{
	struct sockaddr_storage to;
	socklen_t len = netaddr_to_sock(&c->addr, c->port, &to);
	int r;

	c->out = sock;
	r = sys_connect(sock, (struct sockaddr *)&to, len);
	if (r >= 0 || r == -EINPROGRESS || r == -ECONNREFUSED)
		r = gate_memory_watch(c->g, sock, EPOLLOUT, inside, c, &c->out_src);
	if (r < 0)
		fail(c, r);
}

int gate_ports_sock(void *ctx, uint32_t, struct err *)
{
	struct gated *g = ctx;
	int sock;

	while ((sock = netsock_take(g->fds[NETNS_FD_SOCKS])) != -EAGAIN) {
		struct gate_conn *c;

		if (sock == -ECONNRESET) { /* init is gone: the box is ending */
			loop_remove(g->loop, &g->fd_src[NETNS_FD_SOCKS]);
			return 0;
		}
		c = next_want(g);
		if (!c)
			scope_close(&sock);
		else if (sock < 0)
			fail(c, sock);
		else
			dial_inside(c, sock);
	}
	return 0;
}

static int knocked(void *ctx, uint32_t, struct err *)
{
	static const struct gate_conn_calls calls = { .gone = gone };
	const struct gate_published *p = ctx;
	struct gated *g = p->g;

	for (int i = 0; i < ACCEPTS && g->n_conns < g->max_conns; i++) {
		int fd = sys_accept(p->fd, NULL, NULL);
		struct gate_conn *c;

		if (fd < 0) {
			gate_conn_rest(g, fd);
			break;
		}
		c = gate_conn_new(g, fd);
		if (!c)
			break;
		g->stats.published++;
		c->published = true;
		c->brought = &calls;
		c->port = p->port;
		if (gate_memory_timer(g, SOCK_MS, inside, c, &c->again) < 0)
			fail(c, -ENOMEM);
		else
			want_sock(c, &loopback4);
	}
	return 0;
}

int gate_ports_add(struct gated *g, int fd, uint16_t port)
{
	for (int i = 0; i < GATE_PUBLISHED; i++) {
		struct gate_published *p = &g->published[i];
		int r;

		if (p->fd >= 0)
			continue;
		*p = (struct gate_published){ .fd = fd, .port = port, .g = g };
		gate_conn_tune(fd);
		r = loop_add(g->loop, fd, g->listening ? EPOLLIN : 0, knocked, p,
			     &p->src);
		if (r < 0)
			scope_close(&p->fd);
		return r;
	}
	scope_close(&fd);
	return -ENOSPC;
}

static uint16_t host_port(int fd)
{
	struct sockaddr_storage s = { 0 };
	struct netaddr a;
	uint16_t port = 0;

	if (sys_getsockname(fd, (struct sockaddr *)&s, &(socklen_t){ sizeof(s) }) >= 0)
		(void)netaddr_from_sock(&s, &a, &port);
	return port;
}

int gate_ports_remove(struct gated *g, uint16_t port)
{
	for (int i = 0; i < GATE_PUBLISHED; i++) {
		struct gate_published *p = &g->published[i];

		if (p->fd < 0 || host_port(p->fd) != port)
			continue;
		loop_remove(g->loop, &p->src);
		scope_close(&p->fd);
		return 0;
	}
	return -ENOENT;
}

void gate_ports_free(struct gated *g)
{
	while (g->wants)
		(void)next_want(g);
	for (int i = 0; i < GATE_PUBLISHED; i++) {
		loop_remove(g->loop, &g->published[i].src);
		scope_close(&g->published[i].fd);
	}
}

/* The gate's own listeners are no business of the box's users. */
static bool is_own(const struct gated *g, const struct inet_diag_sockid *id,
		   uint8_t family)
{
	uint16_t port = ntohs(id->idiag_sport);
	char text[NETADDR_TEXT];

	if (family != AF_INET || g->facts.caught == NETNS_CATCH_NONE)
		return false;
	for (int i = 0; i < g->facts.n_tcp; i++) {
		if (g->facts.port[i] != port)
			continue;
		inet_ntop(AF_INET, id->idiag_src, text, sizeof(text));
		if (!strcmp(text, NETNS_GATE_ADDR) || !strcmp(text, "0.0.0.0") ||
		    g->facts.caught == NETNS_CATCH_REDIRECT)
			return true;
	}
	return false;
}

static int add_listener(const struct gated *g, const struct inet_diag_msg *m,
			struct json *list)
{
	char text[NETADDR_TEXT];
	struct json *one;

	if (is_own(g, &m->id, m->idiag_family) || json_len(list) >= LISTED)
		return 0;
	if (!inet_ntop(m->idiag_family, m->id.idiag_src, text, sizeof(text)))
		return 0;
	one = json_object();
	json_set_int(one, "port", ntohs(m->id.idiag_sport));
	json_set_str(one, "address", text);
	json_set_int(one, "uid", m->idiag_uid);
	return json_add(list, one);
}

/* One family's listeners. The kernel's answer is complete when it says so, or when the
 * socket has nothing more: it is filled while we read. */
static int dump(const struct gated *g, uint8_t family, struct json *list)
{
	struct {
		struct nlmsghdr h;
		struct inet_diag_req_v2 r;
	} q = { .h = { .nlmsg_len = sizeof(q),
		       .nlmsg_type = SOCK_DIAG_BY_FAMILY,
		       .nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP },
		.r = { .sdiag_family = family,
		       .sdiag_protocol = IPPROTO_TCP,
		       .idiag_states = 1u << 10 /* TCP_LISTEN */ } };
	_Alignas(NLMSG_ALIGNTO) char in[DUMP];
	ssize_t n = sys_send(g->fds[NETNS_FD_DIAG], &q, sizeof(q), 0);

	if (n < 0)
		return (int)n;
	for (;;) {
		const struct nlmsghdr *h = (const struct nlmsghdr *)in;

		n = sys_recv(g->fds[NETNS_FD_DIAG], in, sizeof(in), MSG_DONTWAIT);
		if (n < 0)
			return n == -EAGAIN ? 0 : (int)n;
		for (; NLMSG_OK(h, n); h = NLMSG_NEXT(h, n)) {
			if (h->nlmsg_type == NLMSG_DONE || h->nlmsg_type == NLMSG_ERROR)
				return 0;
			if (h->nlmsg_len < NLMSG_LENGTH(sizeof(struct inet_diag_msg)))
				continue;
			if (add_listener(g, NLMSG_DATA(h), list) < 0)
				return -ENOMEM;
		}
	}
}

struct json *gate_ports_list(const struct gated *g, struct err *e)
{
	_cleanup_json_ struct json *list = json_array();
	int r = list ? 0 : -ENOMEM;

	if (r == 0 && g->fds[NETNS_FD_DIAG] >= 0)
		r = dump(g, AF_INET, list) ?: dump(g, AF_INET6, list);
	if (r < 0) {
		err_sys(e, r, "cannot list what listens in the box");
		return NULL;
	}
	return take(&list, NULL);
}
