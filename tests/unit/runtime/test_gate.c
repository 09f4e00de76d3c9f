#include <arpa/inet.h>
#include <netdb.h>
#include <poll.h>
#include <stdio.h>
#include <unistd.h>

#include "base/file.h"
#include "base/sys.h"
#include "runtime/dnsmsg.h"
#include "runtime/gate.h"
#include "runtime/netaudit.h"
#include "tests/unit/netbox.h"
#include "tests/unit/networld.h"
#include "tests/unit/unit.h"

/* A box's network and its gate, in a simulated host. */
struct rig {
	struct netbox box;
	struct gate *gate;
	int dir; /* where the audit is */
};

static struct json *json_of(const char *text)
{
	struct json *j = NULL;
	struct err e = ERR_NONE;

	unit_ok(json_parse(text, strlen(text), &j, &e), &e);
	return j;
}

static void rig_open(struct rig *r, enum netns_catch first, const char *rules,
		     const char *const *env)
{
	static const char *const no_env[] = { NULL };
	_cleanup_json_ struct json *list = rules ? json_of(rules) : NULL;
	struct gate_conf conf = { .mode = NET_GATE, .cache_dirfd = -1 };
	struct err e = ERR_NONE;

	netbox_open(NET_GATE, first, &r->box);
	r->dir = sys_open(unit_tmpdir(), O_RDONLY | O_DIRECTORY);
	conf.fds = r->box.fds;
	conf.facts = r->box.facts;
	conf.rules = list;
	conf.audit_dirfd = r->dir;
	conf.env = env ? env : no_env;
	unit_ok(gate_start(&conf, &r->gate, &e), &e);
}

static void rig_close(struct rig *r)
{
	gate_stop(&r->gate);
	netbox_close(&r->box);
	close(r->dir);
}

static struct json *ask(struct rig *r, const char *q)
{
	_cleanup_json_ struct json *j = json_of(q);
	struct json *ret = NULL;
	struct err e = ERR_NONE;

	if (gate_ask(r->gate, j, &ret, &e) < 0) {
		struct gate_event ev;

		while (gate_step(r->gate, &ev))
			printf("# %s\n", ev.text);
		fail_msg("%s: %s", q, e.msg);
	}
	return ret;
}

static void want(struct rig *r, const char *command, int status, const char *output)
{
	_cleanup_buf_ struct buf out = BUF_INIT(1 << 20);
	int got = netbox_run(&r->box, command, &out);

	if (got != status || !strstr(buf_cstr(&out), output))
		fail_msg("'%s': status %d, wanted %d with '%s', got '%s'", command, got,
			 status, output, buf_cstr(&out));
}

static void want_audit(struct rig *r, const char *text)
{
	_cleanup_buf_ struct buf b = BUF_INIT(16 << 20);
	struct err e = ERR_NONE;

	unit_ok(file_read(r->dir, NETAUDIT_FILE, &b, &e), &e);
	if (!strstr(buf_cstr(&b), text))
		fail_msg("no '%s' in the audit:\n%s", text, buf_cstr(&b));
}

static void want_event(struct rig *r, const char *text)
{
	struct gate_event ev;

	for (int i = 0; i < 100; i++) {
		struct pollfd p = { gate_fd(r->gate), POLLIN, 0 };

		while (gate_step(r->gate, &ev))
			if (strstr(ev.text, text))
				return;
		sys_poll(&p, 1, 50);
	}
	fail_msg("no event '%s'", text);
}

#define CURL "curl -sS --noproxy '*' --max-time 10 "

static int64_t stat_of(struct rig *r, const char *name)
{
	_cleanup_json_ struct json *j = ask(r, "{\"op\":\"stats\"}");

	return json_get_int(j, name, -1);
}

/* What a box process does with one address; run inside. */
struct peer {
	const char *host; /* name or address */
	uint16_t port;
	size_t bytes; /* to be echoed */
	int count;    /* connections */
};

static int dial(const struct peer *p)
{
	char port[16];
	struct addrinfo hints = { .ai_socktype = SOCK_STREAM }, *ai = NULL;
	int fd;

	snprintf(port, sizeof(port), "%u", p->port);
	if (getaddrinfo(p->host, port, &hints, &ai))
		return -ENOENT;
	fd = sys_socket(ai->ai_family, SOCK_STREAM, 0);
	if (fd >= 0 && connect(fd, ai->ai_addr, ai->ai_addrlen) < 0)
		fd = -errno;
	freeaddrinfo(ai);
	return fd;
}

static uint8_t pattern(size_t i)
{
	return (uint8_t)(i * 2654435761u >> 13);
}

/* Sends and takes back at once, in both directions; 0 = every byte came back, in
 * order, and then the end. */
static int echo_through(int fd, size_t bytes)
{
	static uint8_t out[1 << 18], in[1 << 18];
	size_t sent = 0, got = 0;
	bool shut = false;

	sys_setfl(fd, O_RDWR | O_NONBLOCK);
	for (;;) {
		struct pollfd p = { fd, POLLIN, 0 };
		ssize_t n;

		if (sent < bytes)
			p.events |= POLLOUT;
		if (sys_poll(&p, 1, 20000) <= 0)
			return 2;
		if (p.revents & POLLOUT && sent < bytes) {
			size_t len = MIN(sizeof(out), bytes - sent);

			for (size_t i = 0; i < len; i++)
				out[i] = pattern(sent + i);
			n = sys_send(fd, out, len, 0);
			sent += n > 0 ? (size_t)n : 0;
		}
		if (sent == bytes && !shut) {
			shutdown(fd, SHUT_WR);
			shut = true;
		}
		n = sys_recv(fd, in, sizeof(in), 0);
		if (n == -EAGAIN)
			continue;
		if (n < 0)
			return 3;
		if (!n)
			return got == bytes ? 0 : 4;
		for (ssize_t i = 0; i < n; i++)
			if (in[i] != pattern(got + (size_t)i))
				return 5;
		got += (size_t)n;
	}
}

static int echo_one(void *ctx)
{
	const struct peer *p = ctx;
	int fd = dial(p);

	return fd < 0 ? 1 : echo_through(fd, p->bytes);
}

static int echo_many(void *ctx)
{
	const struct peer *p = ctx;

	for (int i = 0; i < p->count; i++) {
		int fd = dial(p);
		int r = fd < 0 ? 1 : echo_through(fd, p->bytes);

		if (r)
			return r;
		close(fd);
	}
	return 0;
}

static int echo_parallel(void *ctx)
{
	const struct peer *p = ctx;
	int *fds = calloc((size_t)p->count, sizeof(int));

	setrlimit(RLIMIT_NOFILE, &(struct rlimit){ 4096, 4096 });
	for (int i = 0; i < p->count; i++) {
		fds[i] = dial(p);
		if (fds[i] < 0)
			return 1;
	}
	for (int i = 0; i < p->count; i++) {
		int r = echo_through(fds[i], p->bytes);

		if (r)
			return r;
		close(fds[i]);
	}
	free(fds);
	return 0;
}

/* How a connection that is refused ends: the errno of the first call that fails. */
static int refusal(void *ctx)
{
	const struct peer *p = ctx;
	uint64_t start = sys_now_ms();
	int fd = dial(p);
	char c;
	ssize_t n;

	if (fd == -ENOENT)
		return 200; /* no such name */
	if (fd < 0)
		return -fd;
	n = sys_recv(fd, &c, 1, 0);
	close(fd);
	if (sys_now_ms() - start > 5000)
		return 201;
	return n < 0 ? (int)-n : n ? 202 : 203;
}

static void want_refused(struct rig *r, const char *host, uint16_t port)
{
	struct peer p = { .host = host, .port = port };
	int got = netbox_call(&r->box, refusal, &p);

	if (got != ECONNRESET && got != ECONNREFUSED && got != 200)
		fail_msg("%s:%u: %d", host, port, got);
}

/* A raw question to the box's DNS server at @at: rcode, or rcode + 100 with an answer;
 * 255 = none came. */
struct question {
	const char *name, *at;
	uint16_t type;
	bool tcp;
	int copies; /* by TCP: sent at once */
};

static size_t put_question(const struct question *q, uint8_t *out)
{
	static const uint8_t head[12] = { 0x12, 0x34, 1, 0, 0, 1 };
	size_t len = sizeof(head);
	const char *name = q->name;

	memcpy(out, head, sizeof(head));
	while (*name) {
		size_t n = strcspn(name, ".");

		out[len++] = (uint8_t)n;
		memcpy(out + len, name, n);
		len += n;
		name += n + (name[n] == '.');
	}
	out[len++] = 0;
	out[len++] = (uint8_t)(q->type >> 8);
	out[len++] = (uint8_t)q->type;
	out[len++] = 0;
	out[len++] = 1;
	return len;
}

static int read_reply(int fd, const struct question *q)
{
	uint8_t in[4096];
	ssize_t n;

	if (q->tcp) {
		n = sys_recv(fd, in, 2, MSG_WAITALL);
		if (n != 2)
			return 255;
		n = sys_recv(fd, in, (size_t)in[0] << 8 | in[1], MSG_WAITALL);
	} else {
		n = sys_recv(fd, in, sizeof(in), 0);
	}
	if (n < 12 || in[0] != 0x12 || in[1] != 0x34)
		return 255;
	return (in[3] & 15) + (in[7] ? 100 : 0);
}

static int ask_dns(void *ctx)
{
	const struct question *q = ctx;
	struct sockaddr_in a = { .sin_family = AF_INET, .sin_port = htons(53) };
	int fd = sys_socket(AF_INET, q->tcp ? SOCK_STREAM : SOCK_DGRAM, 0);
	struct timeval limit = { .tv_sec = 10 };
	uint8_t out[2 + 512];
	size_t len = put_question(q, out + 2);
	int r = 255;

	inet_pton(AF_INET, q->at ? q->at : NETNS_GATE_ADDR, &a.sin_addr);
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
	if (connect(fd, (struct sockaddr *)&a, sizeof(a)) < 0)
		return 254;
	out[0] = (uint8_t)(len >> 8);
	out[1] = (uint8_t)len;
	for (int i = 0; i < MAX(q->copies, 1); i++)
		sys_send(fd, q->tcp ? out : out + 2, q->tcp ? len + 2 : len, 0);
	for (int i = 0; i < MAX(q->copies, 1); i++) {
		r = read_reply(fd, q);
		if (r == 255)
			break;
	}
	close(fd);
	return r;
}

/* ---- the tests ------------------------------------------------------------------ */

static const struct rung {
	const char *name;
	enum netns_catch first;
} rungs[] = {
	{ "tproxy", NETNS_CATCH_TPROXY },
	{ "redirect", NETNS_CATCH_REDIRECT },
	{ "ports", NETNS_CATCH_PORTS },
};

static void every_rung_works(const void *row)
{
	const struct rung *g = row;
	struct rig r;

	rig_open(&r, g->first, NULL, NULL);
	if (r.box.facts.caught != g->first) {
		rig_close(&r);
		unit_skip("this kernel has no such rule");
	}
	want(&r, CURL "http://example.com/", 0, "reached 93.184.216.34");
	want(&r, CURL "http://93.184.216.35/", 0, "reached 93.184.216.35");
	want_refused(&r, NETNS_GATE_ADDR, r.box.facts.port[0] == 53 ? 80 : 1);
	want_refused(&r, "198.18.200.200", 443);
	rig_close(&r);
}

static void names_work(void)
{
	struct rig r;

	rig_open(&r, NETNS_CATCH_TPROXY, NULL, NULL);
	want(&r, CURL "http://example.com/", 0, "reached 93.184.216.34");
	want(&r, CURL "http://EXAMPLE.com./", 0, "reached 93.184.216.34");
	want(&r, CURL "http://six.example.com/", 0, "reached 2606:2800:220:1::34");
	want(&r, CURL "http://dual.example.com/", 0, "reached");
	want(&r, CURL "http://slow.example.com/", 0, "reached 93.184.216.34");
	want(&r, CURL "http://nothing.example.com/", 6, "Could not resolve");
	want(&r, CURL "http://broken.test/", 6, "Could not resolve");
	want_audit(&r, "\"name\":\"example.com\",\"address\":\"93.184.216.34\"");
	assert_int_equal(stat_of(&r, "connections"), 0);
	rig_close(&r);
}

static void unlisted_is_refused(void)
{
	struct rig r;

	rig_open(&r, NETNS_CATCH_TPROXY,
		 "[\"allow example.com:80\",\"allow *.wild.example.com\","
		 "\"deny bad.wild.example.com\"]",
		 NULL);
	want(&r, CURL "http://example.com/", 0, "reached");
	want(&r, CURL "http://a.wild.example.com/", 0, "reached");
	want(&r, CURL "http://bad.wild.example.com/", 6, "Could not resolve");
	want(&r, CURL "http://other.example.com/", 6, "Could not resolve");
	assert_int_equal(networld_queries("bad.wild.example.com"), 0);
	want_event(&r, "network: other.example.com is not allowed in this box");
	want_refused(&r, "example.com", 7);
	want_event(&r, "network: example.com port 7 is not allowed in this box");
	want_refused(&r, "93.184.216.35", 80);
	want_event(&r, "network: 93.184.216.35 port 80 is not allowed in this box");
	want_audit(&r, "\"event\":\"dns\",\"verdict\":\"refused\","
		       "\"name\":\"other.example.com\",\"why\":\"not allowed\"");
	want_audit(&r, "\"why\":\"denied by a rule\"");
	rig_close(&r);
}

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

	rig_open(&r, NETNS_CATCH_TPROXY, NULL, NULL);
	if (!h->event) { /* the kernel itself may know better */
		struct peer p = { .host = h->host, .port = 80 };

		assert_true(netbox_call(&r.box, refusal, &p) < 200);
	} else {
		want_refused(&r, h->host, 80);
		want_event(&r, h->event);
	}
	assert_int_equal(stat_of(&r, "opened"), 0);
	assert_int_equal(stat_of(&r, "connections"), 0);
	rig_close(&r);
}

static const struct dns_row {
	const char *name;
	struct question q;
	int want;
} dns_rows[] = {
	{ "A", { "example.com", NULL, 1, false, 0 }, 100 },
	{ "A, odd case", { "eXample.COM", NULL, 1, false, 0 }, 100 },
	{ "A at another address", { "example.com", "8.8.8.8", 1, false, 0 }, 100 },
	{ "A by TCP", { "example.com", NULL, 1, true, 0 }, 100 },
	{ "A by TCP at another address",
	  { "example.com", "1.1.1.1", 1, true, 0 },
	  100 },
	{ "ten by TCP at once", { "example.com", NULL, 1, true, 10 }, 100 },
	{ "AAAA", { "example.com", NULL, 28, false, 0 }, 0 },
	{ "AAAA of an IPv6 host", { "six.example.com", NULL, 28, false, 0 }, 0 },
	{ "A of an IPv6 host", { "six.example.com", NULL, 1, false, 0 }, 100 },
	{ "MX", { "example.com", NULL, 15, false, 0 }, 0 },
	{ "HTTPS", { "example.com", NULL, 65, false, 0 }, 0 },
	{ "ANY", { "example.com", NULL, 255, false, 0 }, 100 },
	{ "AXFR", { "example.com", NULL, 252, true, 0 }, 5 },
	{ "the root", { "", NULL, 2, false, 0 }, 5 },
	{ "no such name", { "nothing.example.com", NULL, 1, false, 0 }, 3 },
	{ "no such name, AAAA", { "nothing.example.com", NULL, 28, false, 0 }, 3 },
	{ "server failure", { "broken.test", NULL, 1, false, 0 }, 2 },
	{ "localhost", { "localhost", NULL, 1, false, 0 }, 100 },
	{ "below localhost", { "a.localhost", NULL, 28, false, 0 }, 0 },
	{ "a number", { "2130706433", NULL, 1, false, 0 }, 3 },
	{ "hexadecimal", { "0x7f.1", NULL, 1, false, 0 }, 3 },
	{ "octal", { "0177.0.0.1", NULL, 1, false, 0 }, 3 },
	{ "an address", { "127.0.0.1", NULL, 1, false, 0 }, 3 },
	{ "odd bytes", { "ex\xe4mple.com", NULL, 1, false, 0 }, 3 },
	{ "a space", { "exam ple.com", NULL, 1, false, 0 }, 3 },
	{ "PTR of the gate", { "1.0.18.198.in-addr.arpa", NULL, 12, false, 0 }, 100 },
	{ "PTR of loopback", { "1.0.0.127.in-addr.arpa", NULL, 12, false, 0 }, 100 },
	{ "PTR of another", { "8.8.8.8.in-addr.arpa", NULL, 12, false, 0 }, 3 },
	{ "PTR of a free one", { "9.9.19.198.in-addr.arpa", NULL, 12, false, 0 }, 3 },
};

static void dns_answers(const void *row)
{
	const struct dns_row *d = row;
	struct question q = d->q;
	struct rig r;

	rig_open(&r, NETNS_CATCH_TPROXY, NULL, NULL);
	assert_int_equal(netbox_call(&r.box, ask_dns, &q), d->want);
	rig_close(&r);
}

static void addresses_last(void)
{
	struct question ptr = { "16.0.18.198.in-addr.arpa", NULL, 12, false, 0 };
	_cleanup_buf_ struct buf first = BUF_INIT(4096);
	struct rig r;

	rig_open(&r, NETNS_CATCH_TPROXY, NULL, NULL);
	netbox_run(&r.box, "getent hosts example.com", &first);
	assert_non_null(strstr(buf_cstr(&first), "198.18.0.16"));
	assert_int_equal(netbox_call(&r.box, ask_dns, &ptr), 100);
	for (int i = 0; i < 3; i++) {
		pid_t pid = gate_pid(r.gate);

		assert_true(pid > 0);
		kill(pid, SIGKILL);
		want_event(&r, "was replaced");
		assert_true(gate_pid(r.gate) != pid);
		want(&r, "getent hosts other.example.com", 0, "198.18.0.17");
		want(&r, CURL "http://198.18.0.16/", 0, "reached 93.184.216.34");
	}
	rig_close(&r);
}

static void dies_for_good(void)
{
	struct rig r;

	rig_open(&r, NETNS_CATCH_TPROXY, NULL, NULL);
	for (int i = 0; i < 5; i++) {
		kill(gate_pid(r.gate), SIGKILL);
		want_event(&r, "was replaced");
	}
	kill(gate_pid(r.gate), SIGKILL);
	want_event(&r, "stays closed");
	assert_int_equal(gate_pid(r.gate), -1);
	rig_close(&r);
}

static void bytes_survive(void)
{
	struct peer p = { "example.com", 7, 64 << 20, 0 };
	struct rig r;

	if (getenv("CUBBY_TEST_BIG"))
		p.bytes = 1 << 30;
	rig_open(&r, NETNS_CATCH_TPROXY, NULL, NULL);
	assert_int_equal(netbox_call(&r.box, echo_one, &p), 0);
	p.port = 25; /* resets */
	assert_int_equal(netbox_call(&r.box, refusal, &p), ECONNRESET);
	p.port = 4; /* nobody listens */
	assert_int_equal(netbox_call(&r.box, refusal, &p), ECONNRESET);
	rig_close(&r);
}

static void nothing_leaks(void)
{
	struct peer p = { "example.com", 7, 100, 2000 };
	int64_t before, after;
	struct rig r;

	if (getenv("CUBBY_TEST_BIG"))
		p.count = 10000;
	rig_open(&r, NETNS_CATCH_TPROXY, NULL, NULL);
	want(&r, CURL "http://example.com/", 0, "reached");
	for (int i = 0; i < 100 && stat_of(&r, "connections"); i++)
		sys_poll(NULL, 0, 20);
	before = stat_of(&r, "descriptors");
	assert_int_equal(netbox_call(&r.box, echo_many, &p), 0);
	p.count = 1000;
	p.bytes = 10000;
	assert_int_equal(netbox_call(&r.box, echo_parallel, &p), 0);
	for (int i = 0; i < 100 && stat_of(&r, "connections"); i++)
		sys_poll(NULL, 0, 20);
	after = stat_of(&r, "descriptors");
	assert_int_equal(stat_of(&r, "connections"), 0);
	assert_int_equal(after, before);
	rig_close(&r);
}

/* Takes one byte of an endless stream, then waits to be killed. */
static int slow_reader(void *ctx)
{
	int fd = dial(ctx);
	char c;

	if (fd < 0 || sys_recv(fd, &c, 1, 0) != 1)
		return 1;
	sys_poll(NULL, 0, 1500);
	return 0;
}

static void slow_readers_are_bounded(void)
{
	struct peer p = { "example.com", 19, 0, 0 };
	struct rig r;

	rig_open(&r, NETNS_CATCH_TPROXY, NULL, NULL);
	assert_int_equal(netbox_call(&r.box, slow_reader, &p), 0);
	for (int i = 0; i < 100 && stat_of(&r, "connections"); i++)
		sys_poll(NULL, 0, 20);
	assert_int_equal(stat_of(&r, "connections"), 0);
	assert_true(stat_of(&r, "received") < 32 << 20);
	rig_close(&r);
}

static void rules_change(void)
{
	_cleanup_json_ struct json *j = NULL;
	struct rig r;
	pid_t pid;
	int status;

	rig_open(&r, NETNS_CATCH_TPROXY, NULL, NULL);
	pid = netbox_spawn(&r.box, CURL "-o /dev/null http://example.com:19/", -1);
	for (int i = 0; i < 100 && !stat_of(&r, "opened"); i++)
		sys_poll(NULL, 0, 20);
	assert_int_equal(stat_of(&r, "opened"), 1);
	j = ask(&r, "{\"op\":\"change\",\"deny\":[\"example.com\"],"
		    "\"allow\":[\"*.example.com\"]}");
	assert_int_equal(json_len(json_get(j, "rules")), 2);
	assert_int_equal(waitpid(pid, &status, 0), pid); /* it was cut */
	assert_int_not_equal(WEXITSTATUS(status), 0);
	want(&r, CURL "http://example.com/", 6, "Could not resolve");
	want(&r, CURL "http://other.example.com/", 0, "reached");
	json_free(&j);
	j = ask(&r, "{\"op\":\"change\",\"drop\":[\"example.com\"],"
		    "\"allow\":[\"example.com\"]}");
	want(&r, CURL "http://example.com/", 0, "reached");
	rig_close(&r);
}

static void the_host_by_name(void)
{
	pid_t pid = networld_serve(8000);
	struct rig r;

	rig_open(&r, NETNS_CATCH_TPROXY,
		 "[\"allow host.cubby.internal:8080\",\"allow 10.0.0.1\","
		 "\"allow *.corp.test\"]",
		 NULL);
	want(&r, CURL "http://host.cubby.internal:8080/", 0, "reached 127.0.0.1");
	want_refused(&r, "host.cubby.internal", 8007);
	want(&r, CURL "http://10.0.0.1/", 0, "reached 10.0.0.1");
	want(&r, CURL "http://private.corp.test/", 0, "reached 10.0.0.1");
	rig_close(&r);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

/* ---- published ports ------------------------------------------------------------ */

static int http_on_host(uint16_t port, struct buf *out)
{
	char command[128];
	FILE *f;
	char line[256];

	snprintf(command, sizeof(command), CURL "http://127.0.0.1:%u/ 2>&1", port);
	f = popen(command, "r");
	while (fgets(line, sizeof(line), f))
		buf_adds(out, line);
	return WEXITSTATUS(pclose(f));
}

static _noreturn_ int serve_inside(void *ctx)
{
	(void)ctx;
	networld_serve(9000);
	for (;;)
		pause();
}

static void ports_are_published(const void *row)
{
	const struct rung *g = row;
	_cleanup_json_ struct json *j = NULL;
	_cleanup_buf_ struct buf out = BUF_INIT(4096);
	struct rig r;
	pid_t pid;
	uint16_t port;

	rig_open(&r, g->first, NULL, NULL);
	pid = fork();
	if (!pid)
		_exit(netbox_call(&r.box, serve_inside, NULL));
	j = ask(&r, "{\"op\":\"publish\",\"spec\":\"0:9080\"}");
	port = (uint16_t)json_get_int(j, "host_port", 0);
	assert_true(port > 0);
	assert_string_equal(json_get_str(j, "address"), "127.0.0.1");
	for (int i = 0; i < 100; i++) {
		buf_truncate(&out, 0);
		if (!http_on_host(port, &out))
			break;
		sys_poll(NULL, 0, 20);
	}
	assert_non_null(strstr(buf_cstr(&out), "reached 127.0.0.1"));
	json_free(&j);
	j = ask(&r, "{\"op\":\"ports\"}");
	{
		_cleanup_buf_ struct buf text = BUF_INIT(65536);

		json_print(j, false, &text);
		if (!strstr(buf_cstr(&text), "\"port\":9080") ||
		    strstr(buf_cstr(&text), "\"port\":1,"))
			fail_msg("%s", buf_cstr(&text));
	}
	want_audit(&r, "\"event\":\"publish\",\"id\":1,\"verdict\":\"");
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
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

		if (!fork())
			be(fd);
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

	rig_open(&r, NETNS_CATCH_TPROXY, "[\"allow *\",\"deny bad.test\"]", env);
	want(&r, CURL "http://only-the-proxy-knows.test/", 0, "reached 93.184.216.34");
	assert_int_equal(networld_queries("only-the-proxy-knows.test"), 0);
	want(&r, CURL "http://other.example.com/", 0, "reached 93.184.216.35");
	want_refused(&r, "not-for-you.test", 80);
	want(&r, CURL "http://bad.test/", 6, "Could not resolve");
	want_refused(&r, "10.0.0.1", 80);
	want_audit(&r, "\"proxy\":\"127.0.0.1\"");
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	want_refused(&r, "only-the-proxy-knows.test", 80); /* it is gone */
	assert_int_equal(stat_of(&r, "connections"), 0);
	rig_close(&r);
}

/* ---- what a box can do to its gate ---------------------------------------------- */

static void quiet(struct rig *r)
{
	for (int i = 0; i < 200 && stat_of(r, "connections"); i++)
		sys_poll(NULL, 0, 20);
	assert_int_equal(stat_of(r, "connections"), 0);
}

/* Both ends of busy connections are killed at moments of no one's choosing. */
static void killed_ends_are_survived(void)
{
	unsigned seed = 20240501;
	struct rig r;
	pid_t gate, server;
	int64_t before;

	server = networld_serve(8000);
	rig_open(&r, NETNS_CATCH_TPROXY, "[\"allow *\",\"allow host.cubby.internal\"]",
		 NULL);
	quiet(&r);
	before = stat_of(&r, "descriptors");
	gate = gate_pid(r.gate);
	for (int i = 0; i < 30; i++) {
		pid_t pid = netbox_spawn(
			&r.box,
			i % 2 ? CURL "-o /dev/null http://example.com:19/"
			      : CURL "-T /dev/zero http://host.cubby.internal:8009/",
			-1);

		seed = seed * 1103515245 + 12345;
		sys_poll(NULL, 0, (int)(seed >> 16) % 60);
		if (i % 6 == 4) { /* the far end: all of its servers */
			kill(-server, SIGKILL);
			kill(server, SIGKILL);
			waitpid(server, NULL, 0);
			server = networld_serve(8000);
		}
		kill(-pid, SIGKILL);
		waitpid(pid, NULL, 0);
	}
	quiet(&r);
	assert_int_equal(gate_pid(r.gate), gate); /* the same all the time */
	assert_int_equal(stat_of(&r, "descriptors"), before);
	kill(server, SIGKILL);
	waitpid(server, NULL, 0);
	rig_close(&r);
}

/* A tunnel by names that nobody has: only so many leave the host, and the others get a
 * quick answer. */
static int ask_for_many(void *ctx)
{
	int later = 0;

	(void)ctx;
	for (int i = 0; i < 900; i++) {
		char name[64];
		struct question q = { .name = name, .type = 1 };

		snprintf(name, sizeof(name), "secret-%d.wild.example.com", i);
		later += ask_dns(&q) == DNSMSG_SERVFAIL;
	}
	return later > 100 ? 0 : 1;
}

static void floods_are_bounded(void)
{
	struct question q = { .name = "example.com", .type = 1 };
	struct rig r;

	rig_open(&r, NETNS_CATCH_TPROXY, NULL, NULL);
	assert_int_equal(netbox_call(&r.box, ask_for_many, NULL), 0);
	assert_true(stat_of(&r, "lookups") < 800);
	assert_int_equal(stat_of(&r, "waiting"), 0);
	/* and names come back when it is over */
	for (int i = 0; i < 50 && netbox_call(&r.box, ask_dns, &q) != 100; i++)
		sys_poll(NULL, 0, 20);
	assert_int_equal(netbox_call(&r.box, ask_dns, &q), 100);
	rig_close(&r);
}

/* Whole and broken messages, without end: whatever comes, the gate stays. */
static int send_rubbish(void *ctx)
{
	struct sockaddr_in a = { .sin_family = AF_INET, .sin_port = htons(53) };
	int fd = sys_socket(AF_INET, SOCK_DGRAM, 0);
	unsigned seed = 7;

	(void)ctx;
	inet_pton(AF_INET, NETNS_GATE_ADDR, &a.sin_addr);
	for (int i = 0; i < 20000; i++) {
		uint8_t out[600];
		size_t len = (seed = seed * 1103515245 + 12345) >> 16;

		for (size_t k = 0; k < sizeof(out); k += 4) {
			seed = seed * 1103515245 + 12345;
			memcpy(out + k, &seed, 4);
		}
		if (i % 2)
			memcpy(out, "\x12\x34\1\0\0\1\0\0\0\0\0\0", 12);
		sendto(fd, out, len % sizeof(out), MSG_DONTWAIT, (struct sockaddr *)&a,
		       sizeof(a));
	}
	return 0;
}

static void rubbish_is_survived(void)
{
	struct question q = { .name = "example.com", .type = 1 };
	struct rig r;
	pid_t gate;

	rig_open(&r, NETNS_CATCH_TPROXY, NULL, NULL);
	gate = gate_pid(r.gate);
	assert_int_equal(netbox_call(&r.box, send_rubbish, NULL), 0);
	assert_int_equal(netbox_call(&r.box, ask_dns, &q), 100);
	assert_int_equal(gate_pid(r.gate), gate);
	rig_close(&r);
}

/* The gate answers to whoever asked from any address of the namespace: all are its. */
static int ask_from_elsewhere(void *ctx)
{
	struct sockaddr_in from = { .sin_family = AF_INET };
	struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons(53) };
	struct question q = { .name = "example.com", .type = 1 };
	struct timeval limit = { .tv_sec = 5 };
	uint8_t out[512], in[512];
	int fd = sys_socket(AF_INET, SOCK_DGRAM, 0);
	size_t len = put_question(&q, out);

	(void)ctx;
	inet_pton(AF_INET, "8.8.8.8", &from.sin_addr);
	inet_pton(AF_INET, NETNS_GATE_ADDR, &to.sin_addr);
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
	if (bind(fd, (struct sockaddr *)&from, sizeof(from)) < 0)
		return 1;
	sendto(fd, out, len, 0, (struct sockaddr *)&to, sizeof(to));
	return recv(fd, in, sizeof(in), 0) > 12 ? 0 : 2;
}

static void odd_sources_stay_inside(void)
{
	struct rig r;

	rig_open(&r, NETNS_CATCH_TPROXY, NULL, NULL);
	assert_int_equal(netbox_call(&r.box, ask_from_elsewhere, NULL), 0);
	rig_close(&r);
}

/* What the process is left with. */
static void it_is_confined(void)
{
	_cleanup_json_ struct json *stats = NULL;
	char command[256];
	struct rig r;

	rig_open(&r, NETNS_CATCH_TPROXY, NULL, NULL);
	assert_true(stat_of(&r, "descriptors") > 0); /* it is through with its setup */
	snprintf(
		command, sizeof(command),
		"grep -E '^(CapEff|CapPrm|CapBnd|NoNewPrivs|Seccomp):' /proc/%d/status "
		"| tr -d '\\n\\t'",
		gate_pid(r.gate));
	want(&r, command, 0,
	     "CapPrm:0000000000000000CapEff:0000000000000000"
	     "CapBnd:0000000000000000NoNewPrivs:1Seccomp:2");
	stats = ask(&r, "{\"op\":\"stats\"}");
	assert_true(json_get_bool(stats, "empty_root", false));
	rig_close(&r);
}

int main(int argc, char **argv)
{
	static const struct unit_case cases[] = {
		{ "names work", names_work },
		{ "unlisted is refused", unlisted_is_refused },
		{ "addresses last", addresses_last },
		{ "dies for good", dies_for_good },
		{ "bytes survive", bytes_survive },
		{ "nothing leaks", nothing_leaks },
		{ "slow readers are bounded", slow_readers_are_bounded },
		{ "rules change", rules_change },
		{ "the host by name", the_host_by_name },
		{ "killed ends are survived", killed_ends_are_survived },
		{ "floods are bounded", floods_are_bounded },
		{ "rubbish is survived", rubbish_is_survived },
		{ "odd sources stay inside", odd_sources_stay_inside },
		{ "it is confined", it_is_confined },
	};
	char why[128] = "";
	int r;

	if (argc > 1 && !strcmp(argv[1], "__gate"))
		return gate_main(argc, argv);
	if (!networld_enter(why)) {
		printf("# SKIP %s\n", why);
		return 0;
	}
	r = unit_rows("gate rungs", rungs, every_rung_works);
	r |= unit_rows("gate dns", dns_rows, dns_answers);
	r |= unit_rows("gate hostile", hostiles, hostile_is_refused);
	r |= unit_rows("gate ports", rungs, ports_are_published);
	r |= unit_rows("gate proxy", proxies, works_behind_a_proxy);
	return r | unit_cases("gate", cases);
}
