/* sys_net - doors for sockets. Included by base/sys/sys.h alone. */
#ifndef BASE_SYS_NET_H
#define BASE_SYS_NET_H

#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/sys/ret.h"

static inline int sys_socket(int family, int type, int protocol)
{
	return (int)sys_ret(socket(family, type | SOCK_CLOEXEC, protocol));
}

static inline int sys_socketpair(int type, int fds[2])
{
	return (int)sys_ret(socketpair(AF_UNIX, type | SOCK_CLOEXEC, 0, fds));
}

static inline int sys_bind(int fd, const struct sockaddr *a, socklen_t n)
{
	return (int)sys_ret(bind(fd, a, n));
}

static inline int sys_listen(int fd, int backlog)
{
	return (int)sys_ret(listen(fd, backlog));
}

static inline int sys_accept(int fd, struct sockaddr *a, socklen_t *n)
{
	return (int)sys_retry(accept4(fd, a, n, SOCK_CLOEXEC | SOCK_NONBLOCK));
}

static inline int sys_connect(int fd, const struct sockaddr *a, socklen_t n)
{
	return (int)sys_ret(connect(fd, a, n));
}

static inline ssize_t sys_send(int fd, const void *p, size_t n, int flags)
{
	return (ssize_t)sys_retry(send(fd, p, n, flags | MSG_NOSIGNAL));
}

static inline ssize_t sys_recv(int fd, void *p, size_t n, int flags)
{
	return (ssize_t)sys_retry(recv(fd, p, n, flags));
}

static inline ssize_t sys_sendmsg(int fd, const struct msghdr *m, int flags)
{
	return (ssize_t)sys_retry(sendmsg(fd, m, flags | MSG_NOSIGNAL));
}

static inline ssize_t sys_recvmsg(int fd, struct msghdr *m, int flags)
{
	return (ssize_t)sys_retry(recvmsg(fd, m, flags | MSG_CMSG_CLOEXEC));
}

/* As many as are there, with MSG_DONTWAIT. For sockets that bring no descriptors: packet
 * sockets refuse MSG_CMSG_CLOEXEC. */
static inline int sys_recvmmsg(int fd, struct mmsghdr *m, unsigned n, int flags)
{
	return (int)sys_retry(recvmmsg(fd, m, n, flags, NULL));
}

static inline ssize_t sys_sendto(int fd, const void *p, size_t n,
				 const struct sockaddr *to, socklen_t len)
{
	return (ssize_t)sys_retry(sendto(fd, p, n, MSG_NOSIGNAL, to, len));
}

static inline int sys_shutdown(int fd, int how)
{
	return (int)sys_ret(shutdown(fd, how));
}

static inline int sys_getsockname(int fd, struct sockaddr *a, socklen_t *n)
{
	return (int)sys_ret(getsockname(fd, a, n));
}

static inline int sys_getsockopt(int fd, int level, int name, void *v, socklen_t *n)
{
	return (int)sys_ret(getsockopt(fd, level, name, v, n));
}

static inline int sys_setsockopt(int fd, int level, int name, const void *v,
				 socklen_t n)
{
	return (int)sys_ret(setsockopt(fd, level, name, v, n));
}

#endif
