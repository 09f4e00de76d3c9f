/* gate_who - which process of the box made a connection, asked for a name, or listens
 * where the host connected to.
 *
 * The kernel says here, at once, which socket of the box is at the other end (sock_diag
 * of its namespace, which needs no right). Whose socket it is takes a look at /proc,
 * which this process has not: netwho does that outside, while we dial. The line about a
 * connection that is there is written when the answer comes, or when it ends. Whoever is
 * refused may be gone a moment later, so that is not told before the answer came: it
 * waits for some milliseconds at the most, and all of them together for a tenth of the
 * time. A box that knocks in a loop gets lines that name nobody, not a slower gate. */
#include <arpa/inet.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <poll.h>
#include <string.h>

#include "base/sys/sys.h"
#include "runtime/gate/impl.h"

enum { DIAG_REPLY = 1024, TCP_LISTENING = 10 };

/* A socket of the box, as sock_diag is asked for it: this end is the box's. */
struct wanted {
	uint8_t family, protocol;
	bool listening;
	struct inet_diag_sockid id;
};

/* UDP has the two ends the other way round (net/ipv4/udp_diag.c: "swapped for historical
 * reasons"). */
static struct wanted connected(const struct gate_ends *ends)
{
	const struct sockaddr_in *src = ends->udp ? &ends->ours : &ends->theirs;
	const struct sockaddr_in *dst = ends->udp ? &ends->theirs : &ends->ours;

	return (struct wanted){ .family = AF_INET,
				.protocol = ends->udp ? IPPROTO_UDP : IPPROTO_TCP,
				.id = { .idiag_sport = src->sin_port,
					.idiag_dport = dst->sin_port,
					.idiag_src = { src->sin_addr.s_addr },
					.idiag_dst = { dst->sin_addr.s_addr } } };
}

static ssize_t ask_kernel(int diag, uint32_t seq, const struct wanted *want)
{
	struct {
		struct nlmsghdr h;
		struct inet_diag_req_v2 r;
	} q = { .h = { .nlmsg_len = sizeof(q),
		       .nlmsg_type = SOCK_DIAG_BY_FAMILY,
		       .nlmsg_flags = NLM_F_REQUEST,
		       .nlmsg_seq = seq },
		.r = { .sdiag_family = want->family,
		       .sdiag_protocol = want->protocol,
		       .idiag_states = ~0u,
		       .id = want->id } };

	q.r.id.idiag_cookie[0] = q.r.id.idiag_cookie[1] = INET_DIAG_NOCOOKIE;
	return sys_send(diag, &q, sizeof(q), MSG_DONTWAIT);
}

/* The kernel has answered before the question returns. 0 = nobody's any more. */
static uint32_t inode_of(struct gate_finder *f, const struct wanted *want)
{
	_Alignas(NLMSG_ALIGNTO) char in[DIAG_REPLY];
	const struct nlmsghdr *h = (const struct nlmsghdr *)in;
	const struct inet_diag_msg *m = NLMSG_DATA(h);
	uint32_t seq = ++f->seq;
	ssize_t n;

	if (ask_kernel(f->diag, seq, want) < 0)
		return 0;
	/* one answer to one question; those before it are of a gate that is no more */
	do
		n = sys_recv(f->diag, in, sizeof(in), MSG_DONTWAIT);
	while (n >= (ssize_t)sizeof(*h) && h->nlmsg_seq != seq);
	if (n < (ssize_t)NLMSG_LENGTH(sizeof(*m)) ||
	    h->nlmsg_type != SOCK_DIAG_BY_FAMILY)
		return 0;
	return want->protocol == IPPROTO_UDP ||
			       want->listening == (m->idiag_state == TCP_LISTENING)
		       ? m->idiag_inode
		       : 0;
}

static void no_longer(struct gate_who **place)
{
	struct gate_who *w = *place;
	gate_who_fn *then = take(&w->then, NULL);

	*place = NULL;
	if (then)
		then(w->ctx);
}

/* Answers for those that do not wait any more are thrown away. */
static ssize_t take_answers(struct gate_finder *f)
{
	struct gate_owner a;
	ssize_t n;

	while ((n = sys_recv(f->fd, &a, sizeof(a), MSG_DONTWAIT)) == sizeof(a)) {
		for (int i = 0; i < GATE_WHO; i++) {
			struct gate_who *w = f->waiting[i];

			if (!w || w->found.id != a.id)
				continue;
			w->found = a;
			w->found.name[GATE_OWNER_NAME - 1] = '\0';
			no_longer(&f->waiting[i]);
		}
	}
	return n;
}

int gate_who_ready(void *ctx, uint32_t, struct err *)
{
	struct gate_finder *f = ctx;

	if (take_answers(f) == -EAGAIN)
		return 0;
	loop_remove(f->loop, &f->src); /* nobody answers any more */
	scope_close(&f->fd);
	for (int i = 0; i < GATE_WHO; i++)
		if (f->waiting[i])
			no_longer(&f->waiting[i]);
	return 0;
}

static struct gate_who **place_of(struct gate_finder *f, const struct gate_who *w)
{
	for (int i = 0; i < GATE_WHO; i++)
		if (f->waiting[i] == w)
			return &f->waiting[i];
	return NULL;
}

/* A free place, or that of the first one whose answer was lost. */
static struct gate_who **take_place(struct gate_finder *f, uint64_t now)
{
	struct gate_who **place = place_of(f, NULL);

	for (int i = 0; i < GATE_WHO && !place; i++) {
		if (now - f->waiting[i]->asked_ms < GATE_WHO_HOPE_MS)
			continue;
		place = &f->waiting[i];
		no_longer(place);
	}
	return place;
}

static bool may_ask(struct gate_finder *f, uint64_t now)
{
	f->credit += (now - f->asked_ms) * GATE_WHO_RATE;
	f->credit = MIN(f->credit, GATE_WHO_BURST * 1000u);
	f->asked_ms = now;
	if (f->credit < 1000)
		return false;
	f->credit -= 1000;
	return true;
}

static void ask(struct gate_finder *f, struct gate_who *w, const struct wanted *want)
{
	struct gate_owner_query q = { .id = ++f->next_id, .root = f->init };
	struct gate_who **place;

	*w = (struct gate_who){ .found = { .id = q.id }, .asked_ms = sys_now_ms() };
	if (f->fd < 0 || f->diag < 0 || f->init <= 0 || !may_ask(f, w->asked_ms))
		return;
	place = take_place(f, w->asked_ms);
	if (!place)
		return;
	q.inode = inode_of(f, want);
	if (q.inode && sys_send(f->fd, &q, sizeof(q), MSG_DONTWAIT) == sizeof(q))
		*place = w;
}

void gate_who_ask(struct gate_finder *f, struct gate_who *w,
		  const struct gate_ends *ends)
{
	const struct wanted want = connected(ends);

	ask(f, w, &want);
}

void gate_who_listens(struct gate_finder *f, struct gate_who *w,
		      const struct netaddr *at, uint16_t port)
{
	struct wanted want = { .family = at->len == 4 ? AF_INET : AF_INET6,
			       .protocol = IPPROTO_TCP,
			       .listening = true,
			       .id = { .idiag_sport = htons(port) } };

	memcpy(want.id.idiag_src, at->bytes, at->len);
	ask(f, w, &want);
}

/* Milliseconds that may be waited now; a wait costs a fifth of one at least. */
static int have_credit(struct gate_finder *f)
{
	uint64_t now = sys_now_ms();

	f->credit_us += (now - f->credit_ms) * GATE_WHO_RATE_US;
	f->credit_us = MIN(f->credit_us, GATE_WHO_BURST_US);
	f->credit_ms = now;
	return (int)MIN(f->credit_us / 1000, (uint64_t)GATE_WHO_MS);
}

const struct gate_owner *gate_who_settle(struct gate_finder *f, struct gate_who *w)
{
	struct pollfd p = { .fd = f->fd, .events = POLLIN };
	uint64_t start, spent;
	int most, left;

	if (place_of(f, w))
		(void)take_answers(f);
	if (!place_of(f, w))
		return &w->found;
	start = sys_now_ms();
	most = have_credit(f);
	while (place_of(f, w) && (left = most - (int)(sys_now_ms() - start)) > 0) {
		if (sys_poll(&p, 1, left) <= 0 || p.revents & (POLLHUP | POLLERR))
			break;
		(void)take_answers(f);
	}
	spent = (sys_now_ms() - start) * 1000;
	f->credit_us -= MIN(f->credit_us, MAX(spent, (uint64_t)GATE_WHO_LEAST_US));
	return &w->found;
}

bool gate_who_later(struct gate_finder *f, struct gate_who *w, gate_who_fn *then,
		    void *ctx)
{
	if (!place_of(f, w))
		return false;
	w->then = then;
	w->ctx = ctx;
	return true;
}

void gate_who_forget(struct gate_finder *f, const struct gate_who *w)
{
	struct gate_who **place = place_of(f, w);

	if (place)
		*place = NULL;
}
