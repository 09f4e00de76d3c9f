#include <poll.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/sys/sys.h"
#include "tests/unit/networld.h"
#include "tests/unit/rig.h"
#include "tests/unit/unit.h"

static int echo_one(void *ctx)
{
	const struct rig_peer *p = ctx;
	int fd = rig_dial(p);

	return fd < 0 ? 1 : rig_echo(fd, p->bytes);
}

static int echo_many(void *ctx)
{
	const struct rig_peer *p = ctx;

	for (int i = 0; i < p->count; i++) {
		int fd = rig_dial(p);
		int r = fd < 0 ? 1 : rig_echo(fd, p->bytes);

		if (r)
			return r;
		close(fd);
	}
	return 0;
}

static int echo_parallel(void *ctx)
{
	const struct rig_peer *p = ctx;
	int *fds = calloc((size_t)p->count, sizeof(int));

	setrlimit(RLIMIT_NOFILE, &(struct rlimit){ 4096, 4096 });
	for (int i = 0; i < p->count; i++) {
		fds[i] = rig_dial_begin(p);
		if (fds[i] < 0)
			return 1;
	}
	for (int i = 0; i < p->count; i++) {
		int fd = rig_dial_end(fds[i]);
		int r = fd < 0 ? 2 : rig_echo(fd, p->bytes);

		if (r)
			return r;
		close(fds[i]);
	}
	free(fds);
	return 0;
}

static void bytes_survive(void)
{
	struct rig_peer p = { "example.com", 7, 64 << 20, 0 };
	struct rig r;
	int got;

	if (getenv("CUBBY_TEST_BIG"))
		p.bytes = 1 << 30;
	rig_open(&r, NETNS_CATCH_HELD, NULL, NULL);
	assert_int_equal(netbox_call(&r.box, echo_one, &p), 0);
	p.port = 25; /* resets, and maybe before the gate has seen that it is there */
	got = netbox_call(&r.box, rig_refusal, &p);
	assert_true(got == ECONNRESET || got == ECONNREFUSED);
	p.port = 4; /* nobody listens */
	assert_int_equal(netbox_call(&r.box, rig_refusal, &p), ECONNREFUSED);
	rig_close(&r);
}

/* Urgent bytes, as telnet and ftp send them, stay where they are in the stream. 0 = all
 * came back. */
static int urgent(void *ctx)
{
	static const char text[] = "before!after!!";
	struct timeval limit = { .tv_sec = 20 };
	char in[sizeof(text)] = "";
	size_t got = 0;
	int fd = rig_dial(ctx);

	if (fd < 0)
		return 1;
	sys_setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
	sys_send(fd, text, 6, 0);
	sys_send(fd, text + 6, 1, MSG_OOB);
	sys_send(fd, text + 7, 5, 0);
	sys_send(fd, text + 12, 1, MSG_OOB);
	sys_send(fd, text + 13, 1, MSG_OOB);
	while (got < sizeof(text) - 1) {
		ssize_t n = sys_recv(fd, in + got, sizeof(text) - 1 - got, 0);

		if (n <= 0)
			return 2;
		got += (size_t)n;
	}
	return strcmp(in, text) ? 3 : 0;
}

static void urgent_bytes_stay(void)
{
	struct rig_peer p = { "example.com", 7, 0, 0 };
	struct rig r;

	rig_open(&r, NETNS_CATCH_HELD, NULL, NULL);
	assert_int_equal(netbox_call(&r.box, urgent, &p), 0);
	rig_quiet(&r);
	rig_close(&r);
}

/* The others wait, and are served. */
static void served_with(rlim_t descriptors, int most)
{
	struct rlimit l = { descriptors, descriptors };
	struct rig_peer p = { "example.com", 7, 10000, 200 };
	struct rig r;

	assert_int_equal(sys_setrlimit(RLIMIT_NOFILE, &l), 0);
	rig_open(&r, NETNS_CATCH_HELD, NULL, NULL);
	assert_int_equal(rig_stat(&r, "most"), most);
	assert_int_equal(netbox_call(&r.box, echo_parallel, &p), 0);
	assert_int_equal(rig_stat(&r, "opened"), 200);
	rig_quiet(&r);
	rig_close(&r);
}

/* Six descriptors a connection, and as many for all else, up to 256. Last, for the limit cannot be
 * raised again. */
static void more_than_can_be_served_wait(void)
{
	served_with(600, 57);
	served_with(500, 41);
	served_with(260, 21);
}

static void nothing_leaks(void)
{
	struct rig_peer p = { "example.com", 7, 100, 300 };
	int64_t before, after;
	struct rig r;

	if (getenv("CUBBY_TEST_BIG"))
		p.count = 10000;
	rig_open(&r, NETNS_CATCH_HELD, NULL, NULL);
	rig_want(&r, CURL "http://example.com/", 0, "reached");
	rig_quiet(&r);
	before = rig_stat(&r, "descriptors");
	assert_int_equal(netbox_call(&r.box, echo_many, &p), 0);
	p.count = 300;
	p.bytes = 10000;
	assert_int_equal(netbox_call(&r.box, echo_parallel, &p), 0);
	rig_quiet(&r);
	after = rig_stat(&r, "descriptors");
	assert_int_equal(rig_stat(&r, "connections"), 0);
	assert_int_equal(after, before);
	rig_close(&r);
}

/* Takes one byte of an endless stream, then waits to be killed. */
static int slow_reader(void *ctx)
{
	int fd = rig_dial(ctx);
	char c;

	if (fd < 0 || sys_recv(fd, &c, 1, 0) != 1)
		return 1;
	sys_poll(NULL, 0, 1500);
	return 0;
}

static void slow_readers_are_bounded(void)
{
	struct rig_peer p = { "example.com", 19, 0, 0 };
	struct rig r;

	rig_open(&r, NETNS_CATCH_HELD, NULL, NULL);
	assert_int_equal(netbox_call(&r.box, slow_reader, &p), 0);
	rig_quiet(&r);
	assert_int_equal(rig_stat(&r, "connections"), 0);
	assert_true(rig_stat(&r, "received") < 32 << 20);
	rig_close(&r);
}

/* Both ends of busy connections are killed at moments of no one's choosing. */
static void killed_ends_are_survived(void)
{
	unsigned seed = 20240501;
	struct rig r;
	pid_t gate, server;
	int64_t before;

	server = networld_serve(8000);
	rig_open(&r, NETNS_CATCH_HELD, "[\"allow *\",\"allow host.cubby.internal\"]",
		 NULL);
	rig_quiet(&r);
	before = rig_stat(&r, "descriptors");
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
	rig_quiet(&r);
	assert_int_equal(gate_pid(r.gate), gate); /* the same all the time */
	assert_int_equal(rig_stat(&r, "descriptors"), before);
	kill(server, SIGKILL);
	waitpid(server, NULL, 0);
	rig_close(&r);
}

/* A connection over which nothing goes: five bytes there and back, then it is idle until
 * it is told to do so again, or the other end is gone. */
struct idler {
	struct rig_peer peer;
	int ready, go;
};

static int be_idle(void *ctx)
{
	const struct idler *w = ctx;
	struct pollfd p[2] = { { rig_dial(&w->peer), POLLIN, 0 },
			       { w->go, POLLIN, 0 } };
	char in[8];

	for (int i = 0; i < 2; i++) {
		if (sys_send(p[0].fd, "hello", 5, 0) != 5 ||
		    sys_recv(p[0].fd, in, 5, MSG_WAITALL) != 5 ||
		    (!i && sys_write(w->ready, "r", 1) != 1))
			return 1;
		if (!i && (sys_poll(p, 2, -1) < 0 || p[0].revents))
			return sys_recv(p[0].fd, in, 1, 0) == -ECONNRESET ? 2 : 3;
	}
	return 0;
}

static pid_t idle_at(const struct rig *r, struct idler *w)
{
	int ready[2], go[2];
	pid_t pid;
	char c;

	assert_true(sys_pipe2(ready, 0) >= 0 && sys_pipe2(go, 0) >= 0);
	w->ready = ready[1];
	w->go = go[0];
	pid = fork();
	assert_true(pid >= 0);
	if (!pid)
		_exit(netbox_call(&r->box, be_idle, w));
	close(ready[1]);
	close(go[0]);
	assert_int_equal(sys_read(ready[0], &c, 1), 1);
	close(ready[0]);
	w->go = go[1];
	return pid;
}

/* The kernel asks both ends of an idle connection whether they are still there. What comes
 * of it takes two minutes: with CUBBY_TEST_BIG the far end vanishes from the network, and
 * a connection to one that stays lives on. */
static void idle_connections_are_watched(void)
{
	struct idler gone = { .peer = { "example.com", 7, 0, 0 } };
	struct idler kept = { .peer = { "host.cubby.internal", 9007, 0, 0 } };
	const pid_t server = networld_serve(9000);
	int status, want = 0;
	struct rig r;
	pid_t pids[2];

	rig_open(&r, NETNS_CATCH_HELD, "[\"allow *\",\"allow host.cubby.internal\"]",
		 NULL);
	pids[0] = idle_at(&r, &gone);
	pids[1] = idle_at(&r, &kept);
	rig_want(&r, "ss -Htno state established sport = :7", 0, "timer:(keepalive,");
	assert_true(rig_outside("ss -Htno state established dport = :7 | "
				"grep -q 'timer:(keepalive,[1-6][0-9]*sec'"));
	if (getenv("CUBBY_TEST_BIG")) { /* packets for it find nobody */
		assert_true(
			rig_outside("ip neigh replace 10.99.0.2 dev h0 nud permanent "
				    "lladdr 02:00:00:00:00:02"));
		want = 2;
	} else {
		assert_int_equal(sys_write(gone.go, "g", 1), 1);
	}
	assert_int_equal(waitpid(pids[0], &status, 0), pids[0]);
	assert_int_equal(WEXITSTATUS(status), want);
	if (want) {
		rig_want_audit(&r, "\"why\":\"broken\"");
		assert_true(rig_outside("ip neigh del 10.99.0.2 dev h0"));
	}
	assert_int_equal(sys_write(kept.go, "g", 1), 1);
	assert_int_equal(waitpid(pids[1], &status, 0), pids[1]);
	assert_int_equal(WEXITSTATUS(status), 0);
	close(gone.go);
	close(kept.go);
	rig_quiet(&r);
	rig_close(&r);
	kill(server, SIGKILL);
	waitpid(server, NULL, 0);
}

static int knock(void *ctx)
{
	const struct rig_peer *p = ctx;
	int fd = rig_dial(p);

	return fd < 0 ? 1 : rig_echo(fd, p->bytes);
}

/* Without a descriptor left whoever knocks waits, and so does the gate. */
static void no_descriptor_is_left(void)
{
	struct rig_peer p = { NETWORLD_PUBLIC, 7, 10000, 0 };
	struct rlimit was, none;
	struct rig r;
	int status;
	pid_t pid;

	rig_open(&r, NETNS_CATCH_HELD, NULL, NULL);
	none.rlim_cur = (rlim_t)rig_stat(&r, "descriptors");
	assert_int_equal(prlimit(gate_pid(r.gate), RLIMIT_NOFILE, NULL, &was), 0);
	none.rlim_max = was.rlim_max;
	assert_int_equal(prlimit(gate_pid(r.gate), RLIMIT_NOFILE, &none, NULL), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid)
		_exit(netbox_call(&r.box, knock, &p));
	rig_want(&r, "until ss -Htn state syn-sent | grep -q :7; do sleep 0.02; done",
		 0, "");
	rig_idle(&r);
	assert_int_equal(rig_stat(&r, "accepted"), 0);
	assert_int_equal(prlimit(gate_pid(r.gate), RLIMIT_NOFILE, &was, NULL), 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	rig_quiet(&r);
	rig_close(&r);
}

/* A name with eight addresses that do not answer takes no more descriptors at once than
 * a connection may: five, beside its own. */
static void attempts_are_bounded(void)
{
	bool there = false;
	struct rig r;
	pid_t pid;

	rig_open(&r, NETNS_CATCH_HELD, NULL, NULL);
	pid = netbox_spawn(&r.box, CURL "-m 60 http://many.example.com/", -1);
	for (int i = 0; i < 500 && !there; i++) {
		there = rig_outside("test $(ss -Htn state syn-sent | wc -l) -ge 5");
		sys_poll(NULL, 0, there ? 0 : 20);
	}
	assert_true(there);
	for (int i = 0; i < 40; i++) { /* the others would be there within a second */
		assert_true(
			rig_outside("test $(ss -Htn state syn-sent | wc -l) -le 5"));
		sys_poll(NULL, 0, 25);
	}
	kill(-pid, SIGKILL);
	waitpid(pid, NULL, 0);
	rig_close(&r);
}

int main(int argc, char **argv)
{
	static const struct unit_case cases[] = {
		{ "bytes survive", bytes_survive },
		{ "urgent bytes stay", urgent_bytes_stay },
		{ "nothing leaks", nothing_leaks },
		{ "slow readers are bounded", slow_readers_are_bounded },
		{ "killed ends are survived", killed_ends_are_survived },
		{ "idle connections are watched", idle_connections_are_watched },
		{ "no descriptor is left", no_descriptor_is_left },
		{ "attempts are bounded", attempts_are_bounded },
		{ "more than can be served wait", more_than_can_be_served_wait },
	};
	int r = 0;

	if (rig_main(argc, argv, &r))
		return r;
	return r | unit_cases("gate conn", cases);
}
