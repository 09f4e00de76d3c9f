#include "runtime/gate/audit.h"

#include <stdio.h>

#include "base/file.h"
#include "base/sys/sys.h"
#include "tests/unit/unit.h"

static struct netaddr addr_of(const char *s)
{
	struct netaddr a;

	assert_int_equal(netaddr_parse(s, &a), 0);
	return a;
}

static void writes_lines(void)
{
	struct netaddr a = addr_of("1.2.3.4");
	struct gate_audit_line l = { .event = "close",
				     .id = 7,
				     .name = "a.b",
				     .addr = &a,
				     .port = 443,
				     .ended = true,
				     .sent = 1,
				     .ms = 9 };
	char out[GATE_AUDIT_LINE];

	gate_audit_format(&l, 0, 5000000, out);
	assert_string_equal(
		out, "{\"time\":\"1970-01-01T00:00:00.005Z\",\"event\":\"close\","
		     "\"id\":7,\"name\":\"a.b\",\"address\":\"1.2.3.4\",\"port\":443,"
		     "\"sent\":1,\"received\":0,\"ms\":9}\n");
}

static void a_line_says_who(void)
{
	struct gate_owner who = { .pid = 12, .name = "a\"b\nc" };
	struct gate_audit_line l = { .event = "dns", .by_box = true, .who = &who };
	char out[GATE_AUDIT_LINE];

	gate_audit_format(&l, 0, 0, out);
	assert_non_null(strstr(out, "\"dns\",\"process\":{\"pid\":12,"
				    "\"name\":\"a?b?c\"}}\n"));
	who.pid = 0;
	gate_audit_format(&l, 0, 0, out);
	assert_non_null(strstr(out, "\"dns\",\"process\":null}\n"));
	l.who = NULL;
	gate_audit_format(&l, 0, 0, out);
	assert_non_null(strstr(out, "\"dns\",\"process\":null}\n"));
	l.by_box = false;
	gate_audit_format(&l, 0, 0, out);
	assert_null(strstr(out, "process"));
}

static void foreign_text_cannot_break_a_line(void)
{
	char big[2000], out[GATE_AUDIT_LINE];
	struct gate_audit_line l = { .event = "dns", .name = "a\"b\\c\nd\xff" };
	size_t n = gate_audit_format(&l, 0, 0, out);

	assert_non_null(strstr(out, "\"name\":\"a?b?c?d?\"}\n"));
	memset(big, 'x', sizeof(big) - 1);
	big[sizeof(big) - 1] = '\0';
	l.name = l.why = l.verdict = big;
	n = gate_audit_format(&l, 0, 0, out);
	assert_true(n < GATE_AUDIT_LINE && out[n - 1] == '\n' && out[n - 2] == '}');
}

static void a_full_file_moves_aside(void)
{
	struct gate_audit_line l = { .event = "dns", .name = "a.b" };
	struct gate_audit a = { .fd = -1 };
	struct err e = ERR_NONE;
	_cleanup_close_ int dir = unit_top();
	struct stat st;
	int fd, r;

	unit_ok(gate_audit_open(dir, &fd, &e), &e);
	gate_audit_start(&a, fd);
	while (a.size < 2 * GATE_AUDIT_BYTES) {
		r = gate_audit_write(&a, &l);
		assert_int_equal(r, a.size >= GATE_AUDIT_BYTES); /* nobody comes */
	}
	assert_int_equal(gate_audit_write(&a, &l), -EFBIG);
	unit_ok(gate_audit_open(dir, &fd, &e), &e);
	gate_audit_start(&a, fd);
	assert_int_equal(a.size, 0);
	assert_int_equal(sys_fstatat(dir, GATE_AUDIT_FILE ".1", &st, 0), 0);
	assert_true(st.st_size >= 2 * GATE_AUDIT_BYTES &&
		    st.st_size < 2 * GATE_AUDIT_BYTES + GATE_AUDIT_LINE);
	assert_int_equal(st.st_mode & 0777, 0600);
	gate_audit_done(&a);
	assert_int_equal(gate_audit_write(&a, &l), 0); /* no audit, no failure */
}

static void a_link_is_not_followed(void)
{
	_cleanup_close_ int dir = unit_top();
	struct err e = ERR_NONE;
	int fd = -1;

	assert_int_equal(sys_symlinkat("elsewhere", dir, GATE_AUDIT_FILE), 0);
	assert_int_equal(gate_audit_open(dir, &fd, &e), -ELOOP);
	unit_err(&e, -ELOOP,
		 "cannot open the network log 'net.jsonl': Too many levels of symbolic "
		 "links");
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "writes lines", writes_lines },
		{ "a line says who", a_line_says_who },
		{ "foreign text cannot break a line",
		  foreign_text_cannot_break_a_line },
		{ "a full file moves aside", a_full_file_moves_aside },
		{ "a link is not followed", a_link_is_not_followed },
	};

	return unit_cases("netaudit", cases);
}
