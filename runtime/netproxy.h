/* netproxy - the proxy that the host itself must use: settings read, HTTP CONNECT
 * (RFC 9110) and SOCKS5 (RFC 1928, 1929) spoken. Pure: bytes in, bytes out.
 * Needs:  the environment's HTTPS_PROXY, HTTP_PROXY, ALL_PROXY, NO_PROXY (also in lower
 *         case, which wins).
 * Owns:   nothing.
 * Never:  shows a password in a message. */
#ifndef RUNTIME_NETPROXY_H
#define RUNTIME_NETPROXY_H

#include "base/buf.h"
#include "base/err.h"
#include "runtime/netaddr.h"

enum netproxy_kind { NETPROXY_NONE, NETPROXY_HTTP, NETPROXY_SOCKS5 };
enum { NETPROXY_HOST = 256, NETPROXY_USER = 128, NETPROXY_EXCEPT = 2048 };

struct netproxy {
	enum netproxy_kind kind;
	char host[NETPROXY_HOST]; /* name or address, no brackets */
	uint16_t port;
	char user[NETPROXY_USER], password[NETPROXY_USER]; /* "" = none */
};

struct netproxy_conf {
	struct netproxy https, http;  /* for port 80 the second; may be the same */
	char except[NETPROXY_EXCEPT]; /* NO_PROXY */
};

/** netproxy_parse() - "[http://|socks5://|socks5h://][user:password@]host[:port]" */
int netproxy_parse(const char *url, struct netproxy *ret, struct err *e);

/** netproxy_from_env() - @env: NULL-ended "K=V"; a setting that is no proxy URL of
 *  these kinds is an error that names the variable */
int netproxy_from_env(const char *const *env, struct netproxy_conf *ret, struct err *e);

/**
 * netproxy_for() - the proxy for a connection; NULL = direct
 * @name: NULL for a literal address; @a: NULL for a name
 */
const struct netproxy *netproxy_for(const struct netproxy_conf *c, const char *name,
				    const struct netaddr *a, uint16_t port);

/* One conversation with a proxy. */
struct netproxy_talk {
	const struct netproxy *proxy; /* borrowed */
	char host[NETPROXY_HOST];     /* what is asked for: name or address text */
	uint16_t port;
	uint8_t step;
};

/** netproxy_begin() - the first bytes to send, appended to @out */
int netproxy_begin(struct netproxy_talk *t, struct buf *out);
/**
 * netproxy_feed() - take what the proxy sent so far
 * @used: bytes of @in that belonged to the conversation; the rest is the tunnel's
 * @out:  bytes to send now, appended
 * Return: 1 = the tunnel is open, 0 = more is needed, or -ECONNREFUSED, -EHOSTUNREACH,
 *         -EACCES (the proxy's refusal), -EPROTO (not a proxy's answer).
 */
int netproxy_feed(struct netproxy_talk *t, const void *in, size_t len, size_t *used,
		  struct buf *out);

#endif
