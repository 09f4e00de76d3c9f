/* gate_place - what kind of place an address is, seen from the host. */
#include <fcntl.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/sys/sys.h"
#include "base/text.h"
#include "runtime/gate/impl.h"

enum { ROUTE_REPLY = 1024 };

/* A question to the routing table about one address. */
struct route_query {
	struct nlmsghdr head;
	struct rtmsg route;
	struct rtattr attr;
	uint8_t to[16];
};

/* Would a packet to @a stay here? The kernel has answered before the question returns. An
 * address need not be the source of what is sent to it: a second one in a network is not,
 * nor is one out of a range that was made local. */
static bool host_has(const struct gate_places *p, const struct netaddr *a)
{
	const uint32_t len = offsetof(struct route_query, to) + a->len;
	struct route_query q = {
		.head = { .nlmsg_len = len,
			  .nlmsg_type = RTM_GETROUTE,
			  .nlmsg_flags = NLM_F_REQUEST },
		.route = { .rtm_family = a->len == 4 ? AF_INET : AF_INET6,
			   .rtm_dst_len = a->len * 8 },
		.attr = { .rta_len = (uint16_t)RTA_LENGTH(a->len),
			  .rta_type = RTA_DST },
	};
	struct {
		struct nlmsghdr head;
		struct rtmsg route;
		char rest[ROUTE_REPLY];
	} in;
	ssize_t n;

	memcpy(q.to, a->bytes, a->len);
	if (p->routes <= 0 || sys_send(p->routes, &q, len, MSG_DONTWAIT) < 0)
		return true;
	n = sys_recv(p->routes, &in, sizeof(in), MSG_DONTWAIT);
	if (n < (ssize_t)sizeof(in.head))
		return true;
	/* an error is that there is no way to it */
	return in.head.nlmsg_type == RTM_NEWROUTE &&
	       (in.route.rtm_type == RTN_LOCAL || in.route.rtm_type == RTN_ANYCAST);
}

enum {
	NETWORKS_TEXT = 256 << 10,
	/* A shorter prefix is no network of a house or a company: it is how a tunnel or a
	 * default route is written. One of a whole address is the host's own. */
	NETWORK_BITS_MIN = 48,
	NETWORK_BITS_MAX = 127
};

/* Both are the network namespace's, and say each time what it has by then. */
int gate_place_open(struct gate_places *p, struct err *e)
{
	int fd = sys_open("/proc/self/net/if_inet6", O_RDONLY);

	p->networks = MAX(fd, 0);
	fd = sys_socket(AF_NETLINK, SOCK_DGRAM, NETLINK_ROUTE);
	if (fd < 0)
		return err_sys(e, fd, "cannot ask which addresses are the host's");
	p->routes = fd;
	return 0;
}

/* "20010db8000000000000000000000001 02 40 00 80     eth0": the address, the interface's
 * number and the prefix in hexadecimal. */
static bool is_in_network(const char *line, const struct netaddr *a)
{
	struct netaddr net = { .len = 16 };
	char hex[33];
	unsigned bits;

	if (sscanf(line, "%32[0-9a-f] %*x %x", hex, &bits) != 2 || strlen(hex) != 32 ||
	    bits < NETWORK_BITS_MIN || bits > NETWORK_BITS_MAX)
		return false;
	for (size_t i = 0; i < sizeof(net.bytes); i++)
		(void)sscanf(hex + 2 * i, "%2hhx", &net.bytes[i]);
	return netaddr_within(a, &net, bits);
}

/* In IPv6 whoever is beside the host has a public address, too: a router's pages and a
 * printer are no part of the internet for that. */
static bool is_neighbour(const struct gate_places *p, const struct netaddr *a)
{
	_cleanup_buf_ struct buf text = BUF_INIT(NETWORKS_TEXT);
	const char *rest;
	char line[128];

	if (p->networks <= 0 || a->len != 16 || sys_lseek(p->networks, 0, SEEK_SET) < 0)
		return false;
	(void)file_read_fd(p->networks, &text, ERR_IGNORED);
	rest = buf_cstr(&text);
	while (text_line(&rest, line, sizeof(line)))
		if (is_in_network(line, a))
			return true;
	return false;
}

enum netaddr_class gate_place_class(const struct gate_places *p,
				    const struct netaddr *a)
{
	enum netaddr_class class = netaddr_classify(a);
	struct netaddr inner[NETADDR_CARRIED];
	size_t n = class == NETADDR_PUBLIC ? netaddr_carried(a, inner) : 0;

	for (size_t i = 0; i < n; i++)
		if (host_has(p, &inner[i]))
			return NETADDR_LOOPBACK;
	if (class != NETADDR_PUBLIC)
		return class;
	if (host_has(p, a))
		return NETADDR_LOOPBACK;
	return is_neighbour(p, a) ? NETADDR_NEIGHBOUR : NETADDR_PUBLIC;
}
