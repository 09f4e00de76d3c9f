#include <arpa/inet.h>
#include <linux/netlink.h>
#include <poll.h>
#include <stdio.h>
#include <unistd.h>

#include "base/file.h"
#include "base/sys/sys.h"
#include "runtime/gate/audit.h"
#include "runtime/gate/host.h"
#include "runtime/net/sock.h"
#include "tests/unit/networld.h"
#include "tests/unit/rig.h"
#include "tests/unit/unit.h"

enum { TAIL = 600 }; /* of a long text, in what a failure says */

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

static _noreturn_ int serve_inside(void *)
{
	sys_prctl(PR_SET_NAME, (unsigned long)(uintptr_t) "listener", 0, 0, 0);
	networld_serve(9000);
	for (;;)
		pause();
}

/* Listens on ::1 alone, and says nothing to anybody. */
static _noreturn_ int serve_six(void *)
{
	struct sockaddr_in6 a = { .sin6_family = AF_INET6,
				  .sin6_port = htons(9006),
				  .sin6_addr = IN6ADDR_LOOPBACK_INIT };
	int fd = sys_socket(AF_INET6, SOCK_STREAM, 0);

	sys_prctl(PR_SET_NAME, (unsigned long)(uintptr_t) "six", 0, 0, 0);
	if (bind(fd, (struct sockaddr *)&a, sizeof(a)) < 0 || listen(fd, 8) < 0)
		_exit(1);
	for (;;)
		close(accept(fd, NULL, NULL));
}

/* A line of the record about a connection from the host names who listens; a gate that
 * has no time for it, on a busy machine, says null. */
static void want_listener(struct rig *r, uint16_t port, const char *text,
			  const char *name)
{
	_cleanup_buf_ struct buf b = BUF_INIT(16 << 20);
	_cleanup_buf_ struct buf out = BUF_INIT(1 << 20);
	char want[64];
	struct err e = ERR_NONE;

	snprintf(want, sizeof(want), ",\"name\":\"%s\"}}\n", name);
	for (int i = 0; i < 100; i++) {
		const char *line, *end;

		buf_truncate(&out, 0);
		(void)http_on_host(port, &out);
		buf_truncate(&b, 0);
		unit_ok(file_read(r->dir, GATE_AUDIT_FILE, &b, &e), &e);
		for (line = buf_cstr(&b); (line = strstr(line, text)); line++) {
			end = strchr(line, '\n');
			if (end && strstr(line, want) &&
			    strstr(line, want) + strlen(want) == end + 1)
				return;
		}
		sys_poll(NULL, 0, 20);
	}
	fail_msg("no line with '%s' names '%s'; curl: %s; the record ends with:\n%s",
		 text, name, buf_cstr(&out),
		 buf_cstr(&b) + (b.len > TAIL ? b.len - TAIL : 0));
}

static uint16_t publish(struct rig *r, const char *spec)
{
	_cleanup_json_ struct json *j = NULL;
	char q[128];

	snprintf(q, sizeof(q), "{\"op\":\"publish\",\"spec\":\"%s\"}", spec);
	j = rig_ask(r, q);
	assert_string_equal(json_get_str(j, "address"), "127.0.0.1");
	return (uint16_t)json_get_int(j, "host_port", 0);
}

static void listeners_are_named(const void *row)
{
	const struct rig_rung *g = row;
	struct rig r;
	pid_t pids[2];
	uint16_t port[2];

	rig_open(&r, g->first, NULL, NULL);
	for (int i = 0; i < 2; i++) {
		pids[i] = fork();
		if (!pids[i])
			_exit(netbox_call(&r.box, i ? serve_six : serve_inside, NULL));
	}
	port[0] = publish(&r, "0:9080");
	port[1] = publish(&r, "0:9006");
	want_listener(&r, port[0], "\"publish\",\"id\":", "listener");
	want_listener(&r, port[0], "\"close\",\"id\":", "listener");
	if (r.box.facts.ipv6)
		want_listener(&r, port[1], "\"address\":\"::1\"", "six");
	for (int i = 0; i < 2; i++) {
		kill(pids[i], SIGKILL);
		waitpid(pids[i], NULL, 0);
	}
	rig_close(&r);
}

static void ports_are_published(const void *row)
{
	const struct rig_rung *g = row;
	_cleanup_json_ struct json *j = NULL;
	_cleanup_buf_ struct buf out = BUF_INIT(4096);
	struct rig r;
	pid_t pid;
	uint16_t port;

	rig_open(&r, g->first, NULL, NULL);
	pid = fork();
	if (!pid)
		_exit(netbox_call(&r.box, serve_inside, NULL));
	port = publish(&r, "0:9080");
	assert_true(port > 0);
	for (int i = 0; i < 100; i++) {
		buf_truncate(&out, 0);
		if (!http_on_host(port, &out))
			break;
		sys_poll(NULL, 0, 20);
	}
	assert_non_null(strstr(buf_cstr(&out), "reached 127.0.0.1"));
	j = rig_ask(&r, "{\"op\":\"ports\"}");
	{
		_cleanup_buf_ struct buf text = BUF_INIT(65536);

		json_print(j, false, &text);
		if (!strstr(buf_cstr(&text), "\"port\":9080") ||
		    strstr(buf_cstr(&text), "\"port\":1,"))
			fail_msg("%s", buf_cstr(&text));
	}
	rig_want_audit(&r, "\"event\":\"publish\",\"id\":1,\"verdict\":\"");
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	rig_close(&r);
}

/* A kernel that does not say what listens is no reason to end: connections go on. */
static void a_list_that_fails(void **)
{
	struct sockaddr_nl nobody = { .nl_family = AF_NETLINK, .nl_pid = 1 << 30 },
			   all = { .nl_family = AF_UNSPEC };
	_cleanup_json_ struct json *q = rig_json("{\"op\":\"ports\"}"), *j = NULL;
	struct err e = ERR_NONE;
	struct rig r;
	int fd;

	rig_open(&r, NETNS_CATCH_REDIRECT, NULL, NULL);
	fd = r.box.fds[NETNS_FD_DIAG];
	assert_int_equal(connect(fd, (struct sockaddr *)&nobody, sizeof(nobody)), 0);
	assert_int_equal(gate_question(r.gate, q, &j, &e), -ECONNREFUSED);
	unit_err(&e, -ECONNREFUSED,
		 "cannot list what listens in the box: Connection refused");
	assert_int_equal(connect(fd, (struct sockaddr *)&all, sizeof(all)), 0);
	j = rig_ask(&r, "{\"op\":\"ports\"}");
	assert_non_null(json_get(j, "listening"));
	rig_close(&r);
}

static int listen_at(uint16_t *port)
{
	struct sockaddr_in a = { .sin_family = AF_INET,
				 .sin_port = htons(*port),
				 .sin_addr = { htonl(INADDR_LOOPBACK) } };
	int fd = sys_socket(AF_INET, SOCK_STREAM, 0);

	assert_int_equal(bind(fd, (struct sockaddr *)&a, sizeof(a)), 0);
	assert_int_equal(listen(fd, 8), 0);
	assert_int_equal(
		getsockname(fd, (struct sockaddr *)&a, &(socklen_t){ sizeof(a) }), 0);
	*port = ntohs(a.sin_port);
	return fd;
}

static int connect_to(uint16_t port)
{
	struct sockaddr_in a = { .sin_family = AF_INET,
				 .sin_port = htons(port),
				 .sin_addr = { htonl(INADDR_LOOPBACK) } };
	int fd = sys_socket(AF_INET, SOCK_STREAM, 0);

	assert_int_equal(connect(fd, (struct sockaddr *)&a, sizeof(a)), 0);
	return fd;
}

static bool is_ready(int fd, int ms)
{
	struct pollfd p = { fd, POLLIN, 0 };

	return sys_poll(&p, 1, ms) > 0;
}

/* Init is this test, in the simulated host: its answer for a connection that has gone comes
 * late, with a socket of the other family, and the next one waits for its own. */
static void a_late_socket_is_nobodys(void **)
{
	static const char *const no_env[] = { NULL };
	struct gate_conf conf = { .mode = NET_GATE, .pause_ms = RIG_PAUSE_MS };
	struct err e = ERR_NONE;
	uint16_t inside = 0, host;
	int pair[2], first, second, listener = listen_at(&inside);
	char spec[32];
	struct rig r;

	close(listener);
	netbox_open(NET_GATE, NETNS_CATCH_REDIRECT, &r.box);
	assert_true(sys_socketpair(SOCK_SEQPACKET | SOCK_NONBLOCK, pair) >= 0);
	close(r.box.fds[NETNS_FD_SOCKS]);
	r.box.fds[NETNS_FD_SOCKS] = pair[0];
	r.dir = sys_open(unit_tmpdir(), O_RDONLY | O_DIRECTORY);
	conf.fds = r.box.fds;
	conf.facts = r.box.facts;
	conf.facts.ipv6 = true;
	conf.init = getpid();
	conf.audit_dirfd = r.dir;
	conf.env = no_env;
	unit_ok(gate_start(&conf, &r.gate, &e), &e);
	snprintf(spec, sizeof(spec), "0:%u", inside);
	host = publish(&r, spec);
	first = connect_to(host);
	assert_true(is_ready(pair[1], 10000));
	unit_ok(netsock_serve(pair[1]), &e);   /* nobody listens at 127.0.0.1 */
	assert_true(is_ready(pair[1], 10000)); /* at ::1 neither: asked, not answered */
	assert_true(is_ready(first, 30000));   /* it gives up */
	close(first);
	listener = listen_at(&inside);
	second = connect_to(host);
	sys_poll(NULL, 0, 200);
	unit_ok(netsock_serve(pair[1]), &e);
	assert_true(is_ready(pair[1], 10000));
	unit_ok(netsock_serve(pair[1]), &e);
	assert_true(is_ready(listener, 10000));
	close(second);
	close(listener);
	close(pair[1]);
	rig_close(&r);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_list_that_fails),
		cmocka_unit_test(a_late_socket_is_nobodys),
	};
	int r = 0;

	if (rig_main(argc, argv, &r))
		return r;
	r |= cmocka_run_group_tests(tests, NULL, NULL);
	r |= unit_rows("gate ports", rig_rungs, ports_are_published);
	r |= unit_rows("gate listeners", rig_rungs, listeners_are_named);
	return r;
}
