#include "tests/unit/httpserve.h"

#include <arpa/inet.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "base/sys/sys.h"
#include "tests/unit/unit.h"

enum { REQUEST_MAX = 4 << 20 };

int httpserve_listen(int *port)
{
	struct sockaddr_in a = { .sin_family = AF_INET,
				 .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t n = sizeof(a);
	int fd = sys_socket(AF_INET, SOCK_STREAM, 0);

	assert_true(fd >= 0 && !sys_bind(fd, (struct sockaddr *)&a, n));
	assert_true(!sys_listen(fd, 8) &&
		    !sys_getsockname(fd, (struct sockaddr *)&a, &n));
	*port = ntohs(a.sin_port);
	return fd;
}

/* Reads head and body of a request into @b; false at the end of the connection. */
static bool read_request(int fd, struct buf *b)
{
	const char *end = NULL, *length;
	size_t want = SIZE_MAX;

	while (b->len < want) {
		ssize_t n;

		if (buf_reserve(b, 65536) < 0)
			return false;
		n = read(fd, b->data + b->len, 65536);
		if (n <= 0)
			return false;
		buf_commit(b, (size_t)n);
		end = end ? end : strstr(b->data, "\r\n\r\n");
		if (!end || want != SIZE_MAX)
			continue;
		length = strcasestr(b->data, "\r\ncontent-length: ");
		want = (size_t)(end + 4 - b->data) +
		       (length && length < end ? strtoul(length + 18, NULL, 10) : 0);
		end = b->data; /* may move */
	}
	return true;
}

static void answer(int fd, const char *text, int port)
{
	_cleanup_buf_ struct buf b = BUF_INIT(1 << 20);
	const char *at = strstr(text, "%d");
	struct err e;

	buf_add(&b, text, at ? (size_t)(at - text) : strlen(text));
	if (at)
		buf_addf(&b, "%d%s", port, at + 2);
	file_write_fd(fd, b.data, b.len, &e);
}

static void serve(int listener, const struct httpserve_script *s, int seen_fd)
{
	int fd = -1;

	for (int i = 0; i < HTTPSERVE_ANSWERS && s->answers[i]; i++) {
		_cleanup_buf_ struct buf b = BUF_INIT(REQUEST_MAX);
		struct err e;

		if (fd < 0)
			fd = accept(listener, NULL, NULL);
		if (!read_request(fd, &b))
			break;
		file_write_fd(seen_fd, b.data, b.len, &e);
		answer(fd, s->answers[i], s->other_port);
		if (s->keep || (s->hang && !s->answers[i + 1]))
			continue;
		close(fd);
		fd = -1;
	}
	if (s->hang)
		(void)!read(fd, &(char){ 0 }, 1);
}

struct httpserve httpserve_start(const struct httpserve_script *s)
{
	struct httpserve ret;
	int listener = httpserve_listen(&ret.port);

	ret.seen_fd = sys_memfd("seen", 0);
	assert_true(ret.seen_fd >= 0);
	ret.pid = sys_fork();
	if (!ret.pid) {
		signal(SIGPIPE, SIG_IGN);
		serve(listener, s, ret.seen_fd);
		sys_exit(0);
	}
	close(listener);
	return ret;
}

/* Ends the server; what it saw goes to @seen, if that is given. */
void httpserve_stop(struct httpserve *s, struct buf *seen)
{
	struct err e = ERR_NONE;

	sys_kill(s->pid, SIGKILL);
	waitpid(s->pid, NULL, 0);
	sys_lseek(s->seen_fd, 0, SEEK_SET);
	if (seen)
		unit_ok(file_read_fd(s->seen_fd, seen, &e), &e);
	close(s->seen_fd);
}

const char *httpserve_url(const struct httpserve *s, const char *path)
{
	static char url[100]; /* one at a time */

	snprintf(url, sizeof(url), "http://127.0.0.1:%d%s", s->port, path);
	return url;
}
