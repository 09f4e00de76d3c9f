/* Real programs on a real pty; a look is repeated until it says what is wanted. */
#include "agent/session/waiting.h"

#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <termios.h>

#include "base/proc.h"
#include "base/scope.h"
#include "base/sys/sys.h"
#include "tests/unit/hostport.h"
#include "tests/unit/unit.h"

enum { TRIES = 500, TRY_MS = 10 };

struct terminal {
	struct hostport port;
	struct session_life shell;
};

static void start(struct terminal *t, const char *command)
{
	const char *argv[] = { "sh", "-c", command, NULL };
	struct session_spawn c = { .argv = argv, .cwd = "/", .rows = 24, .cols = 80 };
	struct err e = ERR_NONE;

	hostport_init(&t->port, unit_tmpdir());
	unit_ok(t->port.port.spawn(&t->port, &c, &t->shell, &e), &e);
}

static void end(struct terminal *t)
{
	hostport_done(&t->port);
	scope_close(&t->shell.master);
}

/* Until it waits, or the program says on the terminal that it is where it should be. */
static enum waiting_reason look(struct terminal *t, bool want_wait)
{
	struct waiting_sample s = { .reason = WAITING_NOT };

	for (int i = 0; i < TRIES; i++) {
		struct pollfd p = { t->shell.master, want_wait ? 0 : POLLIN, 0 };

		sys_poll(&p, 1, TRY_MS);
		if (waiting_look(t->shell.master, &s) < 0)
			continue;
		if (want_wait ? s.reason != WAITING_NOT : p.revents & POLLIN)
			return s.reason;
	}
	return s.reason;
}

static const struct row {
	const char *name, *needs, *command;
	enum waiting_reason want;
} rows[] = {
	{ "a line", NULL, "read x", WAITING_LINE },
	{ "a line, below the shell", NULL, "cat; :", WAITING_LINE },
	{ "a line, behind a pipe", NULL, "cat | cat; :", WAITING_LINE },
	{ "a line, from /dev/tty", NULL, "read x </dev/tty", WAITING_LINE },
	{ "a password", NULL, "stty -echo; read x", WAITING_PASSWORD },
	{ "a key", NULL, "stty -icanon; read x", WAITING_KEY },
	{ "a key, polled for", "python3",
	  "stty raw -echo; python3 -c 'import select; select.select([0],[],[])'",
	  WAITING_KEY },
	{ "one terminal polled for as a line", "python3",
	  "python3 -c 'import select; select.select([0],[],[])'", WAITING_LINE },
	{ "a relay", "script", "script -qec 'read x' /dev/null", WAITING_LINE },
	{ "a password behind a relay", "script",
	  "script -qec 'stty -echo; read x' /dev/null", WAITING_PASSWORD },
	{ "sleep", NULL, "echo here; sleep 60", WAITING_NOT },
	{ "a pipe", NULL, "echo here; sleep 60 | cat", WAITING_NOT },
	{ "a loop", NULL, "echo here; while :; do :; done", WAITING_NOT },
	{ "a background reader", NULL, "set -m; cat & sleep 0.2; echo here; sleep 60",
	  WAITING_NOT },
	{ "a socket polled for", "python3",
	  "python3 -c 'import socket,select; a,b=socket.socketpair(); "
	  "print(1,flush=True); "
	  "select.select([a],[],[])'",
	  WAITING_NOT },
	{ "a glance at the terminal", "python3",
	  "python3 -c 'import select\nprint(1,flush=True)\nwhile 1: "
	  "select.select([0],[],[],0.5)'",
	  WAITING_NOT },
};

static void test_row(const void *p)
{
	const struct row *row = p;
	char path[PATH_MAX], why[64];
	struct terminal t;

	snprintf(why, sizeof(why), "%s is not installed", row->needs ? row->needs : "");
	if (row->needs && proc_find(row->needs, path) < 0)
		unit_skip(why);
	start(&t, row->command);
	assert_int_equal(look(&t, row->want != WAITING_NOT), row->want);
	end(&t);
}

static void nobody_there(void)
{
	_cleanup_close_ int fd = sys_open("/dev/null", O_RDONLY);
	struct waiting_sample s = { .reason = WAITING_KEY };

	assert_int_equal(waiting_look(fd, &s), -ENOTTY);
	assert_int_equal(s.reason, WAITING_KEY); /* untouched */
}

/* A signal reaches a program, and a subshell that sleeps or computes; not a copy that has
 * just been made, which may be about to become a program. */
static void takers(void)
{
	static const struct {
		const char *command;
		enum waiting_taker want;
	} steps[] = {
		{ "while :; do (:); done", WAITING_NEW },
		{ "sh -c 'while :; do (:); done'; :", WAITING_NEW },
		{ "(echo here; while :; do :; done); :", WAITING_TAKER },
		{ "(read x); :", WAITING_TAKER },
		{ "sleep 60; :", WAITING_TAKER },
	};

	for (size_t i = 0; i < ARRAY_SIZE(steps); i++) {
		enum waiting_taker got = WAITING_NOBODY;
		struct terminal t;

		start(&t, steps[i].command);
		if (strstr(steps[i].command, "echo"))
			look(&t, false);
		for (int n = 0; n < TRIES && got != steps[i].want; n++) {
			sys_poll(NULL, 0, TRY_MS);
			got = waiting_taker(t.shell.master);
		}
		assert_int_equal(got, steps[i].want);
		end(&t);
	}
}

static void unread(void)
{
	static const struct {
		bool raw;
		const char *typed;
		bool want;
	} steps[] = {
		{ false, "a", false }, { false, "\n", true },  { false, "\004", true },
		{ true, "a", true },   { true, "\003", true },
	};

	for (size_t i = 0; i < ARRAY_SIZE(steps); i++) {
		_cleanup_close_ int master = sys_open("/dev/ptmx", O_RDWR | O_NOCTTY);
		_cleanup_close_ int slave = -1;
		struct termios t;

		assert_return_code(sys_pty_unlock(master), 0);
		slave = sys_pty_peer(master, O_RDWR | O_NOCTTY | O_NONBLOCK);
		assert_return_code(slave, 0);
		assert_int_equal(tcgetattr(slave, &t), 0);
		if (steps[i].raw)
			cfmakeraw(&t);
		assert_int_equal(tcsetattr(slave, TCSANOW, &t), 0);
		assert_false(waiting_unread(master));
		assert_int_equal(sys_write(master, steps[i].typed, 1), 1);
		assert_int_equal(waiting_unread(master), steps[i].want);
		assert_int_equal(tcflush(slave, TCIFLUSH), 0);
		assert_false(waiting_unread(master));
	}
}

/* The program inside waits and has asked, but nobody has seen the question. */
static void relay_holds_output(void)
{
	static const char relay[] =
		"stty raw -echo; exec python3 -c 'import os,pty,select\n"
		"p,f=pty.fork()\n"
		"if not p: os.write(1,b\"name: \"); os.read(0,9); os._exit(0)\n"
		"select.select([f],[],[]); os.write(1,b\"here\")\n"
		"select.select([0],[],[])\n"
		"os.read(0,1); os.read(f,99); select.select([0,f],[],[],60)'";
	struct waiting_sample s;
	struct terminal t;
	char path[PATH_MAX];

	if (proc_find("python3", path) < 0)
		unit_skip("python3 is not installed");
	start(&t, relay);
	assert_int_equal(look(&t, false), WAITING_NOT);
	for (int i = 0; i < 30; i++) {
		sys_poll(NULL, 0, TRY_MS);
		assert_int_equal(waiting_look(t.shell.master, &s), 0);
		assert_int_equal(s.reason, WAITING_NOT);
	}
	assert_int_equal(sys_write(t.shell.master, "x", 1), 1);
	assert_int_equal(look(&t, true), WAITING_LINE);
	end(&t);
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "no terminal", nobody_there },
		{ "typed and not read yet", unread },
		{ "who takes a signal", takers },
		{ "printed and not passed on yet", relay_holds_output },
	};

	return unit_rows("waiting_look (SESSION 3)", rows, test_row) +
	       unit_cases("waiting", cases);
}
