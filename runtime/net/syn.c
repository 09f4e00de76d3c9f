#include "runtime/net/syn.h"

#include <errno.h>
#include <netinet/ip.h>
#include <netinet/ip_icmp.h>
#include <netinet/tcp.h>
#include <string.h>

enum { IP_LEN = 20, TCP_LEN = 20, QUOTED = IP_LEN + 8, TTL = 64, FRAGMENT = 0x1fff };

_Static_assert(sizeof(struct iphdr) == IP_LEN && sizeof(struct tcphdr) == TCP_LEN,
	       "without options");
_Static_assert(NETSYN_PACKET == IP_LEN + NETSYN_TCP, "no options of IP are kept");

/* RFC 1071, in the byte order of the packet. */
static uint32_t add_up(uint32_t sum, const void *p, size_t len)
{
	const uint8_t *b = p;

	for (size_t i = 0; i < len; i++)
		sum += i & 1 ? b[i] : (uint32_t)b[i] << 8;
	return sum;
}

static uint16_t fold_sum(uint32_t sum)
{
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return htons((uint16_t)~sum);
}

int netsyn_parse(const void *packet, size_t len, struct netsyn *ret)
{
	struct iphdr ip;
	struct tcphdr tcp;
	size_t ip_len, tcp_len;

	if (len < IP_LEN)
		return -EPROTO;
	memcpy(&ip, packet, sizeof(ip));
	ip_len = ip.ihl * 4u;
	if (ip.version != 4 || ip_len < IP_LEN || ip.protocol != IPPROTO_TCP ||
	    ntohs(ip.frag_off) & (IP_MF | FRAGMENT) || len < ip_len + TCP_LEN)
		return -EPROTO;
	memcpy(&tcp, (const uint8_t *)packet + ip_len, sizeof(tcp));
	tcp_len = tcp.doff * 4u;
	if (!tcp.syn || tcp.ack || tcp.rst || tcp.fin || tcp_len < TCP_LEN ||
	    len < ip_len + tcp_len || ntohs(ip.tot_len) < ip_len + tcp_len)
		return -EPROTO;
	*ret = (struct netsyn){
		.from = { AF_INET, tcp.source, { ip.saddr }, { 0 } },
		.to = { AF_INET, tcp.dest, { ip.daddr }, { 0 } },
		.seq = ntohl(tcp.seq),
		.tcp_len = tcp_len,
	};
	memcpy(ret->tcp, (const uint8_t *)packet + ip_len, tcp_len);
	return 0;
}

/* An IPv4 header from one end to the other; the kernel adds its checksum (raw(7)). */
static size_t put_ip(uint8_t *at, const struct sockaddr_in *from,
		     const struct sockaddr_in *to, uint8_t protocol, size_t len)
{
	const struct iphdr ip = { .version = 4,
				  .ihl = IP_LEN / 4,
				  .tot_len = htons((uint16_t)(IP_LEN + len)),
				  .frag_off = htons(IP_DF),
				  .ttl = TTL,
				  .protocol = protocol,
				  .saddr = from->sin_addr.s_addr,
				  .daddr = to->sin_addr.s_addr };

	memcpy(at, &ip, sizeof(ip));
	return IP_LEN + len;
}

/* The header @tcp of @len bytes behind an IPv4 header, both checked by its sum. */
static size_t put_tcp(uint8_t *ret, const struct sockaddr_in *from,
		      const struct sockaddr_in *to, const void *tcp, size_t len)
{
	const size_t check = offsetof(struct tcphdr, check);
	uint8_t *at = ret + IP_LEN;
	uint32_t sum = IPPROTO_TCP + (uint32_t)len;
	uint16_t folded = 0;

	memcpy(at, tcp, len);
	memcpy(at + check, &folded, sizeof(folded));
	sum = add_up(sum, &from->sin_addr, 4);
	sum = add_up(sum, &to->sin_addr, 4);
	folded = fold_sum(add_up(sum, at, len));
	memcpy(at + check, &folded, sizeof(folded));
	return put_ip(ret, from, to, IPPROTO_TCP, len);
}

size_t netsyn_again(const struct netsyn *s, uint8_t ret[NETSYN_PACKET])
{
	return put_tcp(ret, &s->from, &s->to, s->tcp, s->tcp_len);
}

size_t netsyn_reset(const struct netsyn *s, uint8_t ret[NETSYN_PACKET])
{
	const struct tcphdr tcp = { .source = s->to.sin_port,
				    .dest = s->from.sin_port,
				    .ack_seq = htonl(s->seq + 1),
				    .doff = TCP_LEN / 4,
				    .rst = 1,
				    .ack = 1 };

	return put_tcp(ret, &s->to, &s->from, &tcp, sizeof(tcp));
}

/* With the head of the packet that it is about, by which the kernel finds the socket. */
size_t netsyn_unreachable(const struct netsyn *s, uint8_t ret[NETSYN_PACKET])
{
	struct icmphdr icmp = { .type = ICMP_DEST_UNREACH, .code = ICMP_HOST_UNREACH };
	uint8_t *at = ret + IP_LEN;

	memcpy(at, &icmp, sizeof(icmp));
	put_ip(at + sizeof(icmp), &s->from, &s->to, IPPROTO_TCP, s->tcp_len);
	memcpy(at + sizeof(icmp) + IP_LEN, s->tcp, QUOTED - IP_LEN);
	icmp.checksum = fold_sum(add_up(0, at, sizeof(icmp) + QUOTED));
	memcpy(at, &icmp, sizeof(icmp));
	return put_ip(ret, &s->to, &s->from, IPPROTO_ICMP, sizeof(icmp) + QUOTED);
}
