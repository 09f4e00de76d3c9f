#include "runtime/gate/gate.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <unistd.h>

#include "base/file.h"
#include "base/sys/sys.h"
#include "runtime/gate/audit.h"
#include "tests/unit/networld.h"
#include "tests/unit/rig.h"
#include "tests/unit/unit.h"

static void every_rung_works(const void *row)
{
	const struct rig_rung *g = row;
	struct rig r;

	rig_open(&r, g->first, NULL, NULL);
	if (r.box.facts.caught != g->first) {
		rig_close(&r);
		unit_skip("this kernel has no such rule");
	}
	rig_want(&r, CURL "http://example.com/", 0, "reached 93.184.216.34");
	rig_want(&r, CURL "http://93.184.216.35/", 0, "reached 93.184.216.35");
	rig_want_refused(&r, NETNS_GATE_ADDR, r.box.facts.port[0] == 53 ? 80 : 1);
	rig_want_refused(&r, "198.18.200.200", 443);
	rig_close(&r);
}

static void names_work(void)
{
	struct rig r;

	rig_open(&r, NETNS_CATCH_HELD, NULL, NULL);
	rig_want(&r, CURL "http://example.com/", 0, "reached 93.184.216.34");
	rig_want(&r, CURL "http://EXAMPLE.com./", 0, "reached 93.184.216.34");
	rig_want(&r, CURL "http://six.example.com/", 0, "reached 2606:2800:220:1::34");
	rig_want(&r, CURL "http://dual.example.com/", 0, "reached");
	rig_want(&r, CURL "http://slow.example.com/", 0, "reached 93.184.216.34");
	rig_want(&r, CURL "http://nothing.example.com/", 6, "Could not resolve");
	rig_want(&r, CURL "http://broken.test/", 6, "Could not resolve");
	rig_want_audit(&r, "\"name\":\"example.com\",\"address\":\"93.184.216.34\"");
	assert_int_equal(rig_stat(&r, "connections"), 0);
	rig_close(&r);
}

static void unlisted_is_refused(void)
{
	struct rig r;

	rig_open(&r, NETNS_CATCH_HELD,
		 "[\"allow example.com:80\",\"allow *.wild.example.com\","
		 "\"deny bad.wild.example.com\"]",
		 NULL);
	rig_want(&r, CURL "http://example.com/", 0, "reached");
	rig_want(&r, CURL "http://a.wild.example.com/", 0, "reached");
	rig_want(&r, CURL "http://bad.wild.example.com/", 6, "Could not resolve");
	rig_want(&r, CURL "http://other.example.com/", 6, "Could not resolve");
	assert_int_equal(networld_queries("bad.wild.example.com"), 0);
	rig_want_event(&r, "network: other.example.com is not allowed in this box");
	rig_want_refused(&r, "example.com", 7);
	rig_want_event(&r, "network: example.com port 7 is not allowed in this box");
	rig_want_refused(&r, "93.184.216.35", 80);
	rig_want_event(&r, "network: 93.184.216.35 port 80 is not allowed in this box");
	rig_want_audit(&r, "\"event\":\"dns\",\"verdict\":\"refused\","
			   "\"name\":\"other.example.com\",\"why\":\"not allowed\"");
	rig_want_audit(&r, "\"why\":\"denied by a rule\"");
	rig_close(&r);
}

static void addresses_last(void)
{
	struct rig_question ptr = { "16.0.18.198.in-addr.arpa", NULL, 12, false, 0 };
	_cleanup_buf_ struct buf first = BUF_INIT(4096);
	struct rig r;

	rig_open(&r, NETNS_CATCH_HELD, NULL, NULL);
	netbox_run(&r.box, "getent hosts example.com", &first);
	assert_non_null(strstr(buf_cstr(&first), "198.18.0.16"));
	assert_int_equal(netbox_call(&r.box, rig_ask_dns, &ptr), 100);
	for (int i = 0; i < 3; i++) {
		pid_t pid = gate_pid(r.gate);

		assert_true(pid > 0);
		kill(pid, SIGKILL);
		rig_want_event(&r, "was replaced");
		assert_true(gate_pid(r.gate) != pid);
		rig_want(&r, "getent hosts other.example.com", 0, "198.18.0.17");
		rig_want(&r, CURL "http://198.18.0.16/", 0, "reached 93.184.216.34");
	}
	rig_close(&r);
}

/* As the C library would say it; only root may write there for it. */
static void its_last_words(void)
{
	static const char words[] = "first\nfree(): invalid pointer\n";
	char path[64];
	struct rig r;
	int fd;

#ifdef __SANITIZE_ADDRESS__
	unit_skip("under a sanitizer it says them to whoever runs it");
#endif
	rig_open(&r, NETNS_CATCH_HELD, NULL, NULL);
	snprintf(path, sizeof(path), "/proc/%d/fd/2", gate_pid(r.gate));
	fd = sys_open(path, O_WRONLY | O_NONBLOCK);
	if (fd < 0) {
		rig_close(&r);
		unit_skip("the descriptors of such a process are closed to this user");
	}
	assert_int_equal(sys_write(fd, words, strlen(words)), strlen(words));
	close(fd);
	kill(gate_pid(r.gate), SIGABRT);
	rig_want_event(&r, "new ones work: signal 6 (free(): invalid pointer)");
	rig_close(&r);
}

/* What is cut off is no download that was short. */
static void killed_is_a_reset(const void *row)
{
	const struct rig_rung *g = row;
	struct rig r;
	pid_t pid;
	int status;

	rig_open(&r, g->first, NULL, NULL);
	if (r.box.facts.caught == NETNS_CATCH_PORTS) {
		rig_close(&r);
		unit_skip("the port that is silent is not caught");
	}
	pid = netbox_spawn(&r.box, CURL "http://example.com:9/", -1);
	for (int i = 0; i < 500 && !rig_stat(&r, "opened"); i++)
		sys_poll(NULL, 0, 20);
	assert_int_equal(rig_stat(&r, "opened"), 1);
	kill(gate_pid(r.gate), SIGKILL);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(WEXITSTATUS(status), 56); /* and not 52, an empty answer */
	rig_close(&r);
}

static void dies_too_often(void)
{
	struct rig r;

	rig_open(&r, NETNS_CATCH_HELD, NULL, NULL);
	for (int i = 0; i < 5; i++) {
		kill(gate_pid(r.gate), SIGKILL);
		rig_want_event(&r, "was replaced");
	}
	kill(gate_pid(r.gate), SIGKILL);
	rig_want_event(&r, "stays closed for a while: signal 9");
	assert_int_equal(gate_pid(r.gate), -1);
	json_free(&(struct json *){
		rig_ask(&r, "{\"op\":\"change\",\"deny\":[\"other.example.com\"]}") });
	assert_int_equal(rig_stat(&r, "opened"), -1); /* not known, and no failure */
	rig_want_event(&r, "was started again");
	rig_want(&r, CURL "http://other.example.com/", 6, "Could not resolve");
	rig_want(&r, CURL "http://example.com/", 0, "reached 93.184.216.34");
	rig_close(&r);
}

static void rules_change(void)
{
	_cleanup_json_ struct json *j = NULL;
	struct rig r;
	pid_t pid;
	int status;

	rig_open(&r, NETNS_CATCH_HELD, NULL, NULL);
	pid = netbox_spawn(&r.box, CURL "-o /dev/null http://example.com:19/", -1);
	for (int i = 0; i < 100 && !rig_stat(&r, "opened"); i++)
		sys_poll(NULL, 0, 20);
	assert_int_equal(rig_stat(&r, "opened"), 1);
	j = rig_ask(&r, "{\"op\":\"change\",\"deny\":[\"example.com\"],"
			"\"allow\":[\"*.example.com\"]}");
	assert_int_equal(json_len(json_get(j, "rules")), 2);
	assert_int_equal(waitpid(pid, &status, 0), pid); /* it was cut */
	assert_int_not_equal(WEXITSTATUS(status), 0);
	rig_want(&r, CURL "http://example.com/", 6, "Could not resolve");
	rig_want(&r, CURL "http://other.example.com/", 0, "reached");
	json_free(&j);
	j = rig_ask(&r, "{\"op\":\"change\",\"drop\":[\"example.com\"],"
			"\"allow\":[\"example.com\"]}");
	rig_want(&r, CURL "http://example.com/", 0, "reached");
	rig_close(&r);
}

/* What is still being dialled is refused as well, and at once. */
static void rules_change_while_dialling(void)
{
	struct rig r;
	pid_t pid;
	int status;

	rig_open(&r, NETNS_CATCH_HELD, NULL, NULL);
	pid = netbox_spawn(&r.box, CURL "-m 25 http://silent.example.com/", -1);
	for (int i = 0; i < 500 && !rig_stat(&r, "connections"); i++)
		sys_poll(NULL, 0, 10);
	json_free(&(struct json *){
		rig_ask(&r, "{\"op\":\"change\",\"deny\":[\"silent.example.com\"]}") });
	assert_int_equal(rig_stat(&r, "connections"), 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(WEXITSTATUS(status), 7); /* refused, not too late */
	rig_want_audit(&r, "\"verdict\":\"refused\",\"name\":\"silent.example.com\"");
	rig_close(&r);
}

/* The rules that are told are those that hold, whatever became of the process meanwhile. */
static void rules_change_without_answer(void)
{
	_cleanup_json_ struct json *j = NULL;
	struct rig r;
	pid_t pid;

	rig_open(&r, NETNS_CATCH_HELD, "[\"allow example.com\"]", NULL);
	rig_want(&r, CURL "http://example.com/", 0, "reached");
	pid = gate_pid(r.gate);
	assert_int_equal(kill(pid, SIGSTOP), 0);
	j = rig_ask(&r, "{\"op\":\"change\",\"deny\":[\"example.com\"],"
			"\"allow\":[\"other.example.com\"]}");
	assert_int_equal(json_len(json_get(j, "rules")), 3);
	assert_int_not_equal(gate_pid(r.gate), pid);
	rig_want_event(&r, "new ones work: it did not answer");
	rig_want(&r, CURL "http://example.com/", 6, "Could not resolve");
	rig_want(&r, CURL "http://other.example.com/", 0, "reached");
	rig_close(&r);
}

static void the_host_by_name(void)
{
	pid_t pid = networld_serve(8000);
	struct rig r;

	rig_open(&r, NETNS_CATCH_HELD,
		 "[\"allow host.cubby.internal:8080\",\"allow 10.0.0.1\","
		 "\"allow *.corp.test\"]",
		 NULL);
	rig_want(&r, CURL "http://host.cubby.internal:8080/", 0, "reached 127.0.0.1");
	rig_want_refused(&r, "host.cubby.internal", 8007);
	rig_want(&r, CURL "http://10.0.0.1/", 0, "reached 10.0.0.1");
	rig_want(&r, CURL "http://private.corp.test/", 0, "reached 10.0.0.1");
	rig_close(&r);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

/* Connects and fetches, under a name that would end the line if anybody believed it. */
static int fetch_by_name(void *ctx)
{
	static const char ask[] = "GET / HTTP/1.0\r\n\r\n";
	char c;
	int fd;

	sys_prctl(PR_SET_NAME, (unsigned long)(uintptr_t) "a\"b\nc", 0, 0, 0);
	fd = rig_dial(ctx);
	if (fd < 0)
		return 1;
	(void)sys_send(fd, ask, sizeof(ask) - 1, 0);
	while (sys_recv(fd, &c, 1, 0) > 0)
		;
	return 0;
}

/* Whoever connects, or asks for a name, stands in the record; a gate that has no time for
 * it, on a busy machine, says null. */
static void want_process(struct rig *r, const struct rig_peer *p, const char *event,
			 const char *name)
{
	_cleanup_buf_ struct buf b = BUF_INIT(16 << 20);
	struct rig_peer peer = *p;
	char want[64];
	struct err e = ERR_NONE;

	snprintf(want, sizeof(want), ",\"name\":\"%s\"}}\n", name);
	for (int i = 0; i < 50; i++) {
		const char *line, *end;

		netbox_call(&r->box, fetch_by_name, &peer);
		buf_truncate(&b, 0);
		unit_ok(file_read(r->dir, GATE_AUDIT_FILE, &b, &e), &e);
		line = buf_cstr(&b);
		while ((line = strstr(line, event))) {
			end = strchr(line, '\n');
			if (end && strstr(line, want) &&
			    strstr(line, want) + strlen(want) == end + 1)
				return;
			line++;
		}
	}
	fail_msg("nobody called %s with '%s' in:\n%s", name, event, buf_cstr(&b));
}

static void processes_are_named(const void *row)
{
	const struct rig_rung *g = row;
	struct rig_peer literal = { .host = "10.0.0.1", .port = 80 };
	struct rig_peer name = { .host = "example.com", .port = 80 };
	struct rig_peer unlisted = { .host = "other.example.com", .port = 80 };
	struct rig r;

	rig_open(&r, g->first, "[\"allow example.com\"]", NULL);
	if (r.box.facts.caught != g->first) {
		rig_close(&r);
		unit_skip("this kernel has no such rule");
	}
	want_process(&r, &literal, "\"open\",\"id\":", "a?b?c");
	want_process(&r, &unlisted, "\"dns\",\"verdict\":\"refused\"", "a?b?c");
	want_process(&r, &name, "\"open\",", "a?b?c");
	want_process(&r, &name, "\"close\",", "a?b?c");
	want_process(&r, &name, "\"dns\",\"verdict\":\"allowed\"", "a?b?c");
	rig_close(&r);
}

/* A record that lacks a byte to GATE_AUDIT_BYTES; its directory. */
static int fill_record(void)
{
	static char line[1 << 20];
	struct err e = ERR_NONE;
	int dir = unit_top();
	int fd = sys_openat(dir, GATE_AUDIT_FILE, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	memset(line, 'x', sizeof(line) - 1);
	line[sizeof(line) - 1] = '\n';
	for (int i = 0; i < 4; i++)
		unit_ok(file_write_fd(fd, line, sizeof(line) - !i, &e), &e);
	close(fd);
	return dir;
}

/* Another file that cannot be had now is asked for again. */
static void the_record_goes_on(void)
{
	struct rig_peer p = { .host = "10.0.0.1", .port = 80 };
	struct stat st = { 0 };
	struct gate_event ev;
	struct rig r;
	int dir = fill_record();

	(void)sys_unlinkat(dir, GATE_AUDIT_FILE ".1", 0);
	assert_int_equal(sys_mkdirat(dir, GATE_AUDIT_FILE ".1", 0700),
			 0); /* in the way */
	rig_open(&r, NETNS_CATCH_HELD, NULL, NULL);
	for (int i = 0; i < 1000 && !S_ISREG(st.st_mode); i++) {
		netbox_call(&r.box, rig_refusal, &p);
		rig_stat(&r, "accepted"); /* it has asked, and was heard */
		while (gate_step(r.gate, &ev))
			;
		if (i == 2)
			assert_int_equal(
				sys_unlinkat(dir, GATE_AUDIT_FILE ".1", AT_REMOVEDIR),
				0);
		sys_poll(NULL, 0, 10);
		(void)sys_fstatat(dir, GATE_AUDIT_FILE ".1", &st, 0);
	}
	assert_true(S_ISREG(st.st_mode) && st.st_size >= GATE_AUDIT_BYTES);
	netbox_call(&r.box, rig_refusal, &p);
	rig_want_audit(&r, "\"address\":\"10.0.0.1\"");
	close(dir);
	rig_close(&r);
}

enum { REFUSALS = 3000 };

static int refusals(void *)
{
	struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons(53) };
	int fd = sys_socket(AF_INET, SOCK_DGRAM, 0);

	inet_pton(AF_INET, NETNS_GATE_ADDR, &to.sin_addr);
	for (int i = 0; i < REFUSALS; i++) {
		uint8_t out[512];
		char name[64];
		struct rig_question q = { .name = name, .type = 1 };
		size_t len;

		snprintf(name, sizeof(name), "n%d.nowhere.test", i);
		len = rig_put_question(&q, out);
		sendto(fd, out, len, MSG_DONTWAIT, (struct sockaddr *)&to, sizeof(to));
		sys_poll(NULL, 0, i % 64 ? 0 : 1);
	}
	close(fd);
	return 0;
}

/* However many names are refused, the monitor hears of as many as it keeps. */
static void refusals_do_not_flood(void)
{
	_cleanup_json_ struct json *news = NULL;
	uint64_t start = sys_now_ms();
	int64_t asked, told, most;
	struct rig r;

	rig_open(&r, NETNS_CATCH_HELD, "[\"allow example.com\"]", NULL);
	assert_int_equal(netbox_call(&r.box, refusals, NULL), 0);
	do {
		asked = rig_stat(&r, "queries");
		sys_poll(NULL, 0, 20);
	} while (rig_stat(&r, "queries") != asked);
	news = rig_ask(&r, "{\"op\":\"events\"}");
	told = json_get_int(news, "next", -1);
	most = 64 + 16 * (int64_t)(sys_now_ms() - start + 1000) / 1000;
	if (asked < 64 || told < 64 || told > most)
		fail_msg("of %d refusals %d were told, not 64 to %d", (int)asked,
			 (int)told, (int)most);
	rig_close(&r);
}

/* A full file moves aside while the gate runs: it asks, its monitor opens another. */
static void the_record_is_rotated(void)
{
	struct rig_peer p = { .host = "10.0.0.1", .port = 80 };
	struct gate_event ev;
	struct stat st = { 0 };
	struct rig r;
	int dir = fill_record();

	rig_open(&r, NETNS_CATCH_HELD, NULL, NULL);
	netbox_call(&r.box, rig_refusal, &p);
	for (int i = 0; i < 500; i++) {
		while (gate_step(r.gate, &ev))
			;
		if (sys_fstatat(dir, GATE_AUDIT_FILE ".1", &st, 0) >= 0)
			break;
		sys_poll(NULL, 0, 20);
	}
	assert_true(st.st_size >= GATE_AUDIT_BYTES);
	rig_stat(&r, "accepted"); /* it has the other file by now */
	netbox_call(&r.box, rig_refusal, &p);
	rig_want_audit(&r, "\"address\":\"10.0.0.1\"");
	assert_int_equal(sys_fstatat(dir, GATE_AUDIT_FILE, &st, 0), 0);
	assert_true(st.st_size < 4096);
	close(dir);
	rig_close(&r);
}

/* A connection that is open when the box ends has its line too. */
static void the_end_is_recorded(void)
{
	_cleanup_buf_ struct buf b = BUF_INIT(1 << 20);
	struct err e = ERR_NONE;
	struct rig r;
	pid_t pid;

	rig_open(&r, NETNS_CATCH_HELD, NULL, NULL);
	pid = netbox_spawn(&r.box, CURL "http://example.com:9/", -1);
	for (int i = 0; i < 500 && !rig_stat(&r, "opened"); i++)
		sys_poll(NULL, 0, 20);
	assert_int_equal(rig_stat(&r, "opened"), 1);
	gate_stop(&r.gate);
	unit_ok(file_read(r.dir, GATE_AUDIT_FILE, &b, &e), &e);
	if (!strstr(buf_cstr(&b), "\"why\":\"the box ended\""))
		fail_msg("%s", buf_cstr(&b));
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	rig_close(&r);
}

/* What the process is left with. */
static void it_is_confined(void)
{
	_cleanup_json_ struct json *stats = NULL;
	char command[256];
	struct rig r;

	rig_open(&r, NETNS_CATCH_HELD, NULL, NULL);
	assert_true(rig_stat(&r, "descriptors") > 0); /* it is through with its setup */
	snprintf(
		command, sizeof(command),
		"grep -E '^(CapEff|CapPrm|CapBnd|NoNewPrivs|Seccomp):' /proc/%d/status "
		"| tr -d '\\n\\t'",
		gate_pid(r.gate));
	rig_want(&r, command, 0,
		 "CapPrm:0000000000000000CapEff:0000000000000000"
		 "CapBnd:0000000000000000NoNewPrivs:1Seccomp:2");
	stats = rig_ask(&r, "{\"op\":\"stats\"}");
	assert_true(json_get_bool(stats, "empty_root", false));
	rig_close(&r);
}

int main(int argc, char **argv)
{
	static const struct unit_case cases[] = {
		{ "names work", names_work },
		{ "unlisted is refused", unlisted_is_refused },
		{ "addresses last", addresses_last },
		{ "dies too often", dies_too_often },
		{ "its last words are told", its_last_words },
		{ "rules change", rules_change },
		{ "rules change while dialling", rules_change_while_dialling },
		{ "rules change without an answer", rules_change_without_answer },
		{ "the host by name", the_host_by_name },
		{ "the record is rotated", the_record_is_rotated },
		{ "the record goes on", the_record_goes_on },
		{ "refusals do not flood", refusals_do_not_flood },
		{ "the end is recorded", the_end_is_recorded },
		{ "it is confined", it_is_confined },
	};
	int r = 0;

	if (rig_main(argc, argv, &r))
		return r;
	r |= unit_rows("gate rungs", rig_rungs, every_rung_works);
	r |= unit_rows("gate killed", rig_rungs, killed_is_a_reset);
	r |= unit_rows("gate processes", rig_rungs, processes_are_named);
	return r | unit_cases("gate", cases);
}
