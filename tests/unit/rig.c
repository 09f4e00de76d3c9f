#include "tests/unit/rig.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <poll.h>
#include <stdio.h>
#include <unistd.h>

#include "base/file.h"
#include "base/sys/sys.h"
#include "runtime/gate/audit.h"
#include "tests/unit/networld.h"
#include "tests/unit/unit.h"

struct json *rig_json(const char *text)
{
	struct json *j = NULL;
	struct err e = ERR_NONE;

	unit_ok(json_parse(text, strlen(text), &j, &e), &e);
	return j;
}

void rig_open(struct rig *r, enum netns_catch first, const char *rules,
	      const char *const *env)
{
	static const char *const no_env[] = { NULL };
	_cleanup_json_ struct json *list = rules ? rig_json(rules) : NULL;
	struct gate_conf conf = { .mode = NET_GATE, .pause_ms = RIG_PAUSE_MS };
	struct err e = ERR_NONE;

	netbox_open(NET_GATE, first, &r->box);
	r->dir = sys_open(unit_tmpdir(), O_RDONLY | O_DIRECTORY);
	conf.fds = r->box.fds;
	conf.facts = r->box.facts;
	conf.init = getpid(); /* what runs in the box descends from here */
	conf.rules = list;
	conf.audit_dirfd = r->dir;
	conf.env = env ? env : no_env;
	unit_ok(gate_start(&conf, &r->gate, &e), &e);
}

void rig_close(struct rig *r)
{
	gate_stop(&r->gate);
	netbox_close(&r->box);
	close(r->dir);
}

struct json *rig_ask(struct rig *r, const char *q)
{
	_cleanup_json_ struct json *j = rig_json(q);
	struct json *ret = NULL;
	struct err e = ERR_NONE;
	int got = gate_ask(r->gate, j, &ret, &e);

	for (int i = 0; i < 10 && got == -ETIMEDOUT; i++) { /* a busy machine */
		e = ERR_NONE;
		got = gate_ask(r->gate, j, &ret, &e);
	}
	if (got < 0) {
		struct gate_event ev;

		while (gate_step(r->gate, &ev))
			printf("# %s\n", ev.text);
		fail_msg("%s: %s", q, e.msg);
	}
	return ret;
}

void rig_want(struct rig *r, const char *command, int status, const char *output)
{
	_cleanup_buf_ struct buf out = BUF_INIT(1 << 20);
	int got = netbox_run(&r->box, command, &out);

	if (got != status || !strstr(buf_cstr(&out), output))
		fail_msg("'%s': status %d, wanted %d with '%s', got '%s'", command, got,
			 status, output, buf_cstr(&out));
}

void rig_want_audit(struct rig *r, const char *text)
{
	_cleanup_buf_ struct buf b = BUF_INIT(16 << 20);
	struct err e = ERR_NONE;

	for (int i = 0; i < 200; i++) {
		buf_truncate(&b, 0);
		unit_ok(file_read(r->dir, GATE_AUDIT_FILE, &b, &e), &e);
		if (strstr(buf_cstr(&b), text))
			return;
		sys_poll(NULL, 0, 50);
	}
	fail_msg("no '%s' in the audit:\n%s", text, buf_cstr(&b));
}

void rig_want_event(struct rig *r, const char *text)
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

int64_t rig_stat(struct rig *r, const char *name)
{
	_cleanup_json_ struct json *j = rig_ask(r, "{\"op\":\"stats\"}");

	return json_get_int(j, name, -1);
}

/* A question is a round; one that spins has thousands in between. */
void rig_idle(struct rig *r)
{
	int64_t before = rig_stat(r, "rounds"), rounds;

	for (int i = 0; i < 50; i++) {
		sys_poll(NULL, 0, 5);
		rounds = rig_stat(r, "rounds") - before;
	}
	if (rounds > 300)
		fail_msg("the gate spins: %d rounds in 50 questions", (int)rounds);
}

bool rig_outside(const char *command)
{
	return system(command) == 0; /* NOLINT(cert-env33-c): a text of the test */
}

int rig_dial_begin(const struct rig_peer *p)
{
	char port[16];
	struct addrinfo hints = { .ai_socktype = SOCK_STREAM }, *ai = NULL;
	int fd;

	snprintf(port, sizeof(port), "%u", p->port);
	if (getaddrinfo(p->host, port, &hints, &ai))
		return -ENOENT;
	fd = sys_socket(ai->ai_family, SOCK_STREAM | SOCK_NONBLOCK, 0);
	if (fd >= 0 && connect(fd, ai->ai_addr, ai->ai_addrlen) < 0 &&
	    errno != EINPROGRESS)
		fd = -errno;
	freeaddrinfo(ai);
	return fd;
}

int rig_dial_end(int fd)
{
	struct pollfd p = { fd, POLLOUT, 0 };
	int v = 0;

	if (fd < 0)
		return fd;
	if (sys_poll(&p, 1, 60000) != 1)
		return -ETIMEDOUT;
	sys_getsockopt(fd, SOL_SOCKET, SO_ERROR, &v, &(socklen_t){ sizeof(v) });
	sys_setfl(fd, O_RDWR);
	return v ? -v : fd;
}

int rig_dial(const struct rig_peer *p)
{
	return rig_dial_end(rig_dial_begin(p));
}

static uint8_t pattern(size_t i)
{
	return (uint8_t)(i * 2654435761u >> 13);
}

static size_t send_some(int fd, size_t sent, size_t bytes)
{
	static uint8_t out[1 << 18];
	size_t len = MIN(sizeof(out), bytes - sent);
	ssize_t n;

	for (size_t i = 0; i < len; i++)
		out[i] = pattern(sent + i);
	n = sys_send(fd, out, len, 0);
	return n > 0 ? (size_t)n : 0;
}

/* How many bytes came, as they had to; 0 = the end, -EAGAIN = none yet, -EBADMSG. */
static ssize_t take_some(int fd, size_t got)
{
	static uint8_t in[1 << 18];
	ssize_t n = sys_recv(fd, in, sizeof(in), 0);

	for (ssize_t i = 0; i < n; i++)
		if (in[i] != pattern(got + (size_t)i))
			return -EBADMSG;
	return n;
}

/* Sends and takes back at once, in both directions; 0 = every byte came back, in
 * order, and then the end. */
int rig_echo(int fd, size_t bytes)
{
	size_t sent = 0, got = 0;
	bool shut = false;

	sys_setfl(fd, O_RDWR | O_NONBLOCK);
	for (;;) {
		struct pollfd p = { fd, sent < bytes ? POLLIN | POLLOUT : POLLIN, 0 };
		ssize_t n;

		if (sys_poll(&p, 1, 20000) <= 0)
			return 2;
		if (p.revents & POLLOUT)
			sent += send_some(fd, sent, bytes);
		if (sent == bytes && !shut) {
			shutdown(fd, SHUT_WR);
			shut = true;
		}
		n = take_some(fd, got);
		if (n == 0)
			return got == bytes ? 0 : 4;
		if (n < 0 && n != -EAGAIN)
			return n == -EBADMSG ? 5 : 3;
		got += n > 0 ? (size_t)n : 0;
	}
}

/* How a connection that is refused ends: the errno of the first call that fails. */
int rig_refusal(void *ctx)
{
	const struct rig_peer *p = ctx;
	uint64_t start = sys_now_ms();
	int fd = rig_dial(p);
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

void rig_want_refused(struct rig *r, const char *host, uint16_t port)
{
	struct rig_peer p = { .host = host, .port = port };
	int got = netbox_call(&r->box, rig_refusal, &p);

	if (got != ECONNREFUSED && got != 200 &&
	    (got != ECONNRESET || r->box.facts.caught == NETNS_CATCH_HELD))
		fail_msg("%s:%u: %d", host, port, got);
}

size_t rig_put_question(const struct rig_question *q, uint8_t *out)
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

static int read_reply(int fd, const struct rig_question *q)
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

int rig_ask_dns(void *ctx)
{
	const struct rig_question *q = ctx;
	struct sockaddr_in a = { .sin_family = AF_INET, .sin_port = htons(53) };
	int fd = sys_socket(AF_INET, q->tcp ? SOCK_STREAM : SOCK_DGRAM, 0);
	struct timeval limit = { .tv_sec = q->tcp ? 20 : 2 };
	uint8_t out[2 + 512];
	size_t len = rig_put_question(q, out + 2);
	int r = 255, tries = q->tcp ? 1 : 10; /* UDP may be lost: as resolvers do */

	inet_pton(AF_INET, q->at ? q->at : NETNS_GATE_ADDR, &a.sin_addr);
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
	if (connect(fd, (struct sockaddr *)&a, sizeof(a)) < 0)
		return 254;
	out[0] = (uint8_t)(len >> 8);
	out[1] = (uint8_t)len;
	while (r == 255 && tries--) {
		for (int i = 0; i < MAX(q->copies, 1); i++)
			sys_send(fd, q->tcp ? out : out + 2, q->tcp ? len + 2 : len, 0);
		for (int i = 0; i < MAX(q->copies, 1); i++) {
			r = read_reply(fd, q);
			if (r == 255)
				break;
		}
	}
	close(fd);
	return r;
}

void rig_quiet(struct rig *r)
{
	for (int i = 0; i < 500 && rig_stat(r, "connections"); i++)
		sys_poll(NULL, 0, 20);
	assert_int_equal(rig_stat(r, "connections"), 0);
}

const struct rig_rung rig_rungs[RIG_RUNGS] = {
	{ "held", NETNS_CATCH_HELD },
	{ "tproxy", NETNS_CATCH_TPROXY },
	{ "redirect", NETNS_CATCH_REDIRECT },
	{ "ports", NETNS_CATCH_PORTS },
};

bool rig_main(int argc, char **argv, int *status)
{
	char why[NETWORLD_WHY] = "";

	if (argc > 1 && !strcmp(argv[1], "__gate")) {
		*status = gate_main(argc, argv);
		return true;
	}
	if (networld_enter(why))
		return false;
	printf("# SKIP %s\n", why);
	return true;
}
