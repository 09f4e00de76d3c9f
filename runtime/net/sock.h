/* netsock - sockets of the box's network namespace for the gate, which lives outside.
 * A socket belongs to the namespace of the process that made it, so init makes them on
 * request and passes them out; the gate connects them (published ports).
 * Needs:  the socketpair of netns_setup().
 * Owns:   nothing.
 * Never:  does anything in init but make a TCP socket and hand it over. */
#ifndef RUNTIME_NET_SOCK_H
#define RUNTIME_NET_SOCK_H

#include "base/err.h"

/**
 * netsock_serve() - init: answer one request on @fd (netns_fds.init_fd)
 *
 * Context: init, when @fd is readable; does not block.
 * Return: 0, or a negative errno: close @fd and go on without it.
 */
int netsock_serve(int fd);

/** netsock_ask() - gate: request one socket of AF_INET or AF_INET6; does not block */
int netsock_ask(int fd, int family);

/** netsock_take() - gate: the socket (owned, non-blocking), -EAGAIN when none came yet
 */
int netsock_take(int fd);

#endif
