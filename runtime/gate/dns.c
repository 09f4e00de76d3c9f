/* gate_dns - the box's name server. A name that the rules allow and that really has an
 * address is given one of 198.18.0.0/15; every other question is answered at once from
 * here and nothing of it leaves the host. */
#include <arpa/inet.h>
#include <string.h>

#include "base/sys/sys.h"
#include "base/text.h"
#include "runtime/gate/dnsmsg.h"
#include "runtime/gate/impl.h"

enum { BATCH = 32, TTL_S = 60, QUESTION = 12 + 255 + 4, TCP_HEAD = 2 };

#define GATE_NAME "gate.cubby.internal"

/* A conversation by TCP: one question at a time, as most programs ask. */
struct gate_dns_tcp {
	struct gate_dns_tcp *prev, *next;
	struct gated *g; /* borrowed */
	int fd;		 /* owned */
	struct gate_ends ends;
	struct loop_source *src, *timer, *again;
	struct ask *waiting; /* the question that is being answered */
	size_t len;
	uint8_t in[TCP_HEAD + DNSMSG_MAX];
};

/* Where an answer goes. */
struct asker {
	struct sockaddr_in peer;
	struct in_addr local;	  /* the address that was asked */
	struct gate_dns_tcp *tcp; /* borrowed; NULL = by UDP */
};

/* A question that waits for the real resolver. */
struct ask {
	struct gated *g; /* borrowed */
	struct gate_waiter waiter;
	struct gate_who who; /* asked for while the name is new to the box */
	struct dnsmsg_query q;
	struct asker from;
	bool gone;		    /* the asker is, whom we talked to by TCP */
	uint8_t question[QUESTION]; /* the start of the message: head and question */
};

static void tcp_end(struct gate_dns_tcp *t)
{
	struct gated *g = t->g;

	if (t->waiting)
		t->waiting->gone = true;
	loop_remove(g->loop, &t->src);
	loop_remove(g->loop, &t->timer);
	loop_remove(g->loop, &t->again);
	scope_close(&t->fd);
	if (t->prev)
		t->prev->next = t->next;
	else
		g->dns_tcp = t->next;
	if (t->next)
		t->next->prev = t->prev;
	g->n_dns_tcp--;
	free(t);
}

void gate_dns_free(struct gated *g)
{
	while (g->dns_tcp)
		tcp_end(g->dns_tcp);
}

/* From the address that was asked: the asker's socket takes no other. */
static void send_udp(const struct gated *g, const struct asker *to, const void *out,
		     size_t len)
{
	union {
		struct cmsghdr align;
		char room[CMSG_SPACE(sizeof(struct in_pktinfo))];
	} control = { 0 };
	struct sockaddr_in peer = to->peer;
	struct iovec iov = { .iov_base = (void *)(uintptr_t)out, .iov_len = len };
	struct msghdr m = { .msg_name = &peer,
			    .msg_namelen = sizeof(peer),
			    .msg_iov = &iov,
			    .msg_iovlen = 1,
			    .msg_control = control.room,
			    .msg_controllen = sizeof(control.room) };
	struct cmsghdr *c = CMSG_FIRSTHDR(&m);
	struct in_pktinfo info = { .ipi_spec_dst = to->local };

	c->cmsg_level = SOL_IP;
	c->cmsg_type = IP_PKTINFO;
	c->cmsg_len = CMSG_LEN(sizeof(info));
	memcpy(CMSG_DATA(c), &info, sizeof(info));
	(void)sys_sendmsg(g->fds[NETNS_FD_DNS], &m, MSG_DONTWAIT); /* UDP: or lost */
}

static void answer(struct gated *g, const struct asker *to,
		   const struct dnsmsg_query *q, const void *question,
		   const struct dnsmsg_answer *a)
{
	uint8_t out[TCP_HEAD + DNSMSG_EDNS];
	size_t limit = to->tcp ? DNSMSG_EDNS : MIN(q->udp_size, DNSMSG_EDNS);
	size_t len = dnsmsg_build(q, question, a, limit, out + TCP_HEAD);

	if (!to->tcp) {
		send_udp(g, to, out + TCP_HEAD, len);
		return;
	}
	out[0] = (uint8_t)(len >> 8);
	out[1] = (uint8_t)len;
	/* Someone who asks without reading the answers is not waited for. */
	if (sys_send(to->tcp->fd, out, TCP_HEAD + len, MSG_DONTWAIT) !=
	    (ssize_t)(TCP_HEAD + len))
		(void)sys_shutdown(to->tcp->fd, SHUT_RDWR);
}

static void ask_who(struct gated *g, const struct asker *from, struct gate_who *w)
{
	const struct gate_ends udp = {
		.udp = true,
		.theirs = from->peer,
		.ours = { .sin_family = AF_INET,
			  .sin_port = htons(53),
			  .sin_addr = from->local },
	};

	gate_who_ask(&g->finder, w, from->tcp ? &from->tcp->ends : &udp);
}

/* A question on its way to an answer. */
struct asked {
	const struct asker *from;
	const struct dnsmsg_query *q;
	struct gate_who *who; /* NULL = not asked for yet */
};

/* Written before the answer goes out, for then the asker may be gone. */
static void note(struct gated *g, const struct asked *x, const char *verdict,
		 const char *why)
{
	struct gate_who now = { .found = { .pid = 0 } };
	struct gate_audit_line line = { .event = "dns",
					.verdict = verdict,
					.name = x->q->name,
					.why = why,
					.by_box = true };

	if (!x->who)
		ask_who(g, x->from, &now);
	line.who = gate_who_settle(&g->finder, x->who ? x->who : &now);
	gate_note_line(&g->notes, &line);
	gate_who_forget(&g->finder, &now);
}

/* Gives the name its address. */
static void give(struct gated *g, const struct asked *x, struct dnsmsg_answer *ret,
		 struct netaddr *addr)
{
	const struct dnsmsg_query *q = x->q;
	int before = gate_names_count(g->names);
	int n;

	if (q->type != DNSMSG_A && q->type != DNSMSG_ANY)
		return; /* there is such a name, without such a record */
	n = gate_memory_check(g, gate_names_add(g->names, q->name));
	if (n < 0) {
		ret->rcode = DNSMSG_SERVFAIL;
		gate_note_tell(&g->notes,
			       "network: this box has asked for too many names");
		return;
	}
	if (gate_names_count(g->names) != before)
		note(g, x, "allowed", NULL);
	*addr = gate_names_addr(n);
	ret->a = addr->bytes;
}

static void refuse(struct gated *g, const struct asked *x, const char *why)
{
	/* Programs look for service records on the way: only hosts are told. */
	if (x->q->type != DNSMSG_A && x->q->type != DNSMSG_AAAA)
		return;
	g->stats.refused++;
	note(g, x, "refused", why);
}

/* Is there an address among them that may be dialled at some port? */
static bool reachable(struct gated *g, const struct asked *x,
		      const struct resolve_reply *reply)
{
	const struct dnsmsg_query *q = x->q;
	char addr[NETADDR_TEXT];
	enum netaddr_class class = NETADDR_PUBLIC;

	for (uint32_t i = 0; i < reply->n; i++) {
		class = gate_place_class(&g->places, &reply->addr[i]);
		if (gate_policy_address(g->policy, &reply->addr[i], 0, class) ==
		    GATE_POLICY_ALLOW)
			return true;
	}
	refuse(g, x, netaddr_class_name(class));
	gate_note_tell(&g->notes,
		       "network: %s is %s here, a %s that is not allowed in this box",
		       q->name, netaddr_format(&reply->addr[0], addr),
		       netaddr_class_name(class));
	return false;
}

/* What cannot be reached has its reason in the record also where no rule forbids it; once,
 * for a program asks for both kinds of address. */
static void not_found(struct gated *g, const struct asked *x, int error)
{
	if (x->q->type == DNSMSG_A)
		note(g, x, "failed",
		     error == -ENOENT	? "no such name"
		     : error == -EDQUOT ? "this box asks for too many names at once"
					: "this machine gets no answer for it");
}

static int tcp_again(void *ctx, uint32_t events, struct err *e);

/* The answer is out: read on, and serve what came meanwhile. Not from here, for this
 * may be called while the question is still being taken. */
static void tcp_resume(struct gate_dns_tcp *t)
{
	t->waiting = NULL;
	if (loop_modify(t->g->loop, t->src, EPOLLIN) < 0 ||
	    (!t->again && gate_memory_timer(t->g, 0, tcp_again, t, &t->again) < 0))
		(void)sys_shutdown(t->fd, SHUT_RDWR);
}

static void looked_up(void *ctx, const struct resolve_reply *reply)
{
	struct ask *ask = ctx;
	struct gate_dns_tcp *tcp = ask->from.tcp;
	const struct asked x = { &ask->from, &ask->q, &ask->who };
	struct dnsmsg_answer a = { .ttl_s = TTL_S };
	struct netaddr addr;

	if (reply->error)
		not_found(ask->g, &x, reply->error);
	if (reply->error && reply->error != -ENOENT)
		a.rcode = DNSMSG_SERVFAIL;
	else if (reply->error || !reachable(ask->g, &x, reply))
		a.rcode = DNSMSG_NXDOMAIN;
	else
		give(ask->g, &x, &a, &addr);
	if (!ask->gone) {
		answer(ask->g, &ask->from, &ask->q, ask->question, &a);
		if (tcp)
			tcp_resume(tcp);
	}
	ask->g->n_dns_pending--;
	gate_who_forget(&ask->g->finder, &ask->who);
	free(ask);
}

static int look_up(struct gated *g, const struct asker *from,
		   const struct dnsmsg_query *q, const void *question)
{
	const struct asked x = { from, q, NULL };
	struct ask *ask = NULL;

	if (g->n_dns_pending < GATE_DNS_PENDING) {
		ask = gate_memory_get(g, sizeof(*ask));
	} else {
		gate_lookup_too_many(g);
		not_found(g, &x, -EDQUOT);
	}
	if (!ask)
		return DNSMSG_SERVFAIL;
	ask->g = g;
	ask->q = *q;
	ask->from = *from;
	memcpy(ask->question, question, MIN(q->question_end, sizeof(ask->question)));
	g->n_dns_pending++;
	if (gate_names_find(g->names, q->name) == GATE_NAMES_NONE)
		ask_who(g, from, &ask->who);
	if (from->tcp) {
		from->tcp->waiting = ask;
		loop_modify(g->loop, from->tcp->src, 0);
	}
	gate_lookup_start(g, q->name, &ask->waiter, looked_up, ask);
	return 0;
}

static void reverse(const struct gated *g, const struct dnsmsg_query *q,
		    struct dnsmsg_answer *ret)
{
	struct netaddr a = { .len = 4 }, own;

	if (dnsmsg_reverse(q->name, a.bytes) < 0) {
		ret->rcode = DNSMSG_NXDOMAIN;
		return;
	}
	(void)netaddr_parse(NETNS_GATE_ADDR, &own);
	if (a.bytes[0] == 127)
		ret->ptr = "localhost";
	else if (netaddr_equal(&a, &own))
		ret->ptr = GATE_NAME;
	else
		ret->ptr = gate_names_at(g->names, &a);
	if (!ret->ptr)
		ret->rcode = DNSMSG_NXDOMAIN;
}

/* What needs no rule and no resolver. Return: true when @ret is the answer. */
static bool answer_here(const struct gated *g, const struct dnsmsg_query *q,
			struct dnsmsg_answer *ret)
{
	static const uint8_t loopback[4] = { 127, 0, 0, 1 };
	bool local = !strcmp(q->name, "localhost") || text_ends(q->name, ".localhost");

	if (q->type == DNSMSG_AXFR || q->type == DNSMSG_IXFR || !q->name[0])
		ret->rcode = DNSMSG_REFUSED;
	else if (q->type == DNSMSG_PTR)
		reverse(g, q, ret);
	else if (local && (q->type == DNSMSG_A || q->type == DNSMSG_ANY))
		ret->a = loopback;
	else if (!local && (!q->plain || netaddr_looks_numeric(q->name)))
		ret->rcode = DNSMSG_NXDOMAIN;
	else
		return local;
	return true;
}

/* Return: true when @ret is the answer; false: it comes later. */
static bool decide(struct gated *g, const struct asker *from,
		   const struct dnsmsg_query *q, const void *question,
		   struct dnsmsg_answer *ret, struct netaddr *addr)
{
	const struct asked x = { from, q, NULL };
	enum gate_policy_verdict v;

	if (answer_here(g, q, ret))
		return true;
	v = gate_policy_name(g->policy, q->name, 0);
	if (v != GATE_POLICY_ALLOW) {
		ret->rcode = DNSMSG_NXDOMAIN;
		refuse(g, &x,
		       v == GATE_POLICY_DENIED ? "denied by a rule" : "not allowed");
		if (q->type == DNSMSG_A || q->type == DNSMSG_AAAA)
			gate_note_tell(&g->notes,
				       "network: %s is not allowed in this box",
				       q->name);
		return true;
	}
	if (!strcmp(q->name, GATE_POLICY_HOST) ||
	    gate_proxy_for(&g->proxy, q->name, NULL, 443)) {
		give(g, &x, ret, addr);
		return true;
	}
	ret->rcode = (enum dnsmsg_rcode)look_up(g, from, q, question);
	return ret->rcode != 0;
}

static void take_query(struct gated *g, const struct asker *from, const void *data,
		       size_t len)
{
	struct dnsmsg_answer a = { .ttl_s = TTL_S };
	struct dnsmsg_query q;
	struct netaddr addr;
	int r = dnsmsg_parse(data, len, &q);

	g->stats.queries++;
	if (r < 0)
		return;
	if (r)
		a.rcode = (enum dnsmsg_rcode)r;
	else if (!decide(g, from, &q, data, &a, &addr))
		return;
	answer(g, from, &q, data, &a);
}

int gate_dns_udp(void *ctx, uint32_t, struct err *)
{
	struct gated *g = ctx;
	union {
		struct cmsghdr align;
		char room[CMSG_SPACE(sizeof(struct in_pktinfo))];
	} control;
	uint8_t in[DNSMSG_MAX];

	for (int i = 0; i < BATCH; i++) {
		struct asker from = { 0 };
		struct iovec iov = { in, sizeof(in) };
		struct msghdr m = { .msg_name = &from.peer,
				    .msg_namelen = sizeof(from.peer),
				    .msg_iov = &iov,
				    .msg_iovlen = 1,
				    .msg_control = control.room,
				    .msg_controllen = sizeof(control.room) };
		ssize_t n = sys_recvmsg(g->fds[NETNS_FD_DNS], &m, MSG_DONTWAIT);
		const struct cmsghdr *c = n < 0 ? NULL : CMSG_FIRSTHDR(&m);
		struct in_pktinfo info;

		if (n < 0)
			break; /* none, or an ICMP error for an answer: go on later */
		if (!c || c->cmsg_level != SOL_IP || c->cmsg_type != IP_PKTINFO ||
		    m.msg_flags & MSG_TRUNC)
			continue;
		memcpy(&info, CMSG_DATA(c), sizeof(info));
		from.local = info.ipi_addr;
		take_query(g, &from, in, (size_t)n);
	}
	return 0;
}

/* Whole questions in the buffer, one after the other, until one has to wait. */
static void tcp_serve(struct gate_dns_tcp *t)
{
	struct asker from = { .tcp = t };

	while (t->len >= TCP_HEAD && !t->waiting) {
		size_t n = (size_t)t->in[0] << 8 | t->in[1];

		if (n > DNSMSG_MAX) {
			tcp_end(t);
			return;
		}
		if (t->len < TCP_HEAD + n)
			return;
		take_query(t->g, &from, t->in + TCP_HEAD, n);
		t->len -= TCP_HEAD + n;
		memmove(t->in, t->in + TCP_HEAD + n, t->len);
	}
}

static int tcp_ready(void *ctx, uint32_t events, struct err *)
{
	struct gate_dns_tcp *t = ctx;
	ssize_t n;

	if (t->len < sizeof(t->in)) {
		n = sys_recv(t->fd, t->in + t->len, sizeof(t->in) - t->len,
			     MSG_DONTWAIT);
		if (n == -EAGAIN && !(events & (EPOLLHUP | EPOLLERR)))
			return 0;
		if (n <= 0) {
			tcp_end(t);
			return 0;
		}
		t->len += (size_t)n;
	} else if (events & (EPOLLHUP | EPOLLERR)) {
		tcp_end(t);
		return 0;
	}
	loop_rearm(t->g->loop, t->timer, GATE_DNS_TCP_MS);
	tcp_serve(t);
	return 0;
}

static int tcp_again(void *ctx, uint32_t, struct err *)
{
	struct gate_dns_tcp *t = ctx;

	loop_remove(t->g->loop, &t->again);
	tcp_serve(t);
	return 0;
}

static int tcp_idle(void *ctx, uint32_t, struct err *)
{
	tcp_end(ctx);
	return 0;
}

void gate_dns_accept(struct gated *g, int fd, const struct gate_ends *ends)
{
	struct gate_dns_tcp *t = NULL;

	if (g->n_dns_tcp < GATE_DNS_TCP)
		t = gate_memory_get(g, sizeof(*t));
	if (!t) {
		scope_close(&fd);
		return;
	}
	gate_conn_orderly(fd);
	t->g = g;
	t->fd = fd;
	t->ends = *ends;
	t->next = g->dns_tcp;
	if (t->next)
		t->next->prev = t;
	g->dns_tcp = t;
	g->n_dns_tcp++;
	if (gate_memory_timer(g, GATE_DNS_TCP_MS, tcp_idle, t, &t->timer) < 0 ||
	    gate_memory_watch(g, fd, EPOLLIN, tcp_ready, t, &t->src) < 0)
		tcp_end(t);
}
