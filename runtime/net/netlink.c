#include "runtime/net/netlink.h"

#include <arpa/inet.h>
#include <string.h>

#include "base/scope.h"
#include "base/sys/sys.h"

void netlink_init(struct netlink *n)
{
	*n = (struct netlink){ 0 };
}

/* Room for @len bytes, zeroed and padded; NULL when it does not fit. */
static void *room(struct netlink *n, size_t len)
{
	size_t padded = NLMSG_ALIGN(len);
	void *at = n->data + n->len;

	if (n->full || padded > sizeof(n->data) - n->len) {
		n->full = true;
		return NULL;
	}
	n->len += padded; /* the buffer was zeroed as a whole */
	return at;
}

void netlink_begin(struct netlink *n, uint16_t type, uint16_t flags, const void *head,
		   size_t len)
{
	size_t at = n->len;
	struct nlmsghdr *h = room(n, NLMSG_HDRLEN + len);

	if (!h)
		return;
	n->msg = at;
	h->nlmsg_type = type;
	h->nlmsg_flags = NLM_F_REQUEST | flags;
	if (flags & NLM_F_ACK)
		n->msgs++;
	memcpy((char *)h + NLMSG_HDRLEN, head, len);
}

void netlink_end(struct netlink *n)
{
	uint32_t len = (uint32_t)(n->len - n->msg);

	if (!n->full)
		memcpy(n->data + n->msg, &len, sizeof(len)); /* nlmsg_len is first */
}

void netlink_put(struct netlink *n, uint16_t type, const void *v, size_t len)
{
	struct nlattr *a = room(n, NLA_HDRLEN + len);

	if (!a)
		return;
	a->nla_type = type;
	a->nla_len = (uint16_t)(NLA_HDRLEN + len);
	if (len)
		memcpy((char *)a + NLA_HDRLEN, v, len);
}

void netlink_put_str(struct netlink *n, uint16_t type, const char *s)
{
	netlink_put(n, type, s, strlen(s) + 1);
}

void netlink_put_be32(struct netlink *n, uint16_t type, uint32_t v)
{
	netlink_put(n, type, &(uint32_t){ htonl(v) }, sizeof(v));
}

size_t netlink_nest(struct netlink *n, uint16_t type)
{
	size_t at = n->len;

	netlink_put(n, type | NLA_F_NESTED, NULL, 0);
	return at;
}

void netlink_close(struct netlink *n, size_t at)
{
	uint16_t len = (uint16_t)(n->len - at);

	if (!n->full)
		memcpy(n->data + at, &len, sizeof(len)); /* nla_len is first */
}

/* One datagram may hold several answers; @left goes down with each. */
static int read_answers(int fd, unsigned *left)
{
	_Alignas(NLMSG_ALIGNTO) char in[NETLINK_ROOM];
	ssize_t n = sys_recv(fd, in, sizeof(in), 0);
	const struct nlmsghdr *h = (const struct nlmsghdr *)in;
	int err;

	if (n < 0)
		return (int)n;
	for (; NLMSG_OK(h, n) && *left; h = NLMSG_NEXT(h, n)) {
		if (h->nlmsg_type != NLMSG_ERROR)
			continue;
		memcpy(&err, NLMSG_DATA(h), sizeof(err)); /* nlmsgerr.error is first */
		if (err < 0)
			return err;
		(*left)--;
	}
	return 0;
}

int netlink_talk(const struct netlink *n, int protocol)
{
	_cleanup_close_ int fd = sys_socket(AF_NETLINK, SOCK_RAW, protocol);
	struct timeval limit = { .tv_sec = 5 };
	unsigned left = n->msgs;
	ssize_t sent;
	int r = 0;

	if (n->full)
		return -EMSGSIZE;
	if (fd < 0)
		return fd;
	r = sys_setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
	if (r < 0)
		return r;
	sent = sys_send(fd, n->data, n->len, 0);
	if (sent < 0)
		return (int)sent;
	while (left && r >= 0)
		r = read_answers(fd, &left);
	return r;
}
