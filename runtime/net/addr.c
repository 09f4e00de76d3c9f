#include "runtime/net/addr.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <errno.h>
#include <string.h>

int netaddr_parse(const char *s, struct netaddr *ret)
{
	static const uint8_t mapped[12] = { [10] = 0xff, [11] = 0xff };
	struct netaddr a = { 0 };

	if (inet_pton(AF_INET, s, a.bytes) == 1) {
		a.len = 4;
	} else if (inet_pton(AF_INET6, s, a.bytes) == 1) {
		a.len = 16;
		if (!memcmp(a.bytes, mapped, sizeof(mapped))) {
			memmove(a.bytes, a.bytes + 12, 4);
			memset(a.bytes + 4, 0, 12);
			a.len = 4;
		}
	} else {
		return -EINVAL;
	}
	*ret = a;
	return 0;
}

char *netaddr_format(const struct netaddr *a, char *out)
{
	if (!a->len ||
	    !inet_ntop(a->len == 4 ? AF_INET : AF_INET6, a->bytes, out, NETADDR_TEXT))
		memcpy(out, "-", 2);
	return out;
}

bool netaddr_equal(const struct netaddr *a, const struct netaddr *b)
{
	return a->len == b->len && !memcmp(a->bytes, b->bytes, a->len);
}

bool netaddr_within(const struct netaddr *a, const struct netaddr *net, unsigned bits)
{
	unsigned whole = bits / 8, rest = bits % 8;
	uint8_t mask = (uint8_t)(0xff00 >> rest);

	if (a->len != net->len || bits > a->len * 8u)
		return false;
	if (memcmp(a->bytes, net->bytes, whole))
		return false;
	return !rest || !((a->bytes[whole] ^ net->bytes[whole]) & mask);
}

/* The IANA special-purpose registries, less the documentation ranges: those are
 * unroutable anyway, and test networks use them as public ones. First match wins. Of IPv6
 * only 2000::/3 is given out to networks: all of the rest is not public (so 5f00::/16,
 * 100::/64, 100:0:0:1::/64 and 200::/7 need no rows). */
static const struct range {
	const char *net;
	uint8_t bits;
	uint8_t class;
} ranges[] = {
	/* clang-format off */
	{ "169.254.169.254", 32, NETADDR_METADATA }, /* AWS, Azure, GCP, … */
	{ "169.254.170.2",   32, NETADDR_METADATA }, /* AWS ECS */
	{ "100.100.100.200", 32, NETADDR_METADATA }, /* Alibaba */
	{ "192.0.0.192",     32, NETADDR_METADATA }, /* Oracle */
	{ "168.63.129.16",   32, NETADDR_METADATA }, /* Azure */
	{ "0.0.0.0",          8, NETADDR_LOOPBACK }, /* connects to loopback */
	{ "127.0.0.0",        8, NETADDR_LOOPBACK },
	{ "10.0.0.0",         8, NETADDR_PRIVATE },
	{ "172.16.0.0",      12, NETADDR_PRIVATE },
	{ "192.168.0.0",     16, NETADDR_PRIVATE },
	{ "100.64.0.0",      10, NETADDR_PRIVATE },
	{ "169.254.0.0",     16, NETADDR_LINK },
	{ "192.0.0.0",       24, NETADDR_RESERVED },
	{ "192.88.99.0",     24, NETADDR_RESERVED }, /* relays of 6to4, RFC 7526 */
	{ "198.18.0.0",      15, NETADDR_RESERVED }, /* the box's names */
	{ "255.255.255.255", 32, NETADDR_MULTICAST },
	{ "224.0.0.0",        4, NETADDR_MULTICAST },
	{ "240.0.0.0",        4, NETADDR_RESERVED },
	{ "0.0.0.0",          0, NETADDR_PUBLIC },
	{ "fd00:ec2::254",  128, NETADDR_METADATA }, /* AWS */
	{ "fd20:ce::254",   128, NETADDR_METADATA }, /* GCP */
	{ "::",             127, NETADDR_LOOPBACK }, /* :: and ::1 */
	{ "fe80::",          10, NETADDR_LINK },
	{ "fec0::",          10, NETADDR_PRIVATE },
	{ "fc00::",           7, NETADDR_PRIVATE },
	{ "ff00::",           8, NETADDR_MULTICAST },
	{ "64:ff9b::",       96, NETADDR_PUBLIC },   /* what it carries decides */
	{ "64:ff9b:1::",     48, NETADDR_PUBLIC },   /* likewise */
	{ "2001::",          23, NETADDR_RESERVED }, /* Teredo and other protocols */
	{ "2000::",           3, NETADDR_PUBLIC },
	/* clang-format on */
};

/* Where IPv6 addresses carry an IPv4 address that some router on the way, or the host
 * itself, would take out. The network's own prefix within 64:ff9b:1::/48 is not known
 * here, so every place of RFC 6052 2.2 has a row; the byte between is not part of it. */
static const struct carrier {
	const char *net;
	uint8_t bits, at[4];
	bool inverted;
} carriers[] = {
	/* clang-format off */
	{ "::",             96, { 12, 13, 14, 15 }, false }, /* v4-compatible */
	{ "::ffff:0:0:0",   96, { 12, 13, 14, 15 }, false }, /* translated, RFC 2765 */
	{ "64:ff9b::",      96, { 12, 13, 14, 15 }, false }, /* NAT64, RFC 6052 */
	{ "64:ff9b:1::",    48, {  6,  7,  9, 10 }, false }, /* RFC 8215, as a /48 */
	{ "64:ff9b:1::",    48, {  7,  9, 10, 11 }, false }, /* … /56 */
	{ "64:ff9b:1::",    48, {  9, 10, 11, 12 }, false }, /* … /64 */
	{ "64:ff9b:1::",    48, { 12, 13, 14, 15 }, false }, /* … /96 */
	{ "2002::",         16, {  2,  3,  4,  5 }, false }, /* 6to4 */
	{ "2001::",         32, {  4,  5,  6,  7 }, false }, /* Teredo: its server */
	{ "2001::",         32, { 12, 13, 14, 15 }, true },  /* … its client */
	/* clang-format on */
};

/* RFC 5214 6.1: 0000:5efe or 0200:5efe begins the second half, below any prefix. */
static bool is_isatap(const struct netaddr *a)
{
	return !(a->bytes[8] & ~2) && !a->bytes[9] && a->bytes[10] == 0x5e &&
	       a->bytes[11] == 0xfe;
}

static struct netaddr take_out(const struct netaddr *a, const uint8_t at[4],
			       bool inverted)
{
	struct netaddr v4 = { .len = 4 };

	for (size_t i = 0; i < 4; i++)
		v4.bytes[i] = a->bytes[at[i]] ^ (inverted ? 0xff : 0);
	return v4;
}

size_t netaddr_carried(const struct netaddr *a, struct netaddr ret[NETADDR_CARRIED])
{
	static const uint8_t last[4] = { 12, 13, 14, 15 };
	size_t n = 0;

	if (a->len != 16)
		return 0;
	for (size_t i = 0; i < ARRAY_SIZE(carriers) && n < NETADDR_CARRIED - 1; i++) {
		const struct carrier *c = &carriers[i];
		struct netaddr net;

		if (netaddr_parse(c->net, &net) >= 0 &&
		    netaddr_within(a, &net, c->bits))
			ret[n++] = take_out(a, c->at, c->inverted);
	}
	if (is_isatap(a))
		ret[n++] = take_out(a, last, false);
	return n;
}

static enum netaddr_class class_of_range(const struct netaddr *a)
{
	for (size_t i = 0; i < ARRAY_SIZE(ranges); i++) {
		struct netaddr net;

		if (netaddr_parse(ranges[i].net, &net) >= 0 &&
		    netaddr_within(a, &net, ranges[i].bits))
			return ranges[i].class;
	}
	return NETADDR_RESERVED;
}

/* The worst of the address and all that it may carry. One of several places that reads
 * 0.x.y.z is not where the address is: no router sends a packet there. */
enum netaddr_class netaddr_classify(const struct netaddr *a)
{
	struct netaddr inner[NETADDR_CARRIED];
	size_t n = netaddr_carried(a, inner), empty = 0;
	enum netaddr_class worst = class_of_range(a);

	for (size_t i = 0; i < n; i++) {
		if (inner[i].bytes[0])
			worst = MAX(worst, class_of_range(&inner[i]));
		else
			empty++;
	}
	return n && empty == n ? NETADDR_LOOPBACK : worst;
}

const char *netaddr_class_name(enum netaddr_class c)
{
	static const char *const names[] = {
		[NETADDR_PUBLIC] = "public address",
		[NETADDR_PRIVATE] = "private address",
		[NETADDR_NEIGHBOUR] = "address of this host's own network",
		[NETADDR_RESERVED] = "reserved address",
		[NETADDR_MULTICAST] = "multicast address",
		[NETADDR_LINK] = "link-local address",
		[NETADDR_METADATA] = "cloud metadata address",
		[NETADDR_LOOPBACK] = "address of this host",
	};

	return c < ARRAY_SIZE(names) ? names[c] : "?";
}

bool netaddr_looks_numeric(const char *name)
{
	size_t len = strlen(name);
	const char *at;

	if (len && name[len - 1] == '.')
		len--;
	at = name + len;
	while (at > name && at[-1] != '.')
		at--;
	len -= (size_t)(at - name);
	if (!len)
		return false;
	if (len >= 2 && at[0] == '0' && (at[1] | 0x20) == 'x') {
		for (size_t i = 2; i < len; i++)
			if (!isxdigit((unsigned char)at[i]))
				return false;
		return true;
	}
	for (size_t i = 0; i < len; i++)
		if (!isdigit((unsigned char)at[i]))
			return false;
	return true;
}

socklen_t netaddr_to_sock(const struct netaddr *a, uint16_t port,
			  struct sockaddr_storage *ret)
{
	struct sockaddr_in *v4 = (struct sockaddr_in *)ret;
	struct sockaddr_in6 *v6 = (struct sockaddr_in6 *)ret;

	memset(ret, 0, sizeof(*ret));
	if (a->len == 4) {
		v4->sin_family = AF_INET;
		v4->sin_port = htons(port);
		memcpy(&v4->sin_addr, a->bytes, 4);
		return sizeof(*v4);
	}
	v6->sin6_family = AF_INET6;
	v6->sin6_port = htons(port);
	memcpy(&v6->sin6_addr, a->bytes, 16);
	return sizeof(*v6);
}

int netaddr_from_sock(const struct sockaddr_storage *s, struct netaddr *ret,
		      uint16_t *port)
{
	const struct sockaddr_in *v4 = (const struct sockaddr_in *)s;
	const struct sockaddr_in6 *v6 = (const struct sockaddr_in6 *)s;
	char text[NETADDR_TEXT];
	const void *from = s->ss_family == AF_INET ? (const void *)&v4->sin_addr
						   : (const void *)&v6->sin6_addr;

	if (s->ss_family != AF_INET && s->ss_family != AF_INET6)
		return -EAFNOSUPPORT;
	if (!inet_ntop(s->ss_family, from, text, sizeof(text)) ||
	    netaddr_parse(text, ret) < 0) /* undoes v4-mapped addresses too */
		return -EAFNOSUPPORT;
	if (port)
		*port = ntohs(s->ss_family == AF_INET ? v4->sin_port : v6->sin6_port);
	return 0;
}
