/* gate_place - what kind of place an address is, seen from the host. */
#include "base/sys/sys.h"
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

enum netaddr_class gate_place_class(const struct netaddr *a)
{
	enum netaddr_class class = netaddr_classify(a);
	struct netaddr inner[NETADDR_CARRIED];
	size_t n = class == NETADDR_PUBLIC ? netaddr_carried(a, inner) : 0;

	for (size_t i = 0; i < n; i++)
		if (host_has(&inner[i]))
			return NETADDR_LOOPBACK;
	return class == NETADDR_PUBLIC && host_has(a) ? NETADDR_LOOPBACK : class;
}
