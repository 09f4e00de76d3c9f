/* netlink - requests to the kernel's network tables, built in a fixed buffer.
 * Needs:  what the request needs (CAP_NET_ADMIN in the namespace).
 * Owns:   its buffer; the socket in nl_talk() only while it asks.
 * Never:  allocates: it runs in the child between clone and exec. */
#ifndef RUNTIME_NET_NETLINK_H
#define RUNTIME_NET_NETLINK_H

#include <linux/netlink.h>

#include "base/err.h"

enum { NETLINK_ROOM = 8192 };

struct netlink {
	_Alignas(NLMSG_ALIGNTO) char data[NETLINK_ROOM];
	size_t len;
	size_t msg;    /* where the open message begins */
	unsigned msgs; /* that ask for an answer */
	bool full;     /* something did not fit: netlink_talk() refuses */
};

void netlink_init(struct netlink *n);

/** netlink_begin() - start a message; @head is the family's own header */
void netlink_begin(struct netlink *n, uint16_t type, uint16_t flags, const void *head,
		   size_t len);
void netlink_end(struct netlink *n);

void netlink_put(struct netlink *n, uint16_t type, const void *v, size_t len);
void netlink_put_str(struct netlink *n, uint16_t type, const char *s);
void netlink_put_be32(struct netlink *n, uint16_t type, uint32_t v);

/** netlink_nest() - open an attribute that holds others; give the value returned to
 *  netlink_close() */
size_t netlink_nest(struct netlink *n, uint16_t type);
void netlink_close(struct netlink *n, size_t at);

/**
 * netlink_talk() - send all messages on a new socket and wait for every answer
 * @protocol: NETLINK_ROUTE, NETLINK_NETFILTER
 * Return: 0, or the first errno that the kernel answered.
 */
int netlink_talk(const struct netlink *n, int protocol);

#endif
