#include "runtime/netaddr.h"

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
 * unroutable anyway, and test networks use them as public ones. First match wins. */
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
	{ "198.18.0.0",      15, NETADDR_RESERVED }, /* the box's names */
	{ "255.255.255.255", 32, NETADDR_MULTICAST },
	{ "224.0.0.0",        4, NETADDR_MULTICAST },
	{ "240.0.0.0",        4, NETADDR_RESERVED },
	{ "fd00:ec2::254",  128, NETADDR_METADATA }, /* AWS */
	{ "fd20:ce::254",   128, NETADDR_METADATA }, /* GCP */
	{ "::",             127, NETADDR_LOOPBACK }, /* :: and ::1 */
	{ "fe80::",          10, NETADDR_LINK },
	{ "fec0::",          10, NETADDR_PRIVATE },
	{ "fc00::",           7, NETADDR_PRIVATE },
	{ "ff00::",           8, NETADDR_MULTICAST },
	{ "100::",           64, NETADDR_RESERVED },
	{ "::",              96, NETADDR_RESERVED }, /* v4-compatible, obsolete */
	{ "2001::",          23, NETADDR_RESERVED }, /* Teredo and other protocols */
	/* clang-format on */
};

/* An IPv4 address inside an IPv6 one that some router on the way would unpack. */
static bool embedded(const struct netaddr *a, struct netaddr *ret)
{
	static const uint8_t nat64[12] = { 0, 0x64, 0xff, 0x9b };

	if (a->len != 16)
		return false;
	*ret = (struct netaddr){ .len = 4 };
	if (!memcmp(a->bytes, nat64, sizeof(nat64)))
		memcpy(ret->bytes, a->bytes + 12, 4);
	else if (a->bytes[0] == 0x20 && a->bytes[1] == 0x02) /* 6to4 */
		memcpy(ret->bytes, a->bytes + 2, 4);
	else
		return false;
	return true;
}

enum netaddr_class netaddr_classify(const struct netaddr *a)
{
	struct netaddr inner;

	if (embedded(a, &inner))
		return netaddr_classify(&inner);
	for (size_t i = 0; i < ARRAY_SIZE(ranges); i++) {
		struct netaddr net;

		if (netaddr_parse(ranges[i].net, &net) >= 0 &&
		    netaddr_within(a, &net, ranges[i].bits))
			return ranges[i].class;
	}
	return NETADDR_PUBLIC;
}

const char *netaddr_class_name(enum netaddr_class c)
{
	static const char *const names[] = {
		[NETADDR_PUBLIC] = "public address",
		[NETADDR_PRIVATE] = "private address",
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
