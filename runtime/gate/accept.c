/* gate_accept - what the listeners take from the box: connections, and DNS by TCP. */
#include "base/sys/sys.h"
#include "runtime/gate/impl.h"

enum { ACCEPTS = 64, DNS_PORT = 53 };

static void reset(int in)
{
	const struct linger now = { .l_onoff = 1 };

	(void)sys_setsockopt(in, SOL_SOCKET, SO_LINGER, &now, sizeof(now));
	scope_close(&in);
}

static void take_in(struct gated *g, int in)
{
	struct gate_ends ends;
	bool known = gate_who_ends(g, in, &ends) >= 0;
	bool dns = known && ntohs(ends.ours.sin_port) == DNS_PORT;
	struct gate_conn *c = known && !dns ? gate_syn_take(g, &ends) : NULL;

	if (dns) {
		gate_dns_accept(g, in);
	} else if (c) {
		c->in = in;
		gate_conn_join(c);
	} else if (!known || !g->listening) { /* sent on by a gate that is no more */
		reset(in);
	} else if ((c = gate_conn_new(g, in))) {
		gate_conn_begin(c, &ends);
	}
}

int gate_accept_ready(void *ctx, uint32_t events, struct err *e)
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
