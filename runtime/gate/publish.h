/* publish - ports of the box on the host: "[IP:]HOSTPORT:PORT" read and listened on.
 * Needs:  the host's network namespace.
 * Owns:   the listener.
 * Never:  listens on more than loopback unless an address was given. */
#ifndef RUNTIME_GATE_PUBLISH_H
#define RUNTIME_GATE_PUBLISH_H

#include "base/err.h"
#include "base/scope.h"
#include "runtime/net/addr.h"

struct gate_publish {
	int fd; /* owned; -1 = none */
	struct netaddr addr;
	uint16_t host_port; /* 0 = any that is free, until it listens */
	uint16_t port;
	bool any; /* host_port is what the kernel chose */
};
#define GATE_PUBLISH_NONE ((struct gate_publish){ .fd = -1 })
void gate_publish_done(struct gate_publish *p);
#define _cleanup_gate_publish_ _cleanup_(gate_publish_done)

/** gate_publish_parse() - "8080:80", "0:80", "192.0.2.1:8080:80", "[::1]:8080:80";
 *  @ret->fd is -1 */
int gate_publish_parse(const char *spec, struct gate_publish *ret, struct err *e);

/** gate_publish_listen() - parse and listen; @ret->host_port is what it became.
 *  Return: 0, -EINVAL, -EADDRINUSE, -EACCES (a port below 1024), … */
int gate_publish_listen(const char *spec, struct gate_publish *ret, struct err *e);

#endif
