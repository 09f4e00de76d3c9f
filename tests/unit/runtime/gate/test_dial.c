#include <arpa/inet.h>
#include <poll.h>
#include <stdio.h>
#include <unistd.h>

#include "base/sys/sys.h"
#include "tests/unit/networld.h"
#include "tests/unit/rig.h"
#include "tests/unit/unit.h"

static const struct hostile {
	const char *name, *host;
	const char *event; /* NULL = none */
} hostiles[] = {
	{ "name of loopback", "loop.evil.test", "loop.evil.test is 127.0.0.1 here" },
	{ "name of 0.0.0.0", "zero.evil.test", "zero.evil.test is 0.0.0.0 here" },
	{ "name of metadata", "meta.evil.test", "a cloud metadata address" },
	{ "name of ::1", "loop6.evil.test", "loop6.evil.test is ::1 here" },
	{ "name of v4-mapped", "mapped.evil.test", "mapped.evil.test is 127.0.0.1" },
	{ "name of NAT64 loopback", "nat64.evil.test", "address of this host" },
	{ "name of a private host", "private.corp.test", "a private address" },
	{ "name in the host's hosts file", "fromfile.corp.test", "a private address" },
	{ "name of the host itself", "self.evil.test", "address of this host" },
	{ "private literal", "10.0.0.1", "10.0.0.1, a private address" },
	{ "metadata literal", "169.254.169.254", "169.254.169.254, a cloud metadata" },
	{ "the host's own address", "93.184.216.200", "address of this host" },
	{ "the host by name", "host.cubby.internal", "host.cubby.internal is not" },
	{ "unassigned", "198.19.1.1", "198.19.1.1, a reserved address" },
	{ "multicast", "224.0.0.251", NULL },
	{ "broadcast", "255.255.255.255", NULL },
};

static void hostile_is_refused(const void *row)
{
	const struct hostile *h = row;
	struct rig r;

	rig_open(&r, NETNS_CATCH_HELD, NULL, NULL);
	if (!h->event) { /* the kernel itself may know better */
		struct rig_peer p = { .host = h->host, .port = 80 };

		assert_true(netbox_call(&r.box, rig_refusal, &p) < 200);
	} else {
		rig_want_refused(&r, h->host, 80);
		rig_want_event(&r, h->event);
	}
	assert_int_equal(rig_stat(&r, "opened"), 0);
	assert_int_equal(rig_stat(&r, "connections"), 0);
	rig_close(&r);
}

/* ---- a proxy-only host ---------------------------------------------------------- */

static void relay(int a, int b)
{
	char buf[65536];

	for (;;) {
		struct pollfd p[2] = { { a, POLLIN, 0 }, { b, POLLIN, 0 } };

		sys_poll(p, 2, -1);
		for (int i = 0; i < 2; i++) {
			ssize_t n;

			if (!p[i].revents)
				continue;
			n = recv(i ? b : a, buf, sizeof(buf), 0);
			if (n <= 0 || send(i ? a : b, buf, (size_t)n, 0) != n)
				_exit(0);
		}
	}
}

/* Whatever name is asked for, the internet's first address answers: only the proxy
 * knows names here. A name that begins with "no" is refused. */
static int proxied(void)
{
	struct sockaddr_in a = { .sin_family = AF_INET, .sin_port = htons(80) };
	int fd = sys_socket(AF_INET, SOCK_STREAM, 0);

	inet_pton(AF_INET, NETWORLD_PUBLIC, &a.sin_addr);
	if (connect(fd, (struct sockaddr *)&a, sizeof(a)) < 0)
		_exit(1);
	return fd;
}

static void be_http_proxy(int fd)
{
	static const char good[] = "HTTP/1.1 200 yes\r\n\r\n";
	static const char bad[] = "HTTP/1.1 403 no\r\n\r\n";
	static const char user[] = "Proxy-Authorization: Basic dTpw\r\n"; /* u:p */
	char in[4096];
	ssize_t n = recv(fd, in, sizeof(in) - 1, 0);

	in[MAX(n, 0)] = '\0';
	if (strncmp(in, "CONNECT no", 10) == 0 || !strstr(in, user)) {
		send(fd, bad, sizeof(bad) - 1, 0);
		_exit(0);
	}
	send(fd, good, sizeof(good) - 1, 0);
	relay(fd, proxied());
}

static void be_socks_proxy(int fd)
{
	uint8_t in[512];

	recv(fd, in, sizeof(in), 0);
	send(fd, "\5\0", 2, 0);
	recv(fd, in, sizeof(in), 0);
	if (in[3] == 3 && !memcmp(in + 5, "no", 2)) {
		send(fd, "\5\2\0\1\0\0\0\0\0\0", 10, 0);
		_exit(0);
	}
	send(fd, "\5\0\0\1\0\0\0\0\0\0", 10, 0);
	relay(fd, proxied());
}

static int said[2]; /* a pipe: the proxy below has said what it will say */

/* Reads what it is asked, says something, and that was all. */
static void say_only(int fd, const char *text, size_t len)
{
	char in[4096];

	(void)!recv(fd, in, sizeof(in), 0);
	send(fd, text, len, 0);
	(void)!write(said[1], "s", 1);
	while (recv(fd, in, sizeof(in), 0) > 0)
		;
	_exit(0);
}

static void be_stalled_http(int fd)
{
	say_only(fd, "HTTP/1.1 200 ye", 15);
}

static void be_stalled_socks(int fd)
{
	say_only(fd, "\5", 1);
}

static void be_endless_http(int fd)
{
	static char text[32768];

	memset(text, 'x', sizeof(text));
	memcpy(text, "HTTP/1.1 200 ", 13);
	say_only(fd, text, sizeof(text));
}

static void be_cut_http(int fd)
{
	char in[4096];

	(void)!recv(fd, in, sizeof(in), 0);
	send(fd, "HTTP/1.1 200 ye", 15, 0);
	_exit(0);
}

/* Both of its answers before it was asked anything. */
static void be_early_socks(int fd)
{
	uint8_t in[512];

	send(fd, "\5\0\5\0\0\1\0\0\0\0\0\0", 12, 0);
	recv(fd, in, 3, MSG_WAITALL);
	recv(fd, in, 5, MSG_WAITALL);
	recv(fd, in + 5, in[4] + 2u, MSG_WAITALL);
	relay(fd, proxied());
}

static pid_t serve_proxy(void (*be)(int fd), uint16_t port)
{
	struct sockaddr_in a = { .sin_family = AF_INET,
				 .sin_port = htons(port),
				 .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	int lfd = sys_socket(AF_INET, SOCK_STREAM, 0);
	pid_t pid;

	setsockopt(lfd, SOL_SOCKET, SO_REUSEADDR, &(int){ 1 }, sizeof(int));
	assert_int_equal(bind(lfd, (struct sockaddr *)&a, sizeof(a)), 0);
	assert_int_equal(listen(lfd, 16), 0);
	pid = fork();
	if (pid) {
		close(lfd);
		return pid;
	}
	sys_prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
	signal(SIGCHLD, SIG_IGN);
	for (;;) {
		int fd = accept(lfd, NULL, NULL);

		if (!fork()) {
			close(lfd); /* the next row listens there, too */
			be(fd);
		}
		close(fd);
	}
}

static const struct proxy_row {
	const char *name;
	void (*be)(int fd);
	const char *env;
} proxies[] = {
	{ "HTTP", be_http_proxy, "HTTPS_PROXY=http://u:p@127.0.0.1:3128" },
	{ "SOCKS5", be_socks_proxy, "all_proxy=socks5://127.0.0.1:3128" },
};

static void works_behind_a_proxy(const void *p)
{
	const struct proxy_row *row = p;
	const char *const env[] = { row->env, "no_proxy=other.example.com", NULL };
	pid_t pid = serve_proxy(row->be, 3128);
	struct rig r;

	rig_open(&r, NETNS_CATCH_HELD, "[\"allow *\",\"deny bad.test\"]", env);
	rig_want(&r, CURL "http://only-the-proxy-knows.test/", 0,
		 "reached 93.184.216.34");
	assert_int_equal(networld_queries("only-the-proxy-knows.test"), 0);
	rig_want(&r, CURL "http://other.example.com/", 0, "reached 93.184.216.35");
	rig_want_refused(&r, "not-for-you.test", 80);
	rig_want(&r, CURL "http://bad.test/", 6, "Could not resolve");
	rig_want_refused(&r, "10.0.0.1", 80);
	rig_want_audit(&r, "\"proxy\":\"127.0.0.1\"");
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	rig_want_refused(&r, "only-the-proxy-knows.test", 80); /* it is gone */
	assert_int_equal(rig_stat(&r, "connections"), 0);
	rig_close(&r);
}

static const struct proxy_row stalled[] = {
	{ "HTTP", be_stalled_http, "HTTPS_PROXY=http://127.0.0.1:3128" },
	{ "SOCKS5", be_stalled_socks, "all_proxy=socks5://127.0.0.1:3128" },
};

/* A proxy that does not say it all is waited for, without any work. */
static void a_stalled_proxy_is_waited_for(const void *p)
{
	const struct proxy_row *row = p;
	const char *const env[] = { row->env, NULL };
	struct rig r;
	pid_t proxy, box;
	char c;

	assert_int_equal(sys_pipe2(said, 0), 0);
	proxy = serve_proxy(row->be, 3128);
	rig_open(&r, NETNS_CATCH_HELD, NULL, env);
	box = netbox_spawn(&r.box, CURL "http://93.184.216.34/", -1);
	assert_int_equal(sys_read(said[0], &c, 1), 1);
	rig_idle(&r);
	assert_int_equal(rig_stat(&r, "connections"), 1);
	kill(-box, SIGKILL);
	kill(proxy, SIGKILL);
	waitpid(box, NULL, 0);
	waitpid(proxy, NULL, 0);
	rig_close(&r);
	close(said[0]);
	close(said[1]);
}

static const struct proxy_row broken[] = {
	{ "no end", be_endless_http, "HTTPS_PROXY=http://127.0.0.1:3128" },
	{ "cut", be_cut_http, "HTTPS_PROXY=http://127.0.0.1:3128" },
};

static void a_broken_proxy_is_given_up(const void *p)
{
	const struct proxy_row *row = p;
	const char *const env[] = { row->env, NULL };
	struct rig r;
	pid_t proxy;

	assert_int_equal(sys_pipe2(said, 0), 0);
	proxy = serve_proxy(row->be, 3128);
	rig_open(&r, NETNS_CATCH_HELD, NULL, env);
	rig_want_refused(&r, NETWORLD_PUBLIC, 80);
	rig_want_audit(&r, "\"verdict\":\"failed\"");
	kill(proxy, SIGKILL);
	waitpid(proxy, NULL, 0);
	rig_close(&r);
	close(said[0]);
	close(said[1]);
}

static void an_early_answer_counts(void)
{
	const char *const env[] = { "all_proxy=socks5://127.0.0.1:3128", NULL };
	pid_t proxy = serve_proxy(be_early_socks, 3128);
	struct rig r;

	rig_open(&r, NETNS_CATCH_HELD, NULL, env);
	rig_want(&r, CURL "http://only-the-proxy-knows.test/", 0,
		 "reached 93.184.216.34");
	kill(proxy, SIGKILL);
	waitpid(proxy, NULL, 0);
	rig_close(&r);
}

int main(int argc, char **argv)
{
	static const struct unit_case cases[] = {
		{ "an early answer counts", an_early_answer_counts },
	};
	int r = 0;

	if (rig_main(argc, argv, &r))
		return r;
	r |= unit_rows("gate hostile", hostiles, hostile_is_refused);
	r |= unit_rows("gate proxy", proxies, works_behind_a_proxy);
	r |= unit_rows("gate stalled proxy", stalled, a_stalled_proxy_is_waited_for);
	r |= unit_rows("gate broken proxy", broken, a_broken_proxy_is_given_up);
	return r | unit_cases("gate dial", cases);
}
