#include <poll.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "base/file.h"
#include "base/sys/sys.h"
#include "tests/unit/networld.h"
#include "tests/unit/rig.h"
#include "tests/unit/unit.h"

enum { RULES = 1000, MOST = 2000 };

/* A gate for a box, and a connection through it; every open one is cut with the gate. */
static void open_gate(struct rig *r)
{
	rig_open(r, NETNS_CATCH_HELD, NULL, NULL);
#ifdef __SANITIZE_ADDRESS__
	rig_close(r);
	unit_skip("its own memory is the sanitizer's");
#endif
	if (rig_stat(r, "most") < MOST) {
		rig_close(r);
		unit_skip("this host allows fewer descriptors");
	}
}

/* From now on the process gets no more than it has. */
static void use_up(const struct rig *r)
{
	const struct rlimit none = { 0, 0 };

	assert_int_equal(prlimit(gate_pid(r->gate), RLIMIT_DATA, &none, NULL), 0);
}

/* It said why, and that it is a failure; its successor has its memory again. */
static void want_replaced(struct rig *r, pid_t before)
{
	struct rlimit l;
	siginfo_t end;

	assert_int_equal(waitid(P_PID, (id_t)before, &end, WEXITED | WNOWAIT), 0);
	assert_int_equal(end.si_code, CLD_EXITED);
	assert_int_equal(end.si_status, 1);
	rig_want_event(r, "network: the gate of this box was replaced; open "
			  "connections were lost, new ones work: out of memory");
	rig_want_audit(r, "\"event\":\"gate\",\"why\":\"out of memory\"}\n");
	rig_want(r, CURL "http://example.com/", 0, "reached 93.184.216.34");
	assert_int_not_equal(gate_pid(r->gate), before);
	assert_int_equal(prlimit(gate_pid(r->gate), RLIMIT_DATA, NULL, &l), 0);
	assert_true(l.rlim_cur > 0);
	rig_quiet(r);
}

struct crowd {
	struct rig_peer peer;
	int ready, go; /* says that the first one is there; goes on when it is told */
};

/* Opens one connection after the other until the first is cut; 0 = it was. */
static int be_crowd(void *ctx)
{
	const struct crowd *w = ctx;
	struct pollfd first = { .fd = rig_dial(&w->peer), .events = POLLIN };
	char c;

	setrlimit(RLIMIT_NOFILE, &(struct rlimit){ 2 * MOST, 2 * MOST });
	if (sys_send(first.fd, "1", 1, 0) != 1 || sys_recv(first.fd, &c, 1, 0) != 1 ||
	    sys_write(w->ready, "r", 1) != 1 || sys_read(w->go, &c, 1) != 1)
		return 3;
	for (int i = 1; i < MOST && !sys_poll(&first, 1, 0); i++)
		if (rig_dial(&w->peer) < 0)
			break;
	if (sys_poll(&first, 1, 60000) != 1)
		return 1;
	return sys_recv(first.fd, &c, 1, 0) == -ECONNRESET ? 0 : 2;
}

static void connections_use_it_up(void)
{
	struct crowd w = { .peer = { .host = NETWORLD_PUBLIC, .port = 7 } };
	int ready[2], go[2], status;
	pid_t before, pid;
	struct rig r;
	char c;

	open_gate(&r);
	before = gate_pid(r.gate);
	assert_true(sys_pipe2(ready, 0) >= 0 && sys_pipe2(go, 0) >= 0);
	w.ready = ready[1];
	w.go = go[0];
	pid = fork();
	assert_true(pid >= 0);
	if (!pid)
		_exit(netbox_call(&r.box, be_crowd, &w));
	close(ready[1]);
	assert_int_equal(sys_read(ready[0], &c, 1), 1);
	use_up(&r);
	assert_int_equal(sys_write(go[1], "g", 1), 1);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	close(ready[0]);
	close(go[0]);
	close(go[1]);
	want_replaced(&r, before);
	rig_want_audit(&r, "\"why\":\"the gate ended\"");
	rig_close(&r);
}

/* More rules than memory is left for. */
static struct json *many_rules(void)
{
	_cleanup_buf_ struct buf text = BUF_INIT(1 << 20);

	buf_adds(&text, "{\"op\":\"change\",\"allow\":[\"*\"");
	for (int i = 0; i < RULES; i++)
		buf_addf(&text, ",\"%04d.rather-a-long-name.example.com:443\"", i);
	buf_adds(&text, "]}");
	return rig_json(buf_cstr(&text));
}

static void a_question_uses_it_up(void)
{
	_cleanup_json_ struct json *q = many_rules();
	_cleanup_json_ struct json *rules = NULL;
	struct json *answer = NULL;
	struct err e = ERR_NONE;
	struct rig r;
	pid_t before;

	open_gate(&r);
	before = gate_pid(r.gate);
	use_up(&r);
	assert_int_equal(gate_ask(r.gate, q, &answer, &e), -ECONNRESET);
	assert_null(answer);
	unit_err(&e, -ECONNRESET, "the gate ended: out of memory; ask again");
	rules = rig_ask(&r, "{\"op\":\"rules\"}");
	assert_int_equal(json_len(json_get(rules, "rules")), 0); /* all or nothing */
	rig_want_event(&r, "new ones work: out of memory");
	rig_want(&r, CURL "http://example.com/", 0, "reached 93.184.216.34");
	assert_int_not_equal(gate_pid(r.gate), before);
	e = ERR_NONE;
	unit_ok(gate_ask(r.gate, q, &answer, &e), &e); /* asked again */
	json_free(&answer);
	rig_close(&r);
}

int main(int argc, char **argv)
{
	static const struct unit_case cases[] = {
		{ "connections use it up", connections_use_it_up },
		{ "a question uses it up", a_question_uses_it_up },
	};
	int r = 0;

	if (rig_main(argc, argv, &r))
		return r;
	return r | unit_cases("gate memory", cases);
}
