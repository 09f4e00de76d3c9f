/* bridge - the applet that connects to a port of the box: standard input and output are
 * the connection.
 * Owns:   the connection.
 * Never:  connects to anything but this box's own loopback. */
#include "runtime/init/applets.h"

#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>

#include "base/buf.h"
#include "base/num.h"
#include "base/scope.h"
#include "base/sys/sys.h"

enum { CHUNK = 32 << 10 };

/* One direction. */
struct way {
	int from, to;
	struct buf kept;
	bool ended; /* nothing more comes, and all has left */
};

static int dial(uint16_t port, struct err *e)
{
	const struct sockaddr_in v4 = { .sin_family = AF_INET,
					.sin_port = htons(port),
					.sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	const struct sockaddr_in6 v6 = { .sin6_family = AF_INET6,
					 .sin6_port = htons(port),
					 .sin6_addr = IN6ADDR_LOOPBACK_INIT };
	_cleanup_close_ int fd = sys_socket(AF_INET, SOCK_STREAM, 0);
	int r = fd < 0 ? fd : sys_connect(fd, (const struct sockaddr *)&v4, sizeof(v4));

	if (r == -ECONNREFUSED) {
		scope_close(&fd);
		fd = sys_socket(AF_INET6, SOCK_STREAM, 0);
		r = fd < 0 ? fd
			   : sys_connect(fd, (const struct sockaddr *)&v6, sizeof(v6));
	}
	if (r < 0)
		return err_set(e, -ECONNREFUSED, "Connection refused: localhost:%u",
			       port);
	return take(&fd, -1);
}

/* false: the connection is over */
static bool move(struct way *w, short from, short to)
{
	ssize_t n;

	if (from && buf_reserve(&w->kept, CHUNK) == 0) {
		n = sys_read(w->from, w->kept.data + w->kept.len, CHUNK);
		if (n > 0)
			buf_commit(&w->kept, (size_t)n);
		else if (n != -EAGAIN)
			w->from = -1;
	}
	if (w->kept.len && (to || from)) {
		n = sys_write(w->to, w->kept.data, w->kept.len);
		if (n > 0)
			buf_consume(&w->kept, (size_t)n);
		else if (n != -EAGAIN)
			return false;
	}
	w->ended = w->from < 0 && !w->kept.len;
	return true;
}

static short wants(const struct way *w)
{
	return w->from >= 0 && w->kept.len < CHUNK ? POLLIN : 0;
}

static void carry_both(int fd)
{
	struct way in = { 0, fd, BUF_INIT(2L * CHUNK), false };
	struct way out = { fd, 1, BUF_INIT(2L * CHUNK), false };
	bool told = false, good = true;

	while (good && !out.ended) {
		struct pollfd p[] = {
			{ in.from, wants(&in), 0 },
			{ fd, (short)(wants(&out) | (in.kept.len ? POLLOUT : 0)), 0 },
			{ 1, out.kept.len ? POLLOUT : 0, 0 },
		};

		if (sys_poll(p, 3, -1) < 0)
			continue;
		if (p[2].revents & (POLLERR | POLLHUP))
			break; /* nobody reads any more */
		good = move(&in, p[0].revents, p[1].revents & POLLOUT) &&
		       move(&out, p[1].revents & ~POLLOUT, p[2].revents);
		if (in.ended && !told)
			told = sys_shutdown(fd, SHUT_WR) == 0 || true;
	}
	buf_done(&in.kept);
	buf_done(&out.kept);
}

int bridge_run(char *const argv[], struct err *e)
{
	const struct sigaction ignore = { .sa_handler = SIG_IGN };
	_cleanup_close_ int fd = -1;
	uint64_t port;

	if (num_range(argv[1], 1, 65535, &port) < 0)
		return err_set(e, -EINVAL, "bad port '%s'", argv[1]);
	(void)sys_sigaction(SIGPIPE, &ignore, NULL);
	fd = dial((uint16_t)port, e);
	if (fd < 0)
		return fd;
	sys_setfl(fd, O_RDWR | O_NONBLOCK);
	sys_setfl(0, O_RDONLY | O_NONBLOCK);
	sys_setfl(1, O_WRONLY | O_NONBLOCK);
	carry_both(fd);
	return 0;
}
