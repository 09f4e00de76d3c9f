#include "runtime/net/sock.h"

#include <string.h>

#include "base/scope.h"
#include "base/sys/sys.h"

/* A request is one byte: 4 or 6. The answer is the same byte with the socket, or 0 with
 * none when it could not be made. */

static int send_socket(int fd, char byte, int sock)
{
	char control[CMSG_SPACE(sizeof(int))] = { 0 };
	struct iovec iov = { .iov_base = &byte, .iov_len = 1 };
	struct msghdr m = { .msg_iov = &iov, .msg_iovlen = 1 };
	struct cmsghdr *c;

	if (sock >= 0) {
		m.msg_control = control;
		m.msg_controllen = sizeof(control);
		c = CMSG_FIRSTHDR(&m);
		c->cmsg_level = SOL_SOCKET;
		c->cmsg_type = SCM_RIGHTS;
		c->cmsg_len = CMSG_LEN(sizeof(int));
		memcpy(CMSG_DATA(c), &sock, sizeof(int));
	}
	return (int)sys_sendmsg(fd, &m, MSG_DONTWAIT);
}

int netsock_serve(int fd)
{
	_cleanup_close_ int sock = -1;
	char byte = 0;
	ssize_t n = sys_recv(fd, &byte, 1, MSG_DONTWAIT);
	int r;

	if (n == -EAGAIN)
		return 0;
	if (n <= 0)
		return n < 0 ? (int)n : -ECONNRESET;
	if (byte != 4 && byte != 6)
		return -EPROTO;
	sock = sys_socket(byte == 4 ? AF_INET : AF_INET6, SOCK_STREAM | SOCK_NONBLOCK,
			  0);
	r = send_socket(fd, sock < 0 ? 0 : byte, sock);
	return r < 0 && r != -EAGAIN ? r : 0;
}

int netsock_ask(int fd, int family)
{
	char byte = family == AF_INET6 ? 6 : 4;
	ssize_t n = sys_send(fd, &byte, 1, MSG_DONTWAIT);

	return n < 0 ? (int)n : 0;
}

static int first_fd(struct msghdr *m)
{
	struct cmsghdr *c = CMSG_FIRSTHDR(m);
	int fd = -1;

	if (c && c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_RIGHTS &&
	    c->cmsg_len == CMSG_LEN(sizeof(int)))
		memcpy(&fd, CMSG_DATA(c), sizeof(int));
	return fd;
}

int netsock_take(int fd)
{
	_cleanup_close_ int sock = -1;
	char control[CMSG_SPACE(sizeof(int))];
	char byte;
	struct iovec iov = { .iov_base = &byte, .iov_len = 1 };
	struct msghdr m = { .msg_iov = &iov,
			    .msg_iovlen = 1,
			    .msg_control = control,
			    .msg_controllen = sizeof(control) };
	int domain = 0, type = 0, r;
	ssize_t n = sys_recvmsg(fd, &m, MSG_DONTWAIT);

	if (n <= 0)
		return n < 0 ? (int)n : -ECONNRESET;
	sock = first_fd(&m);
	if (m.msg_flags & (MSG_TRUNC | MSG_CTRUNC))
		return -EPROTO;
	if (sock < 0)
		return -EMFILE; /* init could not make one */
	/* It came from the box: only believe a TCP socket. */
	r = sys_getsockopt(sock, SOL_SOCKET, SO_DOMAIN, &domain,
			   &(socklen_t){ sizeof(domain) });
	if (r >= 0)
		r = sys_getsockopt(sock, SOL_SOCKET, SO_TYPE, &type,
				   &(socklen_t){ sizeof(type) });
	if (r < 0 || type != SOCK_STREAM || (domain != AF_INET && domain != AF_INET6))
		return -EPROTO;
	r = sys_setfl(sock, O_RDWR | O_NONBLOCK);
	return r < 0 ? r : take(&sock, -1);
}
