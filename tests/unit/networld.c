#include "tests/unit/networld.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "base/sys/sys.h"
#include "base/text.h"
#include "runtime/gate/dnsmsg.h"
#include "runtime/net/addr.h"

enum { LOGGED = 4096, SERVED = 6000, CHUNK = 65536 };

struct log {
	int n;
	char names[LOGGED][DNSMSG_NAME];
};
static struct log *asked; /* shared with the internet */

static const struct {
	const char *name, *addr[8];
} table[] = {
	{ "example.com", { "93.184.216.34" } },
	{ "other.example.com", { "93.184.216.35" } },
	{ "dual.example.com", { "93.184.216.34", "2606:2800:220:1::34" } },
	{ "six.example.com", { "2606:2800:220:1::34" } },
	{ "slow.example.com", { "93.184.216.99", "93.184.216.34" } },
	{ "silent.example.com", { "93.184.216.99" } },
	{ "many.example.com",
	  { NETWORLD_SILENT, NETWORLD_SILENT, NETWORLD_SILENT, NETWORLD_SILENT,
	    NETWORLD_SILENT, NETWORLD_SILENT, NETWORLD_SILENT, NETWORLD_SILENT } },
	{ "private.corp.test", { "10.0.0.1" } },
	{ "loop.evil.test", { "127.0.0.1" } },
	{ "zero.evil.test", { "0.0.0.0" } },
	{ "meta.evil.test", { "169.254.169.254" } },
	{ "loop6.evil.test", { "::1" } },
	{ "mapped.evil.test", { "::ffff:127.0.0.1" } },
	{ "nat64.evil.test", { "64:ff9b::7f00:1" } },
	{ "self.evil.test", { "93.184.216.200" } },
	{ "mixed.evil.test", { "127.0.0.1", "93.184.216.34" } },
	{ "proxy.corp.test", { "10.0.0.1" } },
};

static void put_record(uint8_t *out, size_t *len, const struct netaddr *a)
{
	const uint8_t head[12] = { 0xc0, 12, 0,	    a->len == 4 ? 1 : 28, 0, 1, 0, 0, 0,
				   60,	 0,  a->len };

	memcpy(out + *len, head, sizeof(head));
	memcpy(out + *len + 12, a->bytes, a->len);
	*len += 12 + a->len;
}

static void put_records(const struct dnsmsg_query *q, uint8_t *out, size_t *len)
{
	for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
		if (strcmp(table[i].name, q->name) != 0)
			continue;
		for (int k = 0; k < 8 && table[i].addr[k]; k++) {
			struct netaddr a = { .len = 16 };

			/* not by netaddr_parse(), which undoes mapped addresses */
			if (inet_pton(AF_INET6, table[i].addr[k], a.bytes) != 1)
				netaddr_parse(table[i].addr[k], &a);
			if ((a.len == 4) != (q->type == DNSMSG_A) ||
			    (q->type != DNSMSG_A && q->type != DNSMSG_AAAA))
				continue;
			put_record(out, len, &a);
			out[7]++;
		}
	}
}

static bool known(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(table); i++)
		if (!strcmp(table[i].name, name))
			return true;
	return false;
}

static void serve_dns(int fd)
{
	static const uint8_t wild[] = { 93, 184, 216, 34 };
	uint8_t in[4096], out[4096];

	for (;;) {
		struct sockaddr_storage from;
		socklen_t flen = sizeof(from);
		struct dnsmsg_query q;
		struct dnsmsg_answer a = { 0 };
		ssize_t n = recvfrom(fd, in, sizeof(in), 0, (struct sockaddr *)&from,
				     &flen);
		size_t len;

		if (n < 0 || dnsmsg_parse(in, (size_t)n, &q) < 0)
			continue;
		if (asked->n < LOGGED)
			snprintf(asked->names[asked->n++], DNSMSG_NAME, "%s", q.name);
		if (text_ends(q.name, ".silent.test"))
			continue;
		if (!strcmp(q.name, "broken.test"))
			a.rcode = DNSMSG_SERVFAIL;
		else if (!known(q.name) && !strstr(q.name, ".wild.example.com"))
			a.rcode = DNSMSG_NXDOMAIN;
		if (strstr(q.name, ".wild.example.com") && q.type == DNSMSG_A)
			a.a = wild;
		q.edns = false;
		len = dnsmsg_build(&q, in, &a, 512, out);
		put_records(&q, out, &len);
		sendto(fd, out, len, 0, (struct sockaddr *)&from, flen);
	}
}

/* What a server before left to end by itself may have the port a moment longer. */
static int listener(int type, uint16_t port)
{
	struct sockaddr_in6 a = { .sin6_family = AF_INET6, .sin6_port = htons(port) };
	int fd, tries = 500;

	/* an answer must come from where the question went */
	if (type == SOCK_DGRAM)
		inet_pton(AF_INET6, "::ffff:93.184.216.53", &a.sin6_addr);
	fd = sys_socket(AF_INET6, type, 0);
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &(int){ 1 }, sizeof(int));
	while (bind(fd, (struct sockaddr *)&a, sizeof(a)) < 0) {
		if (errno != EADDRINUSE || !tries--) {
			perror("bind");
			_exit(1);
		}
		usleep(10000);
	}
	if (type == SOCK_STREAM)
		listen(fd, 4096);
	return fd;
}

static void serve_http(int fd)
{
	char text[NETADDR_TEXT] = "?", body[128], in[4096];
	struct sockaddr_storage s;
	struct netaddr a;

	if (recv(fd, in, sizeof(in), 0) <= 0)
		return;
	getsockname(fd, (struct sockaddr *)&s, &(socklen_t){ sizeof(s) });
	if (netaddr_from_sock(&s, &a, NULL) >= 0)
		netaddr_format(&a, text);
	snprintf(body, sizeof(body), "reached %s\n", text);
	dprintf(fd,
		"HTTP/1.1 200 OK\r\nContent-Length: %zu\r\nConnection: close\r\n\r\n%s",
		strlen(body), body);
}

/* One process serves one connection at most ports; echoes share one, for there may be a
 * thousand. */
static void serve_one(uint16_t port, int fd)
{
	static char chunk[CHUNK];
	struct linger now = { 1, 0 };

	switch (port) {
	case 9:
		while (recv(fd, chunk, sizeof(chunk), 0) > 0)
			;
		break;
	case 19:
		memset(chunk, 'c', sizeof(chunk));
		while (send(fd, chunk, sizeof(chunk), MSG_NOSIGNAL) > 0)
			;
		break;
	case 25:
		setsockopt(fd, SOL_SOCKET, SO_LINGER, &now, sizeof(now));
		break;
	default:
		serve_http(fd);
	}
	close(fd);
}

static void serve_forking(uint16_t port, int lfd)
{
	signal(SIGCHLD, SIG_IGN);
	for (;;) {
		int fd = accept(lfd, NULL, NULL);

		if (fd < 0)
			continue;
		if (!fork()) {
			sys_prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
			close(lfd);
			serve_one(port, fd);
			_exit(0);
		}
		close(fd);
	}
}

static void echo_on(int fd)
{
	static char chunk[CHUNK];
	ssize_t n = recv(fd, chunk, sizeof(chunk), 0);

	if (n > 0) {
		for (ssize_t at = 0; at < n;) {
			ssize_t w =
				send(fd, chunk + at, (size_t)(n - at), MSG_NOSIGNAL);

			if (w < 0)
				break;
			at += w;
		}
	} else {
		close(fd);
	}
}

static void serve_echo(int lfd)
{
	int ep = sys_epoll_create();
	struct epoll_event ev = { .events = EPOLLIN, .data.fd = lfd };

	sys_epoll_ctl(ep, EPOLL_CTL_ADD, lfd, &ev);
	for (;;) {
		struct epoll_event got[64];
		int n = epoll_wait(ep, got, 64, -1);

		for (int i = 0; i < n; i++) {
			int fd = got[i].data.fd;

			if (fd != lfd) {
				echo_on(fd);
				continue;
			}
			fd = accept(lfd, NULL, NULL);
			ev.data.fd = fd;
			if (fd >= 0)
				sys_epoll_ctl(ep, EPOLL_CTL_ADD, fd, &ev);
		}
	}
}

pid_t networld_serve(int offset)
{
	static const uint16_t ports[] = { 7, 9, 19, 25, 80 };
	int ready[2];
	pid_t pid, self;
	char c;

	if (pipe(ready) < 0)
		return -1;
	pid = fork();
	if (pid) {
		close(ready[1]);
		if (read(ready[0], &c, 1) < 0)
			perror("read");
		close(ready[0]);
		return pid;
	}
	sys_prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
	self = getpid();
	for (size_t i = 0; i < ARRAY_SIZE(ports); i++) {
		int fd = listener(SOCK_STREAM, (uint16_t)(ports[i] + offset));

		if (fork()) {
			close(fd);
			continue;
		}
		sys_prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
		if (getppid() != self) /* it was killed before that */
			_exit(1);
		close(ready[0]);
		close(ready[1]);
		if (ports[i] == 7)
			serve_echo(fd);
		serve_forking(ports[i], fd);
	}
	if (!offset) {
		int fd = listener(SOCK_DGRAM, 53);

		close(ready[1]);
		serve_dns(fd);
	}
	close(ready[1]);
	for (;;)
		pause();
}

static int sh(const char *script)
{
	int status = system(script); /* NOLINT(cert-env33-c): a text of this file */

	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void write_text(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);

	if (fd < 0 || write(fd, text, strlen(text)) < 0)
		perror(path);
	close(fd);
}

static bool become_root(void)
{
	char uid[64], gid[64];

	snprintf(uid, sizeof(uid), "0 %u 1", getuid());
	snprintf(gid, sizeof(gid), "0 %u 1", getgid());
	if (sys_unshare(CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWNET) < 0)
		return false;
	write_text("/proc/self/setgroups", "deny");
	write_text("/proc/self/uid_map", uid);
	write_text("/proc/self/gid_map", gid);
	return true;
}

static const char host_script[] =
	"set -e; ip link set lo up; ip addr add 93.184.216.200/32 dev lo\n"
	"ip link add h0 type veth peer name i0 netns $INTERNET\n"
	"ip addr add 10.99.0.1/24 dev h0; ip addr add fd99::1/64 dev h0 nodad\n"
	"ip link set h0 up; ip route add default via 10.99.0.2\n"
	"ip -6 route add default via fd99::2\n"
	"d=$(mktemp -d /tmp/cubby-world-XXXXXX)\n"
	"echo nameserver 93.184.216.53 >$d/resolv; echo 'hosts: files dns' >$d/nss\n"
	"printf '127.0.0.1 localhost\\n10.0.0.1 fromfile.corp.test\\n' >$d/hosts\n"
	"mount --bind $d/resolv $(readlink -f /etc/resolv.conf)\n"
	"mount --bind $d/nss /etc/nsswitch.conf; mount --bind $d/hosts /etc/hosts\n"
	"rm -rf $d 2>/dev/null || :";

static const char internet_script[] =
	"set -e; ip link set lo up\n"
	"for a in 93.184.216.34 93.184.216.35 93.184.216.53 10.0.0.1 192.168.7.7 \\\n"
	"	169.254.169.254; do ip addr add $a/32 dev lo; done\n"
	"ip -6 addr add 2606:2800:220:1::34/128 dev lo nodad\n"
	"ip addr add 10.99.0.2/24 dev i0; ip addr add fd99::2/64 dev i0 nodad\n"
	"ip link set i0 up; ip route add blackhole 93.184.216.99";

static void be_internet(int go, int ready)
{
	char c;

	sys_prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
	if (sys_unshare(CLONE_NEWNET) < 0 || write(ready, "n", 1) != 1 ||
	    read(go, &c, 1) != 1 || sh(internet_script) != 0)
		_exit(1);
	close(go);
	networld_serve(0);
	if (write(ready, "r", 1) != 1)
		_exit(1);
	close(ready);
	for (;;)
		pause();
}

bool networld_enter(char *why)
{
	int go[2], ready[2];
	char c, pid_text[32];
	pid_t pid;

	if (!become_root()) {
		snprintf(why, NETWORLD_WHY, "no user namespaces here");
		return false;
	}
	asked = mmap(NULL, sizeof(*asked), PROT_READ | PROT_WRITE,
		     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	sys_mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL);
	if (asked == MAP_FAILED || pipe2(go, O_CLOEXEC) < 0 ||
	    pipe2(ready, O_CLOEXEC) < 0)
		return false;
	pid = fork();
	if (!pid)
		be_internet(go[0], ready[1]);
	close(ready[1]);
	snprintf(pid_text, sizeof(pid_text), "%d", pid);
	setenv("INTERNET", pid_text, 1);
	if (read(ready[0], &c, 1) != 1 || sh(host_script) != 0 ||
	    write(go[1], "g", 1) != 1 || read(ready[0], &c, 1) != 1) {
		snprintf(why, NETWORLD_WHY,
			 "cannot make a network of namespaces (ip, veth)");
		return false;
	}
	return true;
}

int networld_queries(const char *name)
{
	int n = 0;

	for (int i = 0; i < asked->n; i++)
		n += !strcmp(asked->names[i], name);
	return n;
}
