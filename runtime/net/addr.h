/* netaddr - IP addresses: text, ranges, and what kind of place an address is.
 * Needs:  nothing.
 * Owns:   nothing.
 * Never:  asks a resolver; accepts an address in odd notation ("0x7f.1"). */
#ifndef RUNTIME_NET_ADDR_H
#define RUNTIME_NET_ADDR_H

#include <netinet/in.h>
#include <sys/socket.h>

#include "base/def.h"

struct netaddr {
	uint8_t len; /* 4 or 16; 0 = none */
	uint8_t bytes[16];
};

enum { NETADDR_TEXT = INET6_ADDRSTRLEN };

/* Kinds of places, the worst last. All but the first are refused unless a rule names
 * the address. */
enum netaddr_class {
	NETADDR_PUBLIC,
	NETADDR_PRIVATE,   /* RFC 1918, RFC 6598, RFC 4193 */
	NETADDR_NEIGHBOUR, /* in a network that this host is part of */
	NETADDR_RESERVED,  /* not for hosts, or the box's own range */
	NETADDR_MULTICAST, /* broadcast too */
	NETADDR_LINK,	   /* link-local */
	NETADDR_METADATA,  /* where clouds hand out credentials */
	NETADDR_LOOPBACK   /* of the host; "this host" (0.0.0.0/8) too */
};

/** netaddr_parse() - four decimal numbers, or IPv6 without brackets and zone; a
 *  v4-mapped address becomes IPv4. 0 or -EINVAL. */
int netaddr_parse(const char *s, struct netaddr *ret);
/** netaddr_format() - @out, of NETADDR_TEXT bytes */
char *netaddr_format(const struct netaddr *a, char *out);

bool netaddr_equal(const struct netaddr *a, const struct netaddr *b);
/** netaddr_within() - @a lies in the first @bits bits of @net (same family) */
bool netaddr_within(const struct netaddr *a, const struct netaddr *net, unsigned bits);

enum { NETADDR_CARRIED = 6 };
/** netaddr_carried() - IPv4 addresses that @a may carry for a router to take out (NAT64,
 *  6to4, ISATAP, …); how many */
size_t netaddr_carried(const struct netaddr *a, struct netaddr ret[NETADDR_CARRIED]);
/** netaddr_classify() - the worst of what the address is and of what it carries */
enum netaddr_class netaddr_classify(const struct netaddr *a);
/** netaddr_class_name() - "private address", …: for a sentence */
const char *netaddr_class_name(enum netaddr_class c);

/** netaddr_looks_numeric() - a name that some resolver would read as an address: its
 *  last label is a decimal, octal or hexadecimal number. It is never asked for. */
bool netaddr_looks_numeric(const char *name);

/** netaddr_to_sock() - fill a socket address; its length */
socklen_t netaddr_to_sock(const struct netaddr *a, uint16_t port,
			  struct sockaddr_storage *ret);
/** netaddr_from_sock() - 0 or -EAFNOSUPPORT; @port may be NULL */
int netaddr_from_sock(const struct sockaddr_storage *s, struct netaddr *ret,
		      uint16_t *port);

#endif
