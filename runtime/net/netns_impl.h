/* netns_impl - the part of netns that its test needs besides.
 * Needs:  what netns.h needs.
 * Owns:   nothing of its own.
 * Never:  is included by anything but netns.c and tests. */
#ifndef RUNTIME_NET_NETNS_IMPL_H
#define RUNTIME_NET_NETNS_IMPL_H

#include "runtime/net/netns.h"

enum {
	NETNS_SEGMENT = 192 << 10, /* bytes on their way to or from the gate at once */
	NETNS_GSO_IPV4_MAX_SIZE = 63, /* linux/if_link.h has these as IFLA_ since 6.3 */
	NETNS_GRO_IPV4_MAX_SIZE = 64
};

/** netns_setup_from() - netns_setup() as on a kernel that has nothing better than
 *  @first: the fallbacks must be tested where the best is there */
int netns_setup_from(enum net_mode mode, enum netns_catch first, struct netns_fds *ret,
		     struct err *e);

#endif
