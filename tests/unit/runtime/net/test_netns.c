#include <arpa/inet.h>
#include <linux/rtnetlink.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>

#include "base/sys/sys.h"
#include "runtime/net/netns.h"
#include "runtime/net/sock.h"
#include "runtime/net/syn.h"
#include "tests/unit/netbox.h"
#include "tests/unit/unit.h"

struct dial {
	const char *ip;
	uint16_t port;
	int type; /* SOCK_STREAM or SOCK_DGRAM */
};

/* Inside: connect (and for UDP send a byte and wait for the error); errno. */
static int dial(void *ctx)
{
	const struct dial *d = ctx;
	struct sockaddr_in a = { .sin_family = AF_INET, .sin_port = htons(d->port) };
	int fd = sys_socket(AF_INET, d->type, 0);
	struct timeval limit = { .tv_sec = 5 };
	char c = 'x';
	int r;

	inet_pton(AF_INET, d->ip, &a.sin_addr);
	sys_setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
	r = sys_connect(fd, (struct sockaddr *)&a, sizeof(a));
	if (r >= 0 && d->type == SOCK_DGRAM) {
		r = (int)sys_send(fd, &c, 1, 0);
		if (r >= 0)
			r = (int)sys_recv(fd, &c, 1, 0);
	}
	return r < 0 ? -r : 0;
}

static int dial_v6(void *ctx)
{
	struct sockaddr_in6 a = { .sin6_family = AF_INET6, .sin6_port = htons(443) };
	int fd = sys_socket(AF_INET6, SOCK_STREAM, 0);
	int r;

	inet_pton(AF_INET6, ctx, &a.sin6_addr);
	r = fd < 0 ? fd : sys_connect(fd, (struct sockaddr *)&a, sizeof(a));
	return r < 0 ? -r : 0;
}

/* The next connection of any listener: where it was meant to go. */
static void accepted(const struct netbox *b, char *ret, size_t size)
{
	struct pollfd p[NETNS_TCP_MAX];
	struct sockaddr_in a;
	char ip[INET_ADDRSTRLEN];

	for (int i = 0; i < b->facts.n_tcp; i++)
		p[i] = (struct pollfd){ .fd = b->fds[NETNS_FD_TCP + i],
					.events = POLLIN };
	assert_true(sys_poll(p, b->facts.n_tcp, 5000) > 0);
	for (int i = 0; i < b->facts.n_tcp; i++) {
		_cleanup_close_ int fd = -1;
		int level = b->facts.caught == NETNS_CATCH_REDIRECT;

		if (!p[i].revents)
			continue;
		fd = sys_accept(p[i].fd, NULL, NULL);
		assert_true(fd >= 0);
		if (level)
			assert_int_equal(sys_getsockopt(fd, SOL_IP, 80, &a,
							&(socklen_t){ sizeof(a) }),
					 0);
		else
			assert_int_equal(sys_getsockname(fd, (struct sockaddr *)&a,
							 &(socklen_t){ sizeof(a) }),
					 0);
		snprintf(ret, size, "%s:%u",
			 inet_ntop(AF_INET, &a.sin_addr, ip, sizeof(ip)),
			 ntohs(a.sin_port));
		return;
	}
}

static const struct rung {
	const char *name;
	enum netns_catch first;
} all_rungs[] = {
	{ "held", NETNS_CATCH_HELD },
	{ "tproxy", NETNS_CATCH_TPROXY },
	{ "redirect", NETNS_CATCH_REDIRECT },
	{ "ports", NETNS_CATCH_PORTS },
};

/* Those where the kernel answers by itself. */
static const struct rung rungs[] = {
	{ "tproxy", NETNS_CATCH_TPROXY },
	{ "redirect", NETNS_CATCH_REDIRECT },
	{ "ports", NETNS_CATCH_PORTS },
};

static void open_rung(const struct rung *g, struct netbox *ret)
{
	netbox_open(NET_GATE, g->first, ret);
	if (ret->facts.caught != g->first) {
		netbox_close(ret);
		unit_skip("this kernel has no such rule");
	}
}

static void tcp_arrives(const void *row)
{
	struct dial d = { "93.184.216.34", 443, SOCK_STREAM };
	struct netbox b;
	char to[64] = "";

	open_rung(row, &b);
	assert_int_equal(netbox_call(&b, dial, &d), 0);
	accepted(&b, to, sizeof(to));
	assert_string_equal(to, "93.184.216.34:443");
	d.port = 33999;
	assert_int_equal(netbox_call(&b, dial, &d),
			 b.facts.caught == NETNS_CATCH_PORTS ? ECONNREFUSED : 0);
	if (b.facts.caught != NETNS_CATCH_PORTS) {
		accepted(&b, to, sizeof(to));
		assert_string_equal(to, "93.184.216.34:33999");
	}
	/* what is the box's own stays its own */
	d = (struct dial){ "127.0.0.1", 33999, SOCK_STREAM };
	assert_int_equal(netbox_call(&b, dial, &d), ECONNREFUSED);
	netbox_close(&b);
}

/* Nothing is answered before the packet that asked is sent on; DNS is, at once. */
static void first_packets_are_held(void)
{
	struct dial d = { "93.184.216.34", 53, SOCK_STREAM };
	uint8_t packet[128], out[NETSYN_PACKET];
	struct netbox b;
	struct netsyn s;
	struct pollfd p;
	char to[64] = "";
	ssize_t n;
	pid_t pid;
	int status;

	open_rung(&all_rungs[0], &b);
	assert_int_equal(netbox_call(&b, dial, &d), 0);
	accepted(&b, to, sizeof(to));
	assert_string_equal(to, "93.184.216.34:53");
	d.port = 443;
	pid = fork();
	assert_true(pid >= 0);
	if (!pid)
		_exit(netbox_call(&b, dial, &d));
	p = (struct pollfd){ .fd = b.fds[NETNS_FD_SYN], .events = POLLIN };
	assert_int_equal(sys_poll(&p, 1, 5000), 1);
	n = sys_recv(p.fd, packet, sizeof(packet), 0);
	assert_int_equal(netsyn_parse(packet, (size_t)n, &s), 0);
	p = (struct pollfd){ .fd = b.fds[NETNS_FD_TCP], .events = POLLIN };
	assert_int_equal(sys_poll(&p, 1, 100), 0);
	n = (ssize_t)netsyn_again(&s, out);
	assert_int_equal(sys_sendto(b.fds[NETNS_FD_RAW], out, (size_t)n,
				    (struct sockaddr *)&s.to, sizeof(s.to)),
			 n);
	accepted(&b, to, sizeof(to));
	assert_string_equal(to, "93.184.216.34:443");
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	netbox_close(&b);
}

static void udp_is_refused(const void *row)
{
	struct dial d = { "93.184.216.34", 443, SOCK_DGRAM };
	struct netbox b;

	open_rung(row, &b);
	assert_int_equal(netbox_call(&b, dial, &d), ECONNREFUSED);
	netbox_close(&b);
}

/* A ping as ping(8) sends it without rights: 0 = an answer came, else the errno. */
static int ping(void *ctx)
{
	struct sockaddr_in a = { .sin_family = AF_INET };
	struct timeval limit = { .tv_sec = 20 };
	int fd = sys_socket(AF_INET, SOCK_DGRAM, IPPROTO_ICMP);
	char packet[64] = { 8 };
	ssize_t r;

	if (fd < 0)
		return 100;
	inet_pton(AF_INET, ctx, &a.sin_addr);
	sys_setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
	/* as ping(8) does: else the kernel keeps such errors for itself */
	sys_setsockopt(fd, SOL_IP, IP_RECVERR, &(int){ 1 }, sizeof(int));
	r = sys_connect(fd, (struct sockaddr *)&a, sizeof(a));
	if (r >= 0)
		r = sys_send(fd, packet, sizeof(packet), 0);
	if (r >= 0)
		r = sys_recv(fd, packet, sizeof(packet), 0);
	return r < 0 ? (int)-r : 0;
}

static void ping_is_refused(const void *row)
{
	static char public[] = "93.184.216.34", own[] = "127.0.0.1";
	struct netbox b;
	int r;

	open_rung(row, &b);
	r = netbox_call(&b, ping, own);
	if (r == 100) {
		netbox_close(&b);
		unit_skip("this host does not let the box ping");
	}
	assert_int_equal(r, 0);
	r = netbox_call(&b, ping, public);
	if (b.facts.caught == NETNS_CATCH_PORTS) /* the kernel itself answers */
		assert_int_equal(r, 0);
	else
		assert_int_equal(r, EHOSTUNREACH);
	netbox_close(&b);
}

static void ipv6_is_refused(const void *row)
{
	static char public[] = "2606:2800:220:1::34", gate[] = "::ffff:93.184.216.34";
	struct netbox b;
	int r;

	open_rung(row, &b);
	r = netbox_call(&b, dial_v6, public);
	if (r != EADDRNOTAVAIL && r != EAFNOSUPPORT)
		assert_int_equal(r, ENETUNREACH);
	if (b.facts.ipv6) /* a v4-mapped address is IPv4, and caught */
		assert_int_equal(netbox_call(&b, dial_v6, gate), 0);
	netbox_close(&b);
}

/* A query to any address arrives and says where it was sent; the answer comes from
 * there. Outside of this test that is dns.c. */
static void dns_arrives(const void *row)
{
	struct dial d = { "8.8.8.8", 53, SOCK_DGRAM };
	union {
		char data[CMSG_SPACE(sizeof(struct in_pktinfo))];
		struct cmsghdr align;
	} control;
	struct sockaddr_in from;
	char c;
	struct iovec iov = { &c, 1 };
	struct msghdr m = {
		&from, sizeof(from), &iov, 1, &control, sizeof(control), 0
	};
	struct netbox b;
	struct pollfd p;
	pid_t pid;
	int status;

	open_rung(row, &b);
	pid = fork();
	if (!pid)
		_exit(netbox_call(&b, dial, &d));
	p = (struct pollfd){ .fd = b.fds[NETNS_FD_DNS], .events = POLLIN };
	assert_int_equal(sys_poll(&p, 1, 5000), 1);
	assert_int_equal(sys_recvmsg(p.fd, &m, 0), 1);
	assert_int_equal(
		((struct in_pktinfo *)CMSG_DATA(CMSG_FIRSTHDR(&m)))->ipi_addr.s_addr,
		htonl(0x08080808));
	((struct in_pktinfo *)CMSG_DATA(CMSG_FIRSTHDR(&m)))->ipi_spec_dst.s_addr =
		htonl(0x08080808);
	((struct in_pktinfo *)CMSG_DATA(CMSG_FIRSTHDR(&m)))->ipi_ifindex = 0;
	assert_int_equal(sys_sendmsg(p.fd, &m, 0), 1);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(WEXITSTATUS(status), 0);
	netbox_close(&b);
}

static void sockets_come_out(const void *row)
{
	struct netbox b;
	struct pollfd p;
	int fd;

	open_rung(row, &b);
	p = (struct pollfd){ .fd = b.fds[NETNS_FD_SOCKS], .events = POLLIN };
	assert_int_equal(netsock_take(p.fd), -EAGAIN);
	assert_int_equal(netsock_ask(p.fd, AF_INET), 0);
	assert_int_equal(sys_poll(&p, 1, 5000), 1);
	fd = netsock_take(p.fd);
	assert_true(fd >= 0);
	close(fd);
	netbox_close(&b);
}

static void none_has_loopback_only(void)
{
	struct dial d = { "93.184.216.34", 443, SOCK_STREAM };
	struct netbox b;

	netbox_open(NET_NONE, NETNS_CATCH_HELD, &b);
	assert_int_equal(netbox_call(&b, dial, &d), ENETUNREACH);
	d = (struct dial){ "127.0.0.1", 9, SOCK_STREAM };
	assert_int_equal(netbox_call(&b, dial, &d), ECONNREFUSED);
	assert_true(b.fds[NETNS_FD_DIAG] >= 0 && b.fds[NETNS_FD_SOCKS] >= 0);
	assert_int_equal(b.fds[NETNS_FD_DNS], -1);
	assert_string_equal(netns_catch_name(b.facts.caught), "none");
	netbox_close(&b);
}

/* Inside: KiB of a segment of the loopback interface; 0 = the kernel does not say. */
static int segment_kib(void *)
{
	struct {
		struct nlmsghdr h;
		struct ifinfomsg link;
	} q = { { sizeof(q), RTM_GETLINK, NLM_F_REQUEST, 1, 0 }, { .ifi_index = 1 } };
	_Alignas(NLMSG_ALIGNTO) char in[32 << 10];
	const struct nlmsghdr *h = (const struct nlmsghdr *)in;
	int fd = sys_socket(AF_NETLINK, SOCK_RAW, NETLINK_ROUTE), left;
	const struct rtattr *a;

	if (sys_send(fd, &q, sizeof(q), 0) < 0 || sys_recv(fd, in, sizeof(in), 0) < 0 ||
	    h->nlmsg_type != RTM_NEWLINK)
		return 255;
	a = IFLA_RTA((struct ifinfomsg *)NLMSG_DATA(h));
	left = (int)IFLA_PAYLOAD(h);
	for (; RTA_OK(a, left); a = RTA_NEXT(a, left))
		if (a->rta_type == NETNS_GSO_IPV4_MAX_SIZE)
			return *(const int *)RTA_DATA(a) >> 10;
	return 0;
}

static void segments_are_large(void)
{
	struct netbox b;
	int kib;

	netbox_open(NET_GATE, NETNS_CATCH_HELD, &b);
	kib = netbox_call(&b, segment_kib, NULL);
	netbox_close(&b);
	if (!kib)
		unit_skip("this kernel has no large IPv4 segments (Linux 6.3)");
	assert_int_equal(kib, NETNS_SEGMENT >> 10);
}

static bool paces_nothing(int fd)
{
	char name[16] = "";

	return sys_getsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, name,
			      &(socklen_t){ sizeof(name) }) >= 0 &&
	       !strcmp(name, NETNS_CONGESTION);
}

/* Inside: both ends of a connection to an address that is not the namespace's own. */
static int no_congestion(void *)
{
	struct sockaddr_in at = { .sin_family = AF_INET };
	socklen_t len = sizeof(at);
	int listener = sys_socket(AF_INET, SOCK_STREAM, 0), in;
	int out = sys_socket(AF_INET, SOCK_STREAM, 0);

	inet_pton(AF_INET, "198.18.0.77", &at.sin_addr);
	if (sys_bind(listener, (struct sockaddr *)&at, sizeof(at)) < 0 ||
	    sys_listen(listener, 1) < 0 ||
	    sys_getsockname(listener, (struct sockaddr *)&at, &len) < 0 ||
	    sys_connect(out, (struct sockaddr *)&at, sizeof(at)) < 0)
		return 1;
	in = sys_accept(listener, NULL, NULL);
	return paces_nothing(out) && paces_nothing(in) ? 0 : 2;
}

/* The host's default may be anything; a namespace begins with it. */
static void nothing_is_paced(void)
{
	struct netbox b;

	netbox_open(NET_GATE, NETNS_CATCH_PORTS, &b);
	assert_int_equal(netbox_call(&b, no_congestion, NULL), 0);
	netbox_close(&b);
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "nothing is paced", nothing_is_paced },
		{ "none has loopback only", none_has_loopback_only },
		{ "first packets are held", first_packets_are_held },
		{ "segments are large", segments_are_large },
	};
	int r = 0;

	r |= unit_rows("tcp arrives", rungs, tcp_arrives);
	r |= unit_rows("udp is refused", all_rungs, udp_is_refused);
	r |= unit_rows("ipv6 is refused", rungs, ipv6_is_refused);
	r |= unit_rows("ping is refused", all_rungs, ping_is_refused);
	r |= unit_rows("dns arrives", all_rungs, dns_arrives);
	r |= unit_rows("sockets come out", rungs, sockets_come_out);
	return r | unit_cases("netns", cases);
}
