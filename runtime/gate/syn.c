/* gate_syn - connections that are answered when there is an answer.
 *
 * The kernel of the box would accept a connection before the gate has heard of it, and
 * what went wrong after that could only be shown as a reset. Where it can, it is told to
 * drop the first packet instead (netrules_held()), which comes here: the other end is
 * judged and dialled, and then either the packet is sent on, to the listener, or it is
 * answered as a closed port or a router without a way would. A program that gives up
 * while it waits is not heard of: what was dialled for it is closed when nobody has come
 * for it. A packet that gets lost on the way is sent again by the program's kernel. */
#include <string.h>

#include "base/sys/sys.h"
#include "runtime/gate/impl.h"
#include "runtime/net/syn.h"

enum { AT_ONCE = 16, SEEN = 256 };

struct gate_held {
	struct netsyn syn;
	struct gate_conn *c; /* borrowed */
	struct gate_held *next, **place;
	struct loop_source *late; /* once it was sent on: nobody came for it */
};

static bool same_end(const struct sockaddr_in *a, const struct sockaddr_in *b)
{
	return a->sin_port == b->sin_port && a->sin_addr.s_addr == b->sin_addr.s_addr;
}

/* By the program's port, of which each is used once at a time, mostly. */
static struct gate_held **bucket(struct gated *g, const struct sockaddr_in *from)
{
	return &g->held[ntohs(from->sin_port) % ARRAY_SIZE(g->held)];
}

static struct gate_held *find(struct gated *g, const struct sockaddr_in *from,
			      const struct sockaddr_in *to)
{
	struct gate_held *h = *bucket(g, from);

	while (h && !(same_end(&h->syn.from, from) && same_end(&h->syn.to, to)))
		h = h->next;
	return h;
}

static void send_packet(const struct gated *g, const uint8_t *packet, size_t len,
			const struct sockaddr_in *to)
{
	/* one that is lost is asked for again */
	(void)sys_sendto(g->fds[NETNS_FD_RAW], packet, len, (const struct sockaddr *)to,
			 sizeof(*to));
}

static void send_on(struct gate_held *h)
{
	uint8_t packet[NETSYN_PACKET];

	send_packet(h->c->g, packet, netsyn_again(&h->syn, packet), &h->syn.to);
}

/* What the program sees: a port that is closed or not allowed, or no way to it. */
static void refuse(const struct gate_held *h, int r)
{
	bool no_way = r == -EHOSTUNREACH || r == -ENETUNREACH || r == -EHOSTDOWN ||
		      r == -ETIMEDOUT || r == -EAGAIN;
	uint8_t packet[NETSYN_PACKET];
	size_t len = no_way ? netsyn_unreachable(&h->syn, packet)
			    : netsyn_reset(&h->syn, packet);

	send_packet(h->c->g, packet, len, &h->syn.from);
}

/* No longer held; @r < 0: and refused, if it was not answered yet. */
static void gone(struct gate_conn *c, int r)
{
	struct gate_held *h = take(&c->held, NULL);

	if (!h)
		return;
	if (h->late)
		c->g->n_coming--;
	else if (r < 0)
		refuse(h, r);
	loop_remove(c->g->loop, &h->late);
	*h->place = h->next;
	if (h->next)
		h->next->place = h->place;
	free(h);
}

static int nobody_came(void *ctx, uint32_t, struct err *)
{
	struct gate_held *h = ctx;

	gate_conn_fail(h->c, -ECONNABORTED);
	return 0;
}

/* The other end is there: let the program's end come, to gate_syn_take(). */
static void answer(struct gate_conn *c)
{
	struct gate_held *h = c->held;

	if (gate_memory_timer(c->g, GATE_COME_MS, nobody_came, h, &h->late) < 0) {
		gate_conn_end(c, -ENOMEM, "no memory");
		return;
	}
	c->g->n_coming++;
	send_on(h);
}

struct gate_conn *gate_syn_take(struct gated *g, const struct gate_ends *ends)
{
	struct gate_held *h = find(g, &ends->theirs, &ends->ours);
	struct gate_conn *c;

	if (!h || !h->late)
		return NULL;
	c = h->c;
	gone(c, 0);
	return c;
}

static void hold(struct gated *g, const struct netsyn *syn)
{
	struct gate_held **at = bucket(g, &syn->from);
	static const struct gate_conn_calls calls = { answer, gone };
	const struct gate_ends ends = { .theirs = syn->from, .ours = syn->to };
	struct gate_held *h = gate_memory_get(g, sizeof(*h));
	struct gate_conn *c = h ? gate_conn_new(g, -1) : NULL;

	if (!c) {
		free(h);
		return;
	}
	*h = (struct gate_held){ .syn = *syn, .c = c, .next = *at, .place = at };
	if (h->next)
		h->next->place = &h->next;
	*at = c->held = h;
	c->brought = &calls;
	gate_conn_begin(c, &ends);
}

/* Once more: of one that is waiting, or was sent on and did not arrive; or the program
 * has given up and tries again from the same port. */
static void take_packet(struct gated *g, const struct netsyn *syn)
{
	struct gate_held *h = find(g, &syn->from, &syn->to);

	if (h && h->syn.seq == syn->seq) {
		if (h->late)
			send_on(h);
		return;
	}
	if (h)
		gate_conn_fail(h->c, -ECONNABORTED);
	hold(g, syn);
}

/* No more are taken than there is room for: the others keep their place in the queue. */
void gate_syn_run(struct gated *g)
{
	uint8_t packets[AT_ONCE][SEEN];
	struct iovec iov[AT_ONCE];
	struct mmsghdr m[AT_ONCE];
	unsigned room = g->listening ? g->max_conns - g->n_conns : 0;
	int n;

	for (size_t i = 0; i < AT_ONCE; i++) {
		iov[i] = (struct iovec){ packets[i], SEEN };
		m[i].msg_hdr = (struct msghdr){ .msg_iov = &iov[i], .msg_iovlen = 1 };
	}
	n = room ? sys_recvmmsg(g->fds[NETNS_FD_SYN], m, MIN(room, AT_ONCE),
				MSG_DONTWAIT)
		 : 0;
	for (int i = 0; i < n; i++) {
		struct netsyn syn;

		if (netsyn_parse(packets[i], m[i].msg_len, &syn) >= 0)
			take_packet(g, &syn);
	}
}
