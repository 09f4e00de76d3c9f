#include "runtime/net/addr.h"

#include "tests/unit/unit.h"

static const struct text_row {
	const char *name, *in, *out; /* out NULL = refused */
} texts[] = {
	{ "IPv4", "93.184.216.34", "93.184.216.34" },
	{ "IPv6", "2606:2800:220:1::34", "2606:2800:220:1::34" },
	{ "v4-mapped", "::ffff:127.0.0.1", "127.0.0.1" },
	{ "hexadecimal", "0x7f.1", NULL },
	{ "octal", "0177.0.0.1", NULL },
	{ "one number", "2130706433", NULL },
	{ "short", "127.1", NULL },
	{ "zone", "fe80::1%lo", NULL },
	{ "brackets", "[::1]", NULL },
	{ "empty", "", NULL },
	{ "space", " 127.0.0.1", NULL },
};

static void parses(const void *p)
{
	const struct text_row *row = p;
	char out[NETADDR_TEXT];
	struct netaddr a;

	if (!row->out) {
		assert_int_equal(netaddr_parse(row->in, &a), -EINVAL);
		return;
	}
	assert_int_equal(netaddr_parse(row->in, &a), 0);
	assert_string_equal(netaddr_format(&a, out), row->out);
}

static const struct class_row {
	const char *name;
	enum netaddr_class want;
} classes[] = {
	{ "93.184.216.34", NETADDR_PUBLIC },
	{ "203.0.113.80", NETADDR_PUBLIC },
	{ "9.255.255.255", NETADDR_PUBLIC },
	{ "11.0.0.0", NETADDR_PUBLIC },
	{ "198.17.255.255", NETADDR_PUBLIC },
	{ "198.20.0.0", NETADDR_PUBLIC },
	{ "2606:2800:220:1::34", NETADDR_PUBLIC },
	{ "2a00::1", NETADDR_PUBLIC },
	{ "10.1.2.3", NETADDR_PRIVATE },
	{ "172.16.0.1", NETADDR_PRIVATE },
	{ "172.31.255.255", NETADDR_PRIVATE },
	{ "172.32.0.0", NETADDR_PUBLIC },
	{ "192.168.1.1", NETADDR_PRIVATE },
	{ "100.64.0.1", NETADDR_PRIVATE },
	{ "100.128.0.0", NETADDR_PUBLIC },
	{ "fd00::1", NETADDR_PRIVATE },
	{ "198.18.0.1", NETADDR_RESERVED },
	{ "198.19.255.255", NETADDR_RESERVED },
	{ "240.0.0.1", NETADDR_RESERVED },
	{ "2001::1", NETADDR_RESERVED },
	{ "224.0.0.1", NETADDR_MULTICAST },
	{ "255.255.255.255", NETADDR_MULTICAST },
	{ "ff02::1", NETADDR_MULTICAST },
	{ "169.254.1.1", NETADDR_LINK },
	{ "fe80::1", NETADDR_LINK },
	{ "169.254.169.254", NETADDR_METADATA },
	{ "100.100.100.200", NETADDR_METADATA },
	{ "fd00:ec2::254", NETADDR_METADATA },
	{ "127.0.0.1", NETADDR_LOOPBACK },
	{ "127.255.255.255", NETADDR_LOOPBACK },
	{ "0.0.0.0", NETADDR_LOOPBACK },
	{ "::", NETADDR_LOOPBACK },
	{ "::1", NETADDR_LOOPBACK },
	{ "::ffff:127.0.0.1", NETADDR_LOOPBACK },
	{ "64:ff9b::7f00:1", NETADDR_LOOPBACK },
	{ "64:ff9b::808:808", NETADDR_PUBLIC },
	{ "2002:a00:1::", NETADDR_PRIVATE },
	{ "::a00:1", NETADDR_RESERVED },
	/* IANA's registry of IPv4, both sides of each boundary */
	{ "0.255.255.255", NETADDR_LOOPBACK },
	{ "1.0.0.0", NETADDR_PUBLIC },
	{ "10.0.0.0", NETADDR_PRIVATE },
	{ "10.255.255.255", NETADDR_PRIVATE },
	{ "100.63.255.255", NETADDR_PUBLIC },
	{ "100.64.0.0", NETADDR_PRIVATE },
	{ "100.127.255.255", NETADDR_PRIVATE },
	{ "126.255.255.255", NETADDR_PUBLIC },
	{ "127.0.0.0", NETADDR_LOOPBACK },
	{ "128.0.0.0", NETADDR_PUBLIC },
	{ "169.253.255.255", NETADDR_PUBLIC },
	{ "169.254.0.0", NETADDR_LINK },
	{ "169.254.255.255", NETADDR_LINK },
	{ "169.255.0.0", NETADDR_PUBLIC },
	{ "172.15.255.255", NETADDR_PUBLIC },
	{ "191.255.255.255", NETADDR_PUBLIC },
	{ "192.0.0.0", NETADDR_RESERVED },
	{ "192.0.0.255", NETADDR_RESERVED },
	{ "192.0.1.0", NETADDR_PUBLIC },
	{ "192.31.196.1", NETADDR_PUBLIC }, /* AS112: globally reachable */
	{ "192.52.193.1", NETADDR_PUBLIC }, /* AMT: likewise */
	{ "192.88.98.255", NETADDR_PUBLIC },
	{ "192.88.99.0", NETADDR_RESERVED },
	{ "192.88.99.255", NETADDR_RESERVED },
	{ "192.88.100.0", NETADDR_PUBLIC },
	{ "192.167.255.255", NETADDR_PUBLIC },
	{ "192.168.0.0", NETADDR_PRIVATE },
	{ "192.168.255.255", NETADDR_PRIVATE },
	{ "192.169.0.0", NETADDR_PUBLIC },
	{ "192.175.48.1", NETADDR_PUBLIC },
	{ "198.18.0.0", NETADDR_RESERVED },
	{ "223.255.255.255", NETADDR_PUBLIC },
	{ "224.0.0.0", NETADDR_MULTICAST },
	{ "239.255.255.255", NETADDR_MULTICAST },
	{ "240.0.0.0", NETADDR_RESERVED },
	{ "255.255.255.254", NETADDR_RESERVED },
	/* and of IPv6 */
	{ "::2", NETADDR_LOOPBACK }, /* carries 0.0.0.2 */
	{ "::1:0:0", NETADDR_RESERVED },
	{ "64:ff9a:ffff:ffff:ffff:ffff:808:808", NETADDR_RESERVED },
	{ "64:ff9b::", NETADDR_LOOPBACK },
	{ "64:ff9b::ffff:ffff", NETADDR_MULTICAST },
	{ "64:ff9b::1:808:808", NETADDR_RESERVED },
	{ "64:ff9b:0:ffff:ffff:ffff:ffff:ffff", NETADDR_RESERVED },
	{ "64:ff9b:1::808:808", NETADDR_PUBLIC },
	{ "64:ff9b:1::7f00:1", NETADDR_LOOPBACK },
	{ "64:ff9b:1::a9fe:a9fe", NETADDR_METADATA },
	{ "64:ff9b:1:808:8:800::", NETADDR_PUBLIC },
	{ "64:ff9b:1:a00:0:100::", NETADDR_PRIVATE },	    /* 10.0.0.1 of a /48 */
	{ "64:ff9b:1:7f:0:1::", NETADDR_LOOPBACK },	    /* 127.0.0.1 of a /56 */
	{ "64:ff9b:1:0:a9:fea9:fe00:0", NETADDR_METADATA }, /* 169.254… of a /64 */
	{ "64:ff9b:1:a00:0:100:808:808", NETADDR_PRIVATE }, /* the worst of them */
	{ "64:ff9b:1:ffff:ffff:ffff:ffff:ffff", NETADDR_MULTICAST },
	{ "64:ff9b:2::808:808", NETADDR_RESERVED },
	{ "::ffff:0:8.8.8.8", NETADDR_RESERVED }, /* IPv4-translated */
	{ "::ffff:0:10.0.0.1", NETADDR_RESERVED },
	{ "::ffff:0:127.0.0.1", NETADDR_LOOPBACK },
	{ "::ffff:0:169.254.169.254", NETADDR_METADATA },
	{ "::ffff:8.8.8.8", NETADDR_PUBLIC },
	{ "::127.0.0.1", NETADDR_LOOPBACK },
	{ "ff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", NETADDR_RESERVED },
	{ "100::", NETADDR_RESERVED },
	{ "100::ffff:ffff:ffff:ffff", NETADDR_RESERVED },
	{ "100:0:0:1::", NETADDR_RESERVED },
	{ "100:0:0:2::", NETADDR_RESERVED },
	{ "200::1", NETADDR_RESERVED },
	{ "1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", NETADDR_RESERVED },
	{ "2000::", NETADDR_PUBLIC },
	{ "2000:ffff:ffff:ffff:ffff:ffff:ffff:ffff", NETADDR_PUBLIC },
	{ "2001::", NETADDR_MULTICAST },		   /* client 255.255.255.255 */
	{ "2001:0:7f00:1::", NETADDR_LOOPBACK },	   /* Teredo's server */
	{ "2001:0:808:808::f5ff:fffe", NETADDR_RESERVED }, /* client 10.0.0.1 */
	{ "2001:0:808:808::80ff:fffe", NETADDR_LOOPBACK }, /* client 127.0.0.1 */
	{ "2001:1::1", NETADDR_RESERVED },
	{ "2001:2::1", NETADDR_RESERVED },
	{ "2001:10::1", NETADDR_RESERVED },
	{ "2001:20::1", NETADDR_RESERVED },
	{ "2001:30::1", NETADDR_RESERVED },
	{ "2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff", NETADDR_RESERVED },
	{ "2001:200::", NETADDR_PUBLIC },
	{ "2001:db8::1", NETADDR_PUBLIC }, /* documentation: as in IPv4 */
	{ "2001:ffff:ffff:ffff:ffff:ffff:ffff:ffff", NETADDR_PUBLIC },
	{ "2002:808:808::1", NETADDR_PUBLIC },
	{ "2002:7f00:1::1", NETADDR_LOOPBACK },
	{ "2002:c058:6301::", NETADDR_RESERVED }, /* 192.88.99.1 */
	{ "2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff", NETADDR_MULTICAST },
	{ "2003::", NETADDR_PUBLIC },
	{ "2620:4f:8000::1", NETADDR_PUBLIC }, /* AS112 */
	{ "3fff::1", NETADDR_PUBLIC },	       /* documentation */
	{ "3fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", NETADDR_PUBLIC },
	{ "4000::", NETADDR_RESERVED },
	{ "5eff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", NETADDR_RESERVED },
	{ "5f00::", NETADDR_RESERVED }, /* SRv6 */
	{ "5f00:ffff:ffff:ffff:ffff:ffff:ffff:ffff", NETADDR_RESERVED },
	{ "5f01::", NETADDR_RESERVED },
	{ "fbff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", NETADDR_RESERVED },
	{ "fc00::", NETADDR_PRIVATE },
	{ "fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", NETADDR_PRIVATE },
	{ "fe00::", NETADDR_RESERVED },
	{ "fe7f:ffff:ffff:ffff:ffff:ffff:ffff:ffff", NETADDR_RESERVED },
	{ "fe80::", NETADDR_LINK },
	{ "febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff", NETADDR_LINK },
	{ "fec0::", NETADDR_PRIVATE },
	{ "feff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", NETADDR_PRIVATE },
	{ "ff00::", NETADDR_MULTICAST },
	{ "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", NETADDR_MULTICAST },
	/* ISATAP below a public prefix */
	{ "2a00:1::5efe:10.0.0.1", NETADDR_PRIVATE },
	{ "2a00:1::200:5efe:127.0.0.1", NETADDR_LOOPBACK },
	{ "2a00:1::200:5efe:8.8.8.8", NETADDR_PUBLIC },
	{ "2a00:1::100:5efe:127.0.0.1", NETADDR_PUBLIC },
	{ "2a00:1::5eff:127.0.0.1", NETADDR_PUBLIC },
	{ "2002:808:808::5efe:169.254.169.254", NETADDR_METADATA },
};

static void classifies(const void *p)
{
	const struct class_row *row = p;
	struct netaddr a;

	assert_int_equal(netaddr_parse(row->name, &a), 0);
	assert_int_equal(netaddr_classify(&a), row->want);
}

static const struct within_row {
	const char *name, *net;
	unsigned bits;
	bool want;
} withins[] = {
	{ "10.1.2.3", "10.0.0.0", 8, true },	{ "11.0.0.0", "10.0.0.0", 8, false },
	{ "10.0.0.127", "10.0.0.0", 25, true }, { "10.0.0.128", "10.0.0.0", 25, false },
	{ "10.0.0.1", "10.0.0.1", 32, true },	{ "10.0.0.1", "10.0.0.0", 32, false },
	{ "1.2.3.4", "0.0.0.0", 0, true },	{ "1.2.3.4", "0.0.0.0", 33, false },
	{ "::1", "0.0.0.0", 0, false },		{ "fd12::1", "fc00::", 7, true },
	{ "fe00::1", "fc00::", 7, false },
};

static void is_within(const void *p)
{
	const struct within_row *row = p;
	struct netaddr a, net;

	assert_int_equal(netaddr_parse(row->name, &a), 0);
	assert_int_equal(netaddr_parse(row->net, &net), 0);
	assert_int_equal(netaddr_within(&a, &net, row->bits), row->want);
}

static const struct numeric_row {
	const char *name;
	bool want;
} numerics[] = {
	{ "2130706433", true }, { "0x7f.1", true },	 { "0x7f000001", true },
	{ "127.0.0.1", true },	{ "0177.0.0.01", true }, { "a.b.0x7F", true },
	{ "0x", true },		{ "1.", true },		 { "example.com", false },
	{ "3com.com", false },	{ "7.example", false },	 { "0xg", false },
	{ "", false },		{ ".", false },		 { "x1", false },
};

static void looks_numeric(const void *p)
{
	const struct numeric_row *row = p;

	assert_int_equal(netaddr_looks_numeric(row->name), row->want);
}

int main(void)
{
	int r = unit_rows("netaddr_parse", texts, parses);

	r |= unit_rows("netaddr_classify", classes, classifies);
	r |= unit_rows("netaddr_within", withins, is_within);
	return r | unit_rows("netaddr_looks_numeric", numerics, looks_numeric);
}
