/* netns - makes a fresh network namespace into the inside of a gate: every address is
 * local, every TCP connect arrives at sockets that were made here and are served
 * outside. All by netlink; no program is run.
 * Needs:  a new network namespace and CAP_NET_ADMIN in it.
 * Owns:   the descriptors it returned, until they are handed on.
 * Never:  adds an interface or a way out: what is not redirected ends in here. */
#ifndef RUNTIME_NET_NETNS_H
#define RUNTIME_NET_NETNS_H

#include "base/err.h"
#include "base/scope.h"
#include "runtime/spec/spec.h"

/* The address of the box's resolver and of the gate itself. The rest of 198.18.0.0/15
 * (RFC 2544: never routed on the internet) is given to names: gate/names.h. */
#define NETNS_GATE_ADDR "198.18.0.1"

/* For bytes that do not leave the machine, whatever the host has for those that do. */
#define NETNS_CONGESTION "reno"

/* Content of the box's /etc/resolv.conf, by enum net_mode; under NET_NONE resolvers ask
 * the box itself, where nobody answers: a lookup fails at once. */
#define NETNS_RESOLV_GATE      \
	"# written by cubby\n" \
	"nameserver " NETNS_GATE_ADDR "\n"
#define NETNS_RESOLV_NONE "# written by cubby: this box has no network\n"

/* Content of the box's /etc/hosts: a format with one %s, the box's host name. */
#define NETNS_HOSTS              \
	"# written by cubby\n"   \
	"127.0.0.1\tlocalhost\n" \
	"127.0.1.1\t%s\n"        \
	"::1\tlocalhost ip6-localhost ip6-loopback\n"

/* Which descriptor is which; -1 = not there in this mode. */
enum netns_fd {
	NETNS_FD_DIAG,	/* netlink sock_diag of the namespace: who listens */
	NETNS_FD_SOCKS, /* asks init for sockets of the namespace: sock.h */
	NETNS_FD_DNS,	/* UDP, port 53 */
	NETNS_FD_SYN,	/* packet socket: first packets that are held; syn.h */
	NETNS_FD_RAW,	/* raw socket: sends them on, or an answer */
	NETNS_FD_TCP,	/* first TCP listener; the others follow */
	NETNS_FDS = 10
};
enum { NETNS_TCP_MAX = NETNS_FDS - NETNS_FD_TCP };

enum netns_catch {
	NETNS_CATCH_NONE,     /* NET_NONE: nothing is caught */
	NETNS_CATCH_HELD,     /* as below; and a connection is not answered before the
				 one who serves it says so */
	NETNS_CATCH_TPROXY,   /* nftables tproxy: every port, address kept */
	NETNS_CATCH_REDIRECT, /* nftables redirect: every port, SO_ORIGINAL_DST */
	NETNS_CATCH_PORTS     /* no nftables: the listed ports alone */
};
const char *netns_catch_name(enum netns_catch c); /* "held", … */

/* What was achieved; plain data, travels beside the descriptors. */
struct netns_facts {
	uint8_t caught; /* enum netns_catch */
	uint8_t ipv6; /* 1: loopback has ::1; 0: the kernel has no IPv6. Nothing else of
			 IPv6 is ever reachable: no route, refused at once */
	uint8_t n_tcp; /* TCP listeners */
	uint8_t pad;
	uint16_t port[NETNS_TCP_MAX]; /* what each listens on */
};

struct netns_fds {
	int fd[NETNS_FDS]; /* owned; pass all that are not -1 out with SCM_RIGHTS */
	int init_fd;	   /* owned; stays inside: init serves it, netsock_serve() */
	struct netns_facts facts;
};
/* An initializer for as many descriptors as there may be: none is there. */
#define NETNS_NO_FD                                                      \
	{                                                                \
		-1, -1, -1, -1, -1, -1, -1, -1, -1, [NETNS_FDS - 1] = -1 \
	}
_Static_assert(NETNS_FDS == 10, "as many as NETNS_NO_FD has");
#define NETNS_FDS_NONE ((struct netns_fds){ NETNS_NO_FD, -1, { 0 } })
void netns_fds_done(struct netns_fds *f);
#define _cleanup_netns_fds_ _cleanup_(netns_fds_done)

enum {
	NETNS_SEGMENT = 192 << 10, /* bytes on their way to or from the gate at once */
	NETNS_GSO_IPV4_MAX_SIZE = 63, /* linux/if_link.h has these as IFLA_ since 6.3 */
	NETNS_GRO_IPV4_MAX_SIZE = 64
};

/**
 * netns_setup() - the whole setup, for NET_GATE and NET_NONE (NET_HOST: do not call)
 * @first: the best that is tried; what is worse where a kernel does not have it
 * @e: filled on failure only; a missing nftables is no failure (facts.caught says)
 *
 * Context: with every capability in the box's user namespace, whose ids need not be
 * mapped yet, in its new network namespace.
 */
int netns_setup(enum net_mode mode, enum netns_catch first, struct netns_fds *ret,
		struct err *e);

/**
 * netns_sysctls() - conveniences, no safety: low ports and ping for everybody in the box
 *
 * Context: in the network namespace, once ids are mapped (a range of unmapped groups is
 * refused) and before the old root goes. A missing procfs is no failure.
 */
void netns_sysctls(void);

#endif
