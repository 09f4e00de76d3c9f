/* gate_accept - what the listeners take from the box: connections, and DNS by TCP. A
 * connection whose first packet was held and is sent on is there before the packet's
 * sender returns, for the loopback interface works at once: it is accepted then, without
 * a wait in between. */
#include "base/sys/sys.h"
#include "runtime/gate/impl.h"

enum { ACCEPTS = 64, DNS_PORT = 53 };

enum { ORIGINAL_DST = 80 /* linux/netfilter_ipv4.h */ };

/* Where the program at the other end meant to go, which knows nothing of a redirection. */
static int meant(uint8_t caught, int in, struct sockaddr_in *ret)
{
	socklen_t len = sizeof(*ret);

	return caught == NETNS_CATCH_REDIRECT
		       ? sys_getsockopt(in, SOL_IP, ORIGINAL_DST, ret, &len)
		       : sys_getsockname(in, (struct sockaddr *)ret, &len);
}

static void take_in(struct gated *g, int in, const struct sockaddr_in *from)
{
	struct gate_ends ends = { .theirs = *from };
	bool known = meant(g->facts.caught, in, &ends.ours) >= 0;
	bool dns = known && ntohs(ends.ours.sin_port) == DNS_PORT;
	struct gate_conn *c = known && !dns ? gate_syn_take(g, &ends) : NULL;

	if (dns) {
		gate_dns_accept(g, in, &ends);
	} else if (c) {
		c->in = in;
		gate_conn_join(c);
	} else if (!known || !g->listening) { /* sent on by a gate that is no more */
		scope_close(&in);
	} else if ((c = gate_conn_new(g, in))) {
		gate_conn_begin(c, &ends);
	}
}

static bool take_one(struct gated *g, int listener)
{
	struct sockaddr_in from = { 0 };
	socklen_t len = sizeof(from);
	int fd = sys_accept(listener, (struct sockaddr *)&from, &len);

	if (fd < 0)
		(void)gate_conn_rest(g, fd);
	else
		take_in(g, fd, &from);
	return fd >= 0;
}

int gate_accept_ready(void *ctx, uint32_t, struct err *)
{
	struct gated *g = ctx;

	for (int i = NETNS_FD_TCP; i < NETNS_FDS; i++)
		for (int n = 0; n < ACCEPTS && g->fd_src[i] && g->accepting; n++)
			if (!take_one(g, g->fds[i]))
				break;
	return 0;
}

int gate_accept_held(void *ctx, uint32_t, struct err *)
{
	struct gated *g = ctx;

	gate_syn_run(g);
	for (int n = 0; n < ACCEPTS && g->n_coming && g->accepting; n++)
		if (!take_one(g, g->fds[NETNS_FD_TCP]))
			break;
	return 0;
}
