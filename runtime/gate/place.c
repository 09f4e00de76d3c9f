/* gate_place - what kind of place an address is, seen from the host. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/sys/sys.h"
#include "base/text.h"
#include "runtime/gate/impl.h"

/* Through the routing table: a packet to one of the host's own addresses would have
 * that address as its source too. Nothing is sent. */
static bool host_has(const struct netaddr *a)
{
	struct sockaddr_storage to, from = { 0 };
	socklen_t len = netaddr_to_sock(a, 9, &to);
	socklen_t from_len = sizeof(from);
	_cleanup_close_ int fd = sys_socket(to.ss_family, SOCK_DGRAM, 0);
	struct netaddr source;

	if (fd < 0 || sys_connect(fd, (struct sockaddr *)&to, len) < 0 ||
	    sys_getsockname(fd, (struct sockaddr *)&from, &from_len) < 0 ||
	    netaddr_from_sock(&from, &source, NULL) < 0)
		return false;
	return netaddr_equal(a, &source);
}

enum {
	NETWORKS_TEXT = 256 << 10,
	/* A shorter prefix is no network of a house or a company: it is how a tunnel or a
	 * default route is written. One of a whole address is the host's own. */
	NETWORK_BITS_MIN = 48,
	NETWORK_BITS_MAX = 127
};

/* The file is the network namespace's, and says each time what it has by then. */
void gate_place_open(struct gated *g)
{
	int fd = sys_open("/proc/self/net/if_inet6", O_RDONLY);

	g->networks = MAX(fd, 0);
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
static bool is_neighbour(const struct gated *g, const struct netaddr *a)
{
	_cleanup_buf_ struct buf text = BUF_INIT(NETWORKS_TEXT);
	const char *rest;
	char line[128];

	if (g->networks <= 0 || a->len != 16 || sys_lseek(g->networks, 0, SEEK_SET) < 0)
		return false;
	(void)file_read_fd(g->networks, &text, ERR_IGNORED);
	rest = buf_cstr(&text);
	while (text_line(&rest, line, sizeof(line)))
		if (is_in_network(line, a))
			return true;
	return false;
}

enum netaddr_class gate_place_class(const struct gated *g, const struct netaddr *a)
{
	enum netaddr_class class = netaddr_classify(a);
	struct netaddr inner[NETADDR_CARRIED];
	size_t n = class == NETADDR_PUBLIC ? netaddr_carried(a, inner) : 0;

	for (size_t i = 0; i < n; i++)
		if (host_has(&inner[i]))
			return NETADDR_LOOPBACK;
	if (class != NETADDR_PUBLIC)
		return class;
	if (host_has(a))
		return NETADDR_LOOPBACK;
	return is_neighbour(g, a) ? NETADDR_NEIGHBOUR : NETADDR_PUBLIC;
}
