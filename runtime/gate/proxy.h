/* gate_proxy - the proxy that the host itself must use: settings read, HTTP CONNECT
 * (RFC 9110) and SOCKS5 (RFC 1928, 1929) spoken. Pure: bytes in, bytes out.
 * Needs:  the environment's HTTPS_PROXY, HTTP_PROXY, ALL_PROXY, NO_PROXY (also in lower
 *         case, which wins).
 * Owns:   nothing.
 * Never:  shows a password in a message. */
#ifndef RUNTIME_GATE_PROXY_H
#define RUNTIME_GATE_PROXY_H

#include "base/buf.h"
#include "base/err.h"
#include "runtime/net/addr.h"

enum gate_proxy_kind { GATE_PROXY_NONE, GATE_PROXY_HTTP, GATE_PROXY_SOCKS5 };
enum { GATE_PROXY_HOST = 256, GATE_PROXY_USER = 128, GATE_PROXY_EXCEPT = 2048 };

struct gate_proxy {
	enum gate_proxy_kind kind;
	char host[GATE_PROXY_HOST]; /* name or address, no brackets */
	uint16_t port;
	char user[GATE_PROXY_USER], password[GATE_PROXY_USER]; /* "" = none */
};

struct gate_proxy_conf {
	struct gate_proxy https, http;	/* for port 80 the second; may be the same */
	char except[GATE_PROXY_EXCEPT]; /* NO_PROXY */
};

/** gate_proxy_parse() - "[http://|socks5://|socks5h://][user:password@]host[:port]" */
int gate_proxy_parse(const char *url, struct gate_proxy *ret, struct err *e);

/** gate_proxy_from_env() - @env: NULL-ended "K=V"; a setting that is no proxy URL of
 *  these kinds is an error that names the variable */
int gate_proxy_from_env(const char *const *env, struct gate_proxy_conf *ret,
			struct err *e);

/**
 * gate_proxy_for() - the proxy for a connection; NULL = direct
 * @name: NULL for a literal address; @a: NULL for a name
 */
const struct gate_proxy *gate_proxy_for(const struct gate_proxy_conf *c,
					const char *name, const struct netaddr *a,
					uint16_t port);

/* One conversation with a proxy. */
struct gate_proxy_talk {
	const struct gate_proxy *proxy; /* borrowed */
	char host[GATE_PROXY_HOST];	/* what is asked for: name or address text */
	uint16_t port;
	uint8_t step;
};

/** gate_proxy_begin() - the first bytes to send, appended to @out */
int gate_proxy_begin(struct gate_proxy_talk *t, struct buf *out);
/**
 * gate_proxy_feed() - take what the proxy sent so far
 * @used: bytes of @in that belonged to the conversation; the rest is the tunnel's
 * @out:  bytes to send now, appended
 * Return: 1 = the tunnel is open, 0 = more is needed, or -ECONNREFUSED, -EHOSTUNREACH,
 *         -EACCES (the proxy's refusal), -EPROTO (not a proxy's answer).
 */
int gate_proxy_feed(struct gate_proxy_talk *t, const void *in, size_t len, size_t *used,
		    struct buf *out);

#endif
