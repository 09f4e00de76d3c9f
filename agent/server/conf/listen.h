/* listen - the socket that the server listens on, from what a person wrote.
 * Needs:  nothing.
 * Owns:   nothing that it returned.
 * Never:  looks a name up, but "localhost"; opens itself to others where nothing but the
 *         key protects what is said. */
#ifndef AGENT_SERVER_CONF_LISTEN_H
#define AGENT_SERVER_CONF_LISTEN_H

#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "base/err.h"

struct listen_address {
	union {
		struct sockaddr any;
		struct sockaddr_in v4;
		struct sockaddr_in6 v6;
		struct sockaddr_un path;
	} a;
	socklen_t len;
	bool here; /* of this host alone: a loopback address, or a path */
	int dir;   /* borrowed: where the last name of a path lies */
};

/** listen_parse() - "127.0.0.1:8000", "[::1]:8000", "localhost:0", "unix:/path";
 *  0 or -EINVAL */
int listen_parse(const char *text, struct listen_address *ret, struct err *e);

/** listen_text() - "http://127.0.0.1:8000", with @tls "https://…", or "unix:/path" */
void listen_text(const struct listen_address *a, bool tls, char *out, size_t size);

/**
 * listen_open() - a socket that listens there; @a gets the port that was chosen for 0
 *
 * The caller has opened the directory of a path. A socket there that nobody listens on any
 * more is taken over; the new one is for this user alone.
 * Return: the descriptor, -EADDRINUSE, -EACCES, …
 */
int listen_open(struct listen_address *a, struct err *e);

/** listen_remove() - take a path's socket away */
void listen_remove(const struct listen_address *a);

#endif
