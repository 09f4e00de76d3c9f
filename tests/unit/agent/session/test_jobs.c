/* Real processes of a real shell; a list is asked for until it is as wanted. */
#include "agent/session/jobs.h"

#include <stdio.h>
#include <sys/prctl.h>

#include "base/scope.h"
#include "base/sys/sys.h"
#include "tests/unit/hostport.h"
#include "tests/unit/unit.h"

enum { TRIES = 3000, TRY_MS = 10 };

static const struct row {
	const char *name, *command, *want;
} rows[] = {
	{ "none", "read x", "" },
	{ "one", "sleep 900 & read x", "sleep 900" },
	{ "a pipeline is one", "sleep 901 | sleep 902 & read x", "sleep 901" },
	{ "after one that ended", "true & wait; sleep 910 & read x", "sleep 910" },
	{ "two", "sleep 903 & sleep 904 & read x", "sleep 903; sleep 904" },
	{ "a stopped one", "cat & read x", "cat (stopped)" },
	{ "its parent has ended", "(sleep 905 &); read x", "sleep 905" },
	{ "a session of its own is none",
	  "setsid sh -c '>ready; exec sleep 906' & until [ -e ready ]; do sleep 0.1; "
	  "done;"
	  " read x",
	  "" },
	{ "a subshell", "(sleep 907; :) & read x", "(subshell)" },
	{ "ended", "true & wait; read x", "" },
	{ "odd words", "sh -c 'read x <>/dev/ptmx' \"$(printf 'a\\033\\n')\" & read x",
	  "sh -c read x <>/dev/ptmx a\\x1b" },
};

/* Without the numbers, which are checked one by one. */
static void list(pid_t shell, struct jobs_none *none, char *ret, size_t size)
{
	struct job jobs[JOBS_MAX];
	size_t n = jobs_list(shell, none, jobs, JOBS_MAX), len = 0;
	_cleanup_buf_ struct buf b = BUF_INIT(4096);

	*ret = '\0';
	assert_int_equal(jobs_add(jobs, n, &b), 0);
	assert_int_equal(jobs_key(jobs, n) != 0, n != 0);
	for (size_t i = 0; i < n; i++) {
		assert_int_equal(jobs[i].inside, jobs[i].pid); /* no namespace here */
		len += (size_t)snprintf(ret + len, size - len, "%s%s%s", i ? "; " : "",
					jobs[i].command,
					jobs[i].stopped ? " (stopped)" : "");
	}
}

static void start(struct hostport *port, const char *command, struct session_life *ret)
{
	const char *argv[] = { "bash", "-m", "-c", command, NULL };
	struct session_spawn c = {
		.argv = argv, .cwd = unit_tmpdir(), .rows = 24, .cols = 80
	};
	struct err e = ERR_NONE;

	/* as a box's init, which gets the processes whose parents ended */
	assert_return_code(sys_prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0), 0);
	hostport_init(port, unit_tmpdir());
	unit_ok(port->port.spawn(port, &c, ret, &e), &e);
}

static void test_row(const void *p)
{
	const struct row *row = p;
	struct hostport port;
	struct session_life shell;
	struct jobs_none none = { 0 }; /* of the looks before the job began, too */
	char got[1024] = "?";

	start(&port, row->command, &shell);
	for (int i = 0; i < TRIES && strcmp(got, row->want) != 0; i++) {
		pid_t leader = sys_tcgetsid(shell.master);

		if (leader > 0)
			list(leader, &none, got, sizeof(got));
		sys_poll(NULL, 0, TRY_MS);
	}
	assert_string_equal(got, row->want);
	hostport_done(&port);
	scope_close(&shell.master);
}

static void output(void)
{
	struct hostport port;
	struct session_life shell;
	struct job jobs[JOBS_MAX];
	struct jobs_none none = { 0 };
	char path[JOBS_PATH] = "", want[JOBS_PATH];

	start(&port, "sleep 911 | sleep 908 >log & sleep 909 & read x", &shell);
	snprintf(want, sizeof(want), "%s/log", unit_tmpdir());
	for (int i = 0; i < TRIES && strcmp(path, want) != 0; i++) {
		pid_t leader = sys_tcgetsid(shell.master);

		sys_poll(NULL, 0, TRY_MS);
		if (leader > 0 && jobs_list(leader, &none, jobs, JOBS_MAX) == 2)
			jobs_output(&jobs[0], path);
	}
	assert_string_equal(path, want);
	jobs_output(&jobs[1], path);
	assert_string_equal(path, ""); /* the terminal */
	hostport_done(&port);
	scope_close(&shell.master);
}

int main(void)
{
	static const struct unit_case cases[] = { { "where output goes", output } };

	return unit_rows("jobs_list (SESSION J2)", rows, test_row) +
	       unit_cases("jobs", cases);
}
