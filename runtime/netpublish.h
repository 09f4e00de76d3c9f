/* netpublish - ports of the box on the host: "[IP:]HOSTPORT:PORT" read and listened on.
 * Needs:  the host's network namespace.
 * Owns:   the listener.
 * Never:  listens on more than loopback unless an address was given. */
#ifndef RUNTIME_NETPUBLISH_H
#define RUNTIME_NETPUBLISH_H

#include "base/err.h"
#include "base/scope.h"
#include "runtime/netaddr.h"

struct netpublish {
	int fd; /* owned; -1 = none */
	struct netaddr addr;
	uint16_t host_port; /* 0 = any that is free, until it listens */
	uint16_t port;
};
#define NETPUBLISH_NONE ((struct netpublish){ .fd = -1 })
void netpublish_done(struct netpublish *p);
#define _cleanup_netpublish_ _cleanup_(netpublish_done)

/** netpublish_parse() - "8080:80", "0:80", "192.0.2.1:8080:80", "[::1]:8080:80";
 *  @ret->fd is -1 */
int netpublish_parse(const char *spec, struct netpublish *ret, struct err *e);

/** netpublish_listen() - parse and listen; @ret->host_port is what it became.
 *  Return: 0, -EINVAL, -EADDRINUSE, -EACCES (a port below 1024), … */
int netpublish_listen(const char *spec, struct netpublish *ret, struct err *e);

#endif
