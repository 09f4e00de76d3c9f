/* netsyn - the first packet of a TCP connection over IPv4 (SYN): read, sent on once more,
 * or answered as a host answers that does not want it.
 * Needs:  the packet as a packet socket of the network namespace delivers it.
 * Owns:   nothing.
 * Never:  trusts a length in the packet; keeps more of it than the TCP header. */
#ifndef RUNTIME_NET_SYN_H
#define RUNTIME_NET_SYN_H

#include <netinet/in.h>
#include <stddef.h>
#include <stdint.h>

/* On the packets that are sent on: the rules let them through (netrules_held()), and the
 * packet socket passes them over. Nobody in a box may set a mark (CAP_NET_RAW). */
enum { NETSYN_MARK = 0x63756262 };
enum {
	NETSYN_TCP = 60,   /* a TCP header at the most */
	NETSYN_PACKET = 80 /* that and an IPv4 header without options */
};

struct netsyn {
	struct sockaddr_in from, to; /* the program's socket; where it wants to go */
	uint32_t seq;		     /* the same in what is sent again */
	uint8_t tcp[NETSYN_TCP];     /* its header with all options */
	size_t tcp_len;
};

/**
 * netsyn_parse() - @packet: from its IPv4 header on; may be cut behind the TCP header
 * Return: 0, or -EPROTO: it is no first packet of a TCP connection, or not whole.
 */
int netsyn_parse(const void *packet, size_t len, struct netsyn *ret);

/**
 * netsyn_again() - the same packet, for a raw socket (IPPROTO_RAW), to @s->to
 *
 * Without data and IP options; a packet socket gets it before its checksum is made. The
 * kernel fills in the rest of the IP header, as for those below. Return: bytes.
 */
size_t netsyn_again(const struct netsyn *s, uint8_t ret[NETSYN_PACKET]);

/** netsyn_reset() - the answer of a closed port, to @s->from: its connect fails with
 *  ECONNREFUSED (RFC 9293, 3.10.7.1) */
size_t netsyn_reset(const struct netsyn *s, uint8_t ret[NETSYN_PACKET]);

/** netsyn_unreachable() - the answer of a router that knows no way, to @s->from: connect
 *  fails with EHOSTUNREACH (RFC 792) */
size_t netsyn_unreachable(const struct netsyn *s, uint8_t ret[NETSYN_PACKET]);

#endif
