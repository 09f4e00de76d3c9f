#include "runtime/net/syn.h"

#include <arpa/inet.h>
#include <netinet/ip.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <string.h>

#include "tests/unit/unit.h"

enum { SYN = 0x02, FIRST = 20, OPTIONS = 12 };

/* A first packet with options in its TCP header, from 198.18.0.9:40000 to 198.18.0.16:443. */
static const uint8_t packet[] = { 0x45,
				  0x00,
				  0x00,
				  0x34,
				  0x12,
				  0x34,
				  0x40,
				  0x00,
				  64,
				  6,
				  0,
				  0,
				  198,
				  18,
				  0,
				  9,
				  198,
				  18,
				  0,
				  16,
				  /* TCP: */ 0x9c,
				  0x40,
				  0x01,
				  0xbb,
				  0xff,
				  0xff,
				  0xff,
				  0xff,
				  0,
				  0,
				  0,
				  0,
				  0x80,
				  SYN,
				  0xff,
				  0xd7,
				  0xfe,
				  0x30,
				  0,
				  0,
				  /* options: */ 2,
				  4,
				  0xff,
				  0xd7,
				  1,
				  1,
				  4,
				  2,
				  1,
				  3,
				  3,
				  7 };

static const struct row {
	const char *name;
	size_t at; /* the byte that is changed … */
	uint8_t to;
	size_t len; /* … and how much there is of it; 0 = all */
	bool good;
} rows[] = {
	{ "a first packet", 8, 64, 0, true },
	{ "with congestion bits", FIRST + 13, SYN | 0xc0, 0, true },
	{ "more behind it", 3, 0x40, 0, true },
	{ "an answer", FIRST + 13, SYN | 0x10, 0, false },
	{ "no first packet", FIRST + 13, 0x10, 0, false },
	{ "a reset", FIRST + 13, SYN | 0x04, 0, false },
	{ "an end", FIRST + 13, SYN | 0x01, 0, false },
	{ "UDP", 9, 17, 0, false },
	{ "IPv6", 0, 0x65, 0, false },
	{ "an IP header that is too short", 0, 0x44, 0, false },
	{ "an IP header that is longer", 0, 0x4f, 0, false },
	{ "a TCP header that is too short", FIRST + 12, 0x40, 0, false },
	{ "a TCP header that is longer", FIRST + 12, 0xf0, 0, false },
	{ "a fragment with more", 6, 0x20, 0, false },
	{ "a later fragment", 7, 0x01, 0, false },
	{ "less by its own word", 3, 0x30, 0, false },
	{ "cut in the options", 8, 64, sizeof(packet) - 1, false },
	{ "cut in the TCP header", 8, 64, 39, false },
	{ "cut in the IP header", 8, 64, 19, false },
	{ "nothing", 8, 64, 1, false },
};

static void test_row(const void *p)
{
	const struct row *row = p;
	size_t len = row->len ? row->len : sizeof(packet);
	uint8_t *in = memcpy(malloc(len), packet, len); /* its own: for the sanitizer */
	struct netsyn s;

	if (row->at < len)
		in[row->at] = row->to;
	assert_int_equal(netsyn_parse(in, len, &s), row->good ? 0 : -EPROTO);
	if (row->good) {
		assert_int_equal(ntohs(s.from.sin_port), 40000);
		assert_int_equal(ntohs(s.to.sin_port), 443);
		assert_int_equal(s.from.sin_addr.s_addr, inet_addr("198.18.0.9"));
		assert_int_equal(s.to.sin_addr.s_addr, inet_addr("198.18.0.16"));
		assert_true(s.seq == UINT32_MAX);
		assert_int_equal(s.tcp_len, 20 + OPTIONS);
	}
	free(in);
}

/* RFC 1071: with its checksum in it the sum of a packet is all ones. */
static uint16_t sum(const uint8_t *at, size_t len, uint32_t start)
{
	uint64_t all = start;

	for (size_t i = 0; i < len; i += 2)
		all += (uint32_t)at[i] << 8 | (i + 1 < len ? at[i + 1] : 0);
	while (all >> 16)
		all = (all & 0xffff) + (all >> 16);
	return (uint16_t)all;
}

/* With the two addresses, the protocol and the length (RFC 9293, 3.1). */
static uint16_t tcp_sum(const uint8_t *ip, size_t len)
{
	return sum(ip + FIRST, len - FIRST,
		   sum(ip + 12, 8, 0) + IPPROTO_TCP + (uint32_t)(len - FIRST));
}

static void ends_are(const uint8_t *ip, const char *from, const char *to)
{
	char text[INET_ADDRSTRLEN];

	assert_string_equal(inet_ntop(AF_INET, ip + 12, text, sizeof(text)), from);
	assert_string_equal(inet_ntop(AF_INET, ip + 16, text, sizeof(text)), to);
}

static void sent_again(void)
{
	uint8_t out[NETSYN_PACKET];
	struct netsyn s;
	size_t len;

	assert_int_equal(netsyn_parse(packet, sizeof(packet), &s), 0);
	len = netsyn_again(&s, out);
	assert_int_equal(len, sizeof(packet));
	ends_are(out, "198.18.0.9", "198.18.0.16");
	assert_int_equal(tcp_sum(out, len), 0xffff);
	assert_memory_equal(out + FIRST, packet + FIRST, 16);
	assert_memory_equal(out + FIRST + 20, packet + FIRST + 20, OPTIONS);
}

static void answered_as_closed(void)
{
	uint8_t out[NETSYN_PACKET];
	struct tcphdr tcp;
	struct netsyn s;
	size_t len;

	assert_int_equal(netsyn_parse(packet, sizeof(packet), &s), 0);
	len = netsyn_reset(&s, out);
	assert_int_equal(len, 40);
	ends_are(out, "198.18.0.16", "198.18.0.9");
	assert_int_equal(tcp_sum(out, len), 0xffff);
	memcpy(&tcp, out + FIRST, sizeof(tcp));
	assert_true(tcp.rst && tcp.ack && !tcp.syn && !tcp.fin);
	assert_int_equal(tcp.ack_seq, 0); /* one more than the last number */
	assert_int_equal(ntohs(tcp.source), 443);
	assert_int_equal(ntohs(tcp.dest), 40000);
}

static void answered_as_far(void)
{
	uint8_t out[NETSYN_PACKET];
	struct netsyn s;
	size_t len;

	assert_int_equal(netsyn_parse(packet, sizeof(packet), &s), 0);
	len = netsyn_unreachable(&s, out);
	assert_int_equal(len, 20 + 8 + 20 + 8);
	ends_are(out, "198.18.0.16", "198.18.0.9");
	assert_int_equal(out[9], IPPROTO_ICMP);
	assert_int_equal(sum(out + FIRST, len - FIRST, 0), 0xffff);
	assert_int_equal(out[FIRST], 3);
	assert_int_equal(out[FIRST + 1], 1);
	ends_are(out + FIRST + 8, "198.18.0.9", "198.18.0.16");
	assert_memory_equal(out + FIRST + 8 + 20, packet + FIRST, 8);
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "sent again", sent_again },
		{ "answered as a closed port", answered_as_closed },
		{ "answered as out of reach", answered_as_far },
	};

	return unit_rows("netsyn_parse", rows, test_row) + unit_cases("netsyn", cases);
}
