#include "agent/server/conf/listen.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/num.h"
#include "base/scope.h"
#include "base/sys/sys.h"
#include "base/text.h"

enum { BACKLOG = 512 };

static int bad_address(const char *text, struct err *e)
{
	err_set(e, -EINVAL, "bad address '%s'", text_shown(text));
	return err_hint(e, "such as 127.0.0.1:8000, [::1]:8000 or unix:/run/x.sock");
}

static int parse_path(const char *path, const char *text, struct listen_address *ret,
		      struct err *e)
{
	if (path[0] != '/' || strlen(path) >= sizeof(ret->a.path.sun_path))
		return bad_address(text, e);
	ret->a.path.sun_family = AF_UNIX;
	(void)text_copy(ret->a.path.sun_path, sizeof(ret->a.path.sun_path), path);
	ret->len = sizeof(ret->a.path);
	ret->here = true;
	return 0;
}

int listen_parse(const char *text, struct listen_address *ret, struct err *e)
{
	struct listen_address a = { .len = 0 };
	const char *colon = strrchr(text, ':');
	char host[64] = "";
	uint64_t port;
	size_t len;

	if (text_starts(text, "unix:")) {
		int r = parse_path(text + 5, text, &a, e);

		if (r < 0)
			return r;
		*ret = a;
		return 0;
	}
	len = colon ? (size_t)(colon - text) : 0;
	if (!len || len >= sizeof(host) || num_range(colon + 1, 0, 65535, &port) < 0)
		return bad_address(text, e);
	memcpy(host, text, len);
	if (host[0] == '[' && host[len - 1] == ']') {
		host[len - 1] = '\0';
		if (inet_pton(AF_INET6, host + 1, &a.a.v6.sin6_addr) != 1)
			return bad_address(text, e);
		a.a.v6.sin6_family = AF_INET6;
		a.a.v6.sin6_port = htons((uint16_t)port);
		a.len = sizeof(a.a.v6);
		a.here = IN6_IS_ADDR_LOOPBACK(&a.a.v6.sin6_addr);
	} else {
		if (strcmp(host, "localhost") == 0)
			(void)text_copy(host, sizeof(host), "127.0.0.1");
		if (inet_pton(AF_INET, host, &a.a.v4.sin_addr) != 1)
			return bad_address(text, e);
		a.a.v4.sin_family = AF_INET;
		a.a.v4.sin_port = htons((uint16_t)port);
		a.len = sizeof(a.a.v4);
		a.here = ntohl(a.a.v4.sin_addr.s_addr) >> 24 == 127;
	}
	*ret = a;
	return 0;
}

void listen_text(const struct listen_address *a, bool tls, char *out, size_t size)
{
	char host[64] = "";

	if (a->a.any.sa_family == AF_UNIX) {
		snprintf(out, size, "unix:%s", a->a.path.sun_path);
	} else if (a->a.any.sa_family == AF_INET6) {
		inet_ntop(AF_INET6, &a->a.v6.sin6_addr, host, sizeof(host));
		snprintf(out, size, "http%s://[%s]:%u", tls ? "s" : "", host,
			 ntohs(a->a.v6.sin6_port));
	} else {
		inet_ntop(AF_INET, &a->a.v4.sin_addr, host, sizeof(host));
		snprintf(out, size, "http%s://%s:%u", tls ? "s" : "", host,
			 ntohs(a->a.v4.sin_port));
	}
}

static const char *last_name(const struct listen_address *a)
{
	return strrchr(a->a.path.sun_path, '/') + 1;
}

/* Through the directory that is held: what its path leads to may be another by now. */
static int reach(const struct listen_address *a, struct sockaddr_un *ret)
{
	ret->sun_family = AF_UNIX;
	return snprintf(ret->sun_path, sizeof(ret->sun_path), "/proc/self/fd/%d/%s",
			a->dir, last_name(a)) < (int)sizeof(ret->sun_path)
		       ? 0
		       : -ENAMETOOLONG;
}

void listen_remove(const struct listen_address *a)
{
	struct stat st;

	if (sys_fstatat(a->dir, last_name(a), &st, AT_SYMLINK_NOFOLLOW) == 0 &&
	    S_ISSOCK(st.st_mode))
		(void)sys_unlinkat(a->dir, last_name(a), 0);
}

/* A server that was killed leaves its path behind. */
static int bind_path(int fd, const struct listen_address *a)
{
	_cleanup_close_ int probe = sys_socket(AF_UNIX, SOCK_STREAM, 0);
	struct sockaddr_un at;
	int r = reach(a, &at);
	mode_t old;

	if (r < 0)
		return r;
	if (probe >= 0 &&
	    sys_connect(probe, (struct sockaddr *)&at, sizeof(at)) == -ECONNREFUSED)
		listen_remove(a);
	old = sys_umask(0177);
	r = sys_bind(fd, (struct sockaddr *)&at, sizeof(at));
	sys_umask(old);
	return r;
}

int listen_open(struct listen_address *a, struct err *e)
{
	bool path = a->a.any.sa_family == AF_UNIX;
	_cleanup_close_ int fd =
		sys_socket(a->a.any.sa_family, SOCK_STREAM | SOCK_NONBLOCK, 0);
	char shown[160];
	int r = fd, one = 1;

	listen_text(a, false, shown, sizeof(shown));
	if (r >= 0 && path)
		r = bind_path(fd, a);
	else if (r >= 0)
		r = sys_setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one))
			    ?: sys_bind(fd, &a->a.any, a->len);
	if (r >= 0)
		r = sys_listen(fd, BACKLOG);
	if (r >= 0 && !path)
		r = sys_getsockname(fd, &a->a.any, &a->len);
	if (r < 0)
		return err_sys(e, r, "cannot listen on %s", shown);
	return take(&fd, -1);
}
