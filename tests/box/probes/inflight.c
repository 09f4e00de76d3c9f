/* inflight - "inflight N": sends N descriptors that nobody receives, says how many went and
 * how it ended, and holds them until its input ends. What is in flight the kernel counts by
 * user, whichever processes and boxes have it. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

enum { EACH = 250, PAIRS = 400 };

static int send_some(int sock, int n)
{
	char room[CMSG_SPACE(sizeof(int) * EACH)] = { 0 };
	struct iovec one = { "x", 1 };
	struct msghdr m = { .msg_iov = &one,
			    .msg_iovlen = 1,
			    .msg_control = room,
			    .msg_controllen = CMSG_SPACE(sizeof(int) * (size_t)n) };
	struct cmsghdr *c = CMSG_FIRSTHDR(&m);
	int fds[EACH] = { 0 };

	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN(sizeof(int) * (size_t)n);
	memcpy(CMSG_DATA(c), fds, sizeof(int) * (size_t)n);
	return sendmsg(sock, &m, MSG_DONTWAIT) < 0 ? -errno : 0;
}

int main(int argc, char **argv)
{
	int want = argc > 1 ? atoi(argv[1]) : 1, sent = 0, r = 0, pair[2] = { -1, -1 };
	struct rlimit l;
	char c;

	getrlimit(RLIMIT_NOFILE, &l);
	l.rlim_cur = want > EACH ? l.rlim_max : l.rlim_cur;
	setrlimit(RLIMIT_NOFILE, &l);
	for (int i = 0; i < PAIRS && sent < want && !r; i++) {
		if (socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair) < 0)
			break;
		for (int k = 0; k < 4 && sent < want; k++) {
			int n = want - sent < EACH ? want - sent : EACH;

			r = send_some(pair[0], n);
			if (r < 0)
				break;
			sent += n;
		}
	}
	printf("%d %s\n", sent, r ? strerrorname_np(-r) : "ok");
	fflush(stdout);
	while (read(0, &c, 1) > 0)
		;
	return 0;
}
