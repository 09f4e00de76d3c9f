/* netrules - the nftables rules of a box's network namespace, built by hand.
 * Needs:  nf_tables in the kernel and CAP_NET_ADMIN in the namespace.
 * Owns:   the table "cubby" of the namespace.
 * Never:  touches another table; accepts anything into or out of the namespace (there
 *         is no way out to begin with). */
#ifndef RUNTIME_NET_RULES_H
#define RUNTIME_NET_RULES_H

#include <netinet/in.h>

/**
 * netrules_tproxy() - hand every new TCP connection and every DNS query to @tcp and
 *                     @dns, whatever its address; refuse other UDP and pings
 *
 * What goes to 127.0.0.0/8 is the box's own and left alone. Only the first packet of a
 * connection is looked at: no connection tracking. Both sockets need IP_TRANSPARENT.
 * Return: 0, or an errno of the kernel (-ENOENT, -EOPNOTSUPP: not built in).
 */
int netrules_tproxy(const struct sockaddr_in *tcp, const struct sockaddr_in *dns);

/**
 * netrules_held() - the same, but a connection's first packet is dropped unless it has
 *                   @mark: whoever saw it (a packet socket does, before) decides, and
 *                   sends it on with the mark (syn.h). DNS over TCP is not held.
 */
int netrules_held(const struct sockaddr_in *tcp, const struct sockaddr_in *dns,
		  uint32_t mark);

/** netrules_redirect() - the older way, by address translation: every TCP connection
 *  to 127.0.0.1:@port; DNS has to listen on every address itself */
int netrules_redirect(uint16_t port);

#endif
