/* A session over a real bash on a real pty of this host. */
#include "agent/session/session.h"
#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/sys/sys.h"
#include "tests/unit/shellkit.h"

struct fixture {
	struct hostport port;
	struct session *s;
	struct session_result r;
	struct err e;
};

static void open_shell(struct fixture *f, const char *shell)
{
	struct session_conf conf = {
		.port = &f->port.port,
		.name = "main",
		.shell = shell,
		.cwd = unit_tmpdir(),
		.no_rc = true,
		.interrupt_fd = -1,
	};

	f->e = ERR_NONE;
	hostport_init(&f->port, unit_tmpdir());
	session_result_init(&f->r);
	unit_ok(session_open(&conf, &f->s, &f->e), &f->e);
}

static void shut(struct fixture *f)
{
	session_close(&f->s);
	session_result_done(&f->r);
	hostport_done(&f->port);
}

static void run(struct fixture *f, const char *text)
{
	static const struct session_limits lim = { 20000, 20000 };

	session_result_done(&f->r);
	unit_ok(session_run(f->s, text, strlen(text), &lim, &f->r, &f->e), &f->e);
}

static void input(struct fixture *f, const char *text)
{
	static const struct session_limits lim = { 20000, 20000 };

	session_result_done(&f->r);
	unit_ok(session_input(f->s, text, strlen(text), &lim, &f->r, &f->e), &f->e);
}

static void expect(const struct fixture *f, int status, const char *text)
{
	assert_string_equal(buf_cstr(&f->r.text), text);
	assert_int_equal(f->r.state, SESSION_EXITED);
	assert_int_equal(f->r.status, status);
}

static const struct row {
	const char *name;
	const char *first; /* run before, its result ignored; NULL = nothing */
	const char *text, *want;
	int status;
} rows[] = {
	{ "S1: true", NULL, "true", "", 0 },
	{ "S1: false", NULL, "false", "", 1 },
	{ "S1: status beyond a byte", NULL, "(exit 300)", "", 44 },
	{ "S1: unknown command", NULL, "nosuch-x",
	  "bash: nosuch-x: command not found\n", 127 },
	{ "S1: a directory", NULL, "/tmp", "bash: /tmp: Is a directory\n", 126 },
	{ "S1: killed", NULL, "sh -c 'kill -9 $$'", "Killed\n", 137 },
	{ "S1: previous status", "(exit 7)", "echo $?", "7\n", 0 },
	{ "S1: previous status zero", "true", "echo $?", "0\n", 0 },
	{ "S2: cd", "cd /", "pwd", "/\n", 0 },
	{ "S2: export", "export A='abc\"def'", "printenv A", "abc\"def\n", 0 },
	{ "S2: variable with a newline", "A='a\nb!'", "echo \"$A\"", "a\nb!\n", 0 },
	{ "S2: function", "f() { echo hi; }", "f", "hi\n", 0 },
	{ "S2: alias", "alias x='echo al'", "x", "al\n", 0 },
	{ "S2: umask", "umask 077", "umask", "0077\n", 0 },
	{ "S2: shopt", "shopt -s nullglob", "shopt nullglob", "nullglob       \ton\n",
	  0 },
	{ "S2: declare is global", "declare -A m=([a]=b)", "echo ${m[a]}", "b\n", 0 },
	{ "S2: descriptor", "exec 3>f; echo x >&3", "cat f; echo y >&3; cat f",
	  "x\nx\ny\n", 0 },
	{ "S2: array", "a=(1 2 '3 4')", "echo ${#a[@]}", "3\n", 0 },
	{ "S2: trap", "trap 'echo usr' USR1", "kill -USR1 $$; :", "usr\n", 0 },
	{ "I1: blanks", NULL, "printf '%s' 'a\n\n\nz'", "a\n\n\nz", 0 },
	{ "I1: leading blanks", NULL, "   \techo   'a  b'  ", "a  b\n", 0 },
	{ "I2: continuation", NULL, "echo a\\\nb", "ab\n", 0 },
	{ "I2: loop", NULL, "for i in 1 2\ndo\n  echo $i\ndone", "1\n2\n", 0 },
	{ "I2: case", NULL, "case a in\na) echo y;;\nesac", "y\n", 0 },
	{ "I2: test", NULL, "[[ a == a ]] && A=(1 2) && echo ${A[1]}", "2\n", 0 },
	{ "I3: heredoc", NULL, "cat <<'E'\n$x `y`\n  z\nE", "$x `y`\n  z\n", 0 },
	{ "I4: find", NULL, "touch q; find . -name q -exec echo {} \\;", "./q\n", 0 },
	{ "I4: grep", NULL, "printf 'a\\nb\\nc\\n' | grep \"a\\|b\"", "a\nb\n", 0 },
	{ "I5: open quote", NULL, "echo \"",
	  "bash: unexpected EOF while looking for matching `\"'\n", 2 },
	{ "I5: afterwards", "echo '", "echo ok", "ok\n", 0 },
	{ "I6: open heredoc", NULL, "cat 2>/dev/null <<E\nhi",
	  "bash: warning: "
	  "here-document at line 1 delimited by end-of-file (wanted `E')\nhi\n",
	  0 },
	{ "I6: blank", NULL, "   ", "", 0 },
	{ "I6: empty", NULL, "", "", 0 },
	{ "S1: the status outlives an empty text", "(exit 7)", "", "", 7 },
	{ "S1: the status outlives blanks", "(exit 7)", " \n\t", "", 7 },
	{ "I6: comment", NULL, "# nothing", "", 0 },
	{ "I7: exclamation", NULL, "echo A!B '!!'", "A!B !!\n", 0 },
	{ "I7: tab", NULL, "echo 'a\tb'", "a\tb\n", 0 },
	{ "I7: no history", "echo x", "history", "", 0 },
	{ "I8: set -x", "set -x", "echo hi; set +x", "++ echo hi\nhi\n++ set +x\n", 0 },
	{ "I8: set -x, interrupted by nothing", "set -x; set +x", "echo hi", "hi\n",
	  0 },
	{ "I9: like a script", NULL, "echo 1\nfalse\necho 2\n(exit 4)", "1\n2\n", 4 },
	{ "O1: progress bar", NULL, "printf '1%%\\r2%%\\r3%%\\n'", "3%\n", 0 },
	{ "O2: colours", NULL, "printf '\\033[31mred\\033[0m\\n'", "red\n", 0 },
	{ "O10: no final newline", NULL, "printf abc", "abc", 0 },
	{ "O10: half a character", NULL, "printf 'a\\342\\202'", "a\xef\xbf\xbd", 0 },
	{ "O12: exec >file", "exec >out 2>&1; echo lost",
	  "exec >/dev/tty 2>&1; cat out", "lost\n", 0 },
	{ "O12: stderr", NULL, "ls /nonexistent 2>/dev/null; echo $?", "2\n", 0 },
	{ "R1: exec </dev/null", "exec </dev/null", "echo ok", "ok\n", 0 },
	{ "R5: hooks", "PROMPT_COMMAND=; PS1=x", "echo ok", "ok\n", 0 },
	{ "R5: stty", "stty raw -echo", "printf 'a\\nb\\n'", "a\nb\n", 0 },
	{ "R5: smcup", "tput smcup", "echo ok", "ok\n", 0 },
	{ "R5: reset", "printf '\\033c'", "echo ok", "ok\n", 0 },
	{ "R4: a mark without the nonce", NULL,
	  "printf 'a\\033]7717;;D;3;/\\033\\\\b\\n'", "ab\n", 0 },
	{ "set -a exports nothing of ours", "set -a", "env | grep -c ^__cubby", "0\n",
	  1 },
	{ "IFS", "IFS=3", "echo '1 2'", "1 2\n", 0 },
	{ "readonly", "readonly IFS LC_ALL PROMPT_COMMAND PS1", "echo ok", "ok\n", 0 },
	{ "set -u", "set -u", "echo ${nope-unset}", "unset\n", 0 },
	{ "functions named like builtins",
	  "printf() { :; }; read() { :; }; unset() { :; }", "echo ok", "ok\n", 0 },
	{ "a function named builtin is told of", NULL, "builtin() { :; }; (exit 5)",
	  "bash: the function 'builtin' was removed: this session needs what it "
	  "hides\n",
	  5 },
	{ "a function named builtin: options come back",
	  "shopt -u expand_aliases interactive_comments sourcepath; shopt -s "
	  "shift_verbose; a=$BASHOPTS; builtin() { :; }",
	  "[ \"$a\" = \"$BASHOPTS\" ] && echo ok ${POSIXLY_CORRECT-no} ${-//[^e]/}",
	  "ok no\n", 0 },
	{ "a function named builtin in POSIX mode", "set -o posix; builtin() { :; }",
	  "case :$SHELLOPTS: in *:posix:*) echo ok;; esac", "ok\n", 0 },
	{ "break", "break", "echo ok", "ok\n", 0 },
	{ "DEBUG trap", "trap 'x=1' DEBUG", "echo ok", "ok\n", 0 },
	{ "DEBUG trap of functions that prints",
	  "trap 'case $BASH_COMMAND in *printf*|*read*) echo seen;; esac' DEBUG; set "
	  "-T",
	  "echo ok", "ok\n", 0 },
	{ "set -T comes back", "set -T", "echo ${-//[^T]/}", "T\n", 0 },
	{ "ERR trap", "trap : ERR; false", "echo ok", "ok\n", 0 },
	{ "RETURN trap", "trap : RETURN", "echo ok", "ok\n", 0 },
	{ "nonce is hidden", NULL, "set | grep ^__cubby_n=", "__cubby_n=****\n", 0 },
};

static void test_row(const void *p)
{
	const struct row *row = p;
	struct fixture f;

	open_shell(&f, "bash");
	if (row->first)
		run(&f, row->first);
	run(&f, row->text);
	expect(&f, row->status, row->want);
	run(&f, "echo again");
	expect(&f, 0, "again\n");
	shut(&f);
}

static void cwd_is_exact(void)
{
	struct fixture f;
	char want[256];

	open_shell(&f, "bash");
	run(&f, "mkdir -p $'a b\\n\\xff\\e~%' && cd $'a b\\n\\xff\\e~%'");
	expect(&f, 0, "");
	snprintf(want, sizeof(want), "%s/a b\n\xff\033~%%", unit_tmpdir());
	assert_string_equal(f.r.cwd, want);
	run(&f, "rmdir \"$PWD\"");
	assert_string_equal(f.r.cwd, want);
	shut(&f);
}

static void a_prompt_is_a_wait(void)
{
	struct fixture f;

	open_shell(&f, "bash");
	run(&f, "read -p 'name? ' x; echo \"<$x>\"");
	assert_int_equal(f.r.state, SESSION_WAITING);
	assert_int_equal(f.r.reason, WAITING_LINE);
	assert_string_equal(buf_cstr(&f.r.text), "name? ");
	input(&f, "Bob\n");
	expect(&f, 0, "Bob\n<Bob>\n");
	run(&f, "read -s -p 'pw: ' x; echo; echo ${#x}");
	assert_int_equal(f.r.state, SESSION_WAITING);
	assert_int_equal(f.r.reason, WAITING_PASSWORD);
	input(&f, "hunter\n");
	expect(&f, 0, "\n6\n");
	run(&f, "read -n1 x; echo; echo \"<$x>\"");
	assert_int_equal(f.r.state, SESSION_WAITING);
	assert_int_equal(f.r.reason, WAITING_KEY);
	input(&f, "q");
	expect(&f, 0, "q\n<q>\n");
	shut(&f);
}

static void cat_is_fed_and_ended(void)
{
	struct fixture f;

	open_shell(&f, "bash");
	run(&f, "cat\necho second");
	assert_int_equal(f.r.state, SESSION_WAITING);
	input(&f, "one\n");
	assert_int_equal(f.r.state, SESSION_WAITING);
	assert_string_equal(buf_cstr(&f.r.text), "one\none\n");
	input(&f, "\004");
	expect(&f, 0, "second\n");
	shut(&f);
}

/* The time of a command is its own: neither what it waited for an answer, nor what passed
 * between its end and the call that tells of it. */
static void its_time_is_its_own(void)
{
	enum { THINKS_MS = 600 };
	static const struct session_limits soft = { 50, 20000 };
	uint64_t begun, took, ended = 0;
	char file[PATH_MAX];
	struct fixture f;

	open_shell(&f, "bash");
	snprintf(file, sizeof(file), "%s/ended", unit_tmpdir());
	begun = sys_now_ms();
	run(&f, "read -r x");
	assert_int_equal(f.r.state, SESSION_WAITING);
	sys_poll(NULL, 0, THINKS_MS);
	input(&f, "a\n");
	took = sys_now_ms() - begun;
	expect(&f, 0, "a\n");
	assert_in_range(f.r.time_ms, 0, took - THINKS_MS);

	session_result_done(&f.r);
	begun = sys_now_ms();
	unit_ok(session_run(f.s, "sleep 0.2; >ended", 17, &soft, &f.r, &f.e), &f.e);
	assert_int_equal(f.r.state, SESSION_RUNNING);
	while (access(file, F_OK) != 0 || sys_now_ms() < ended + THINKS_MS) {
		if (access(file, F_OK) != 0)
			ended = sys_now_ms();
		session_pump(f.s);
		sys_poll(NULL, 0, 1);
	}
	input(&f, "");
	took = sys_now_ms() - begun;
	expect(&f, 0, "");
	assert_in_range(f.r.time_ms, 200, took - THINKS_MS / 2);
	shut(&f);
}

static void limits_leave_it_running(void)
{
	static const struct session_limits soft = { 100, 20000 }, hard = { 0, 150 };
	struct fixture f;

	open_shell(&f, "bash");
	session_result_done(&f.r);
	unit_ok(session_run(f.s, "echo a; sleep 60; echo b", 24, &soft, &f.r, &f.e),
		&f.e);
	assert_int_equal(f.r.state, SESSION_RUNNING);
	assert_int_equal(f.r.limit, SESSION_SOFT);
	assert_string_equal(buf_cstr(&f.r.text), "a\n");
	session_result_done(&f.r);
	unit_ok(session_input(f.s, "", 0, &hard, &f.r, &f.e), &f.e);
	assert_int_equal(f.r.state, SESSION_RUNNING);
	assert_int_equal(f.r.limit, SESSION_HARD);
	/* X5 */
	assert_int_equal(session_run(f.s, "echo no", 7, &hard, &f.r, &f.e), -EBUSY);
	session_result_done(&f.r);
	unit_ok(session_input(f.s, "\003", 1, &soft, &f.r, &f.e), &f.e);
	expect(&f, 130, "^C\n");
	run(&f, "echo $?");
	expect(&f, 0, "130\n");
	shut(&f);
}

static void stopped_and_continued(void)
{
	static const struct session_limits lim = { 200, 20000 };
	struct fixture f;

	open_shell(&f, "bash");
	session_result_done(&f.r);
	unit_ok(session_run(f.s, "sleep 60", 8, &lim, &f.r, &f.e), &f.e);
	session_result_done(&f.r);
	unit_ok(session_input(f.s, "\032", 1, &lim, &f.r, &f.e), &f.e);
	assert_int_equal(f.r.state, SESSION_EXITED);
	assert_int_equal(f.r.status, 148);
	run(&f, "kill %1; wait; echo done");
	assert_int_equal(f.r.state, SESSION_EXITED);
	shut(&f);
}

static const struct dying {
	const char *name, *text;
	int status, signal;
} deaths[] = {
	{ "R1: exit 7", "cd /; exit 7", 7, 0 },
	{ "R1: kill -9", "cd /; kill -9 $$", 137, 9 },
	{ "R1: exec true", "cd /; exec true", 0, 0 },
	{ "R2: set -e", "cd /; set -euo pipefail; false", 1, 0 },
};

static void test_death(const void *p)
{
	const struct dying *row = p;
	struct fixture f;

	open_shell(&f, "bash");
	/* the directory is told at the end of a command */
	run(&f, "cd /");
	run(&f, row->text);
	assert_int_equal(f.r.state, SESSION_DIED);
	assert_int_equal(f.r.status, row->status);
	assert_int_equal(f.r.signal, row->signal);
	assert_string_equal(f.r.cwd, "/");
	run(&f, "pwd");
	expect(&f, 0, "/\n");
	shut(&f);
}

static void a_reset_forgets(void)
{
	struct fixture f;

	open_shell(&f, "bash");
	run(&f, "A=1; cd /");
	for (int i = 0; i < 10; i++)
		unit_ok(session_reset(f.s, &f.e), &f.e);
	run(&f, "echo ${A-unset}; pwd");
	assert_string_equal(f.r.cwd, unit_tmpdir());
	shut(&f);
}

static void a_box_that_ends_between_commands(void)
{
	struct fixture f;

	open_shell(&f, "bash");
	run(&f, "A=1; cd /; echo before");
	f.port.box_ended = true;
	assert_true(session_gone(f.s));
	run(&f, "touch never");
	assert_int_equal(f.r.state, SESSION_DIED);
	assert_true(f.r.gone && f.r.unrun);
	assert_string_equal(buf_cstr(&f.r.text), "");
	assert_string_equal(f.r.cwd, "/");
	assert_false(session_gone(f.s)); /* told */
	run(&f, "echo ${A-unset} $PWD");
	expect(&f, 0, "unset /\n");
	assert_null(f.r.note);
	assert_false(f.r.gone);
	shut(&f);
}

static void a_box_that_ends_under_a_command(void)
{
	static const struct session_limits hard = { 0, 100 };
	struct fixture f;

	open_shell(&f, "bash");
	session_result_done(&f.r);
	do /* a busy machine: until it has begun */
		unit_ok(session_waitable(f.s)
				? session_input(f.s, "", 0, &hard, &f.r, &f.e)
				: session_run(f.s, "echo on; sleep 60", 17, &hard, &f.r,
					      &f.e),
			&f.e);
	while (!strstr(buf_cstr(&f.r.text), "on"));
	f.port.box_ended = true;
	input(&f, "");
	assert_int_equal(f.r.state, SESSION_DIED);
	assert_true(f.r.gone && !f.r.unrun);
	assert_int_equal(session_input(f.s, "", 0, &hard, &f.r, &f.e), -ENOMSG);
	run(&f, "echo again");
	expect(&f, 0, "again\n");
	f.port.box_ended = true; /* and what is typed to nobody is told, too */
	input(&f, "x\n");
	assert_true(f.r.gone && f.r.unrun);
	f.port.box_ended = true;
	unit_ok(session_reset(f.s, &f.e), &f.e);
	run(&f, "echo anew");
	expect(&f, 0, "anew\n");
	shut(&f);
}

static int no_spawn(void *, const struct session_spawn *, struct session_life *,
		    struct err *e)
{
	return err_sys(e, -EAGAIN, "cannot fork");
}

/* As at the process limit of the box: the next command tries again. */
static void a_shell_that_cannot_be_replaced(void)
{
	static const struct session_limits hard = { 0, 60000 };
	struct fixture f;

	open_shell(&f, "bash");
	for (int reset = 0; reset < 2; reset++) {
		int (*spawn)(void *, const struct session_spawn *,
			     struct session_life *, struct err *) =
			take(&f.port.port.spawn, no_spawn);
		int r;

		session_result_done(&f.r);
		r = reset ? session_reset(f.s, &f.e)
			  : session_run(f.s, "exit 3", 6, &hard, &f.r, &f.e);
		assert_int_equal(r, -EAGAIN);
		r = session_run(f.s, "echo lost", 9, &hard, &f.r, &f.e);
		assert_int_equal(r, -EAGAIN);
		assert_int_equal(session_input(f.s, "x", 1, &hard, &f.r, &f.e),
				 -ENOMSG);
		f.port.port.spawn = spawn;
		f.e = ERR_NONE;
		run(&f, "echo found");
		expect(&f, 0, "found\n");
	}
	shut(&f);
}

static void long_output_is_cut_and_kept(void)
{
	struct fixture f;
	char path[256];
	struct stat st;

	open_shell(&f, "bash");
	run(&f, "seq 1 2500");
	assert_false(f.r.cut);
	assert_int_equal(f.r.text.len, 11393);
	run(&f, "for i in 1 2 3 4 5; do echo Unpacking $i; done; echo done");
	assert_true(f.r.cut);
	assert_string_equal(
		buf_cstr(&f.r.text),
		"[\xe2\x80\xa6 5 lines of a package manager's progress left "
		"out, 60 bytes \xe2\x80\xa6]\ndone\n");
	run(&f, "for i in 1 2 3 4 5; do echo Unpacking $i; done; read x; echo done");
	assert_true(f.r.cut);
	input(&f, "\n");
	assert_false(f.r.cut); /* of what is new nothing was left out */
	assert_string_equal(buf_cstr(&f.r.text), "\ndone\n");
	run(&f, "seq 1 100000");
	assert_true(f.r.cut);
	assert_true(f.r.text.len < 13000);
	assert_non_null(strstr(buf_cstr(&f.r.text), "left out"));
	assert_string_equal(f.r.log_path, "/var/tmp/cubby-output/main-4.txt");
	snprintf(path, sizeof(path), "%s/main-4.txt", unit_tmpdir());
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_size, 588895);
	shut(&f);
}

static void a_megabyte_of_text(void)
{
	struct fixture f;
	static char text[SESSION_TEXT_MAX + 1];
	static const struct session_limits lim = { 0, 20000 };

	memset(text, 'x', sizeof(text));
	memcpy(text, "echo ${#x}; x=", 14);
	text[SESSION_TEXT_MAX] = '\0';
	open_shell(&f, "bash");
	run(&f, text);
	expect(&f, 0, "0\n");
	run(&f, "echo ${#x}");
	expect(&f, 0, "1048562\n");
	assert_int_equal(session_run(f.s, text, SESSION_TEXT_MAX + 1, &lim, &f.r, &f.e),
			 -EMSGSIZE);
	assert_int_equal(session_run(f.s, "a\0b", 3, &lim, &f.r, &f.e), -EINVAL);
	run(&f, "echo ok");
	expect(&f, 0, "ok\n");
	shut(&f);
}

static void open_with(struct fixture *f, enum session_on_error on_error)
{
	struct session_conf conf = {
		.port = &f->port.port,
		.name = "main",
		.cwd = unit_tmpdir(),
		.no_rc = true,
		.on_error = on_error,
		.interrupt_fd = -1,
	};

	f->e = ERR_NONE;
	hostport_init(&f->port, unit_tmpdir());
	session_result_init(&f->r);
	unit_ok(session_open(&conf, &f->s, &f->e), &f->e);
}

static void stops_at_the_first_that_fails(void)
{
	struct fixture f;

	open_with(&f, SESSION_STOP);
	run(&f, "echo 1\ncat <<E\nfalse\nE\nif true; then\n(exit 4)\nfi\necho no\n");
	expect(&f, 4, "1\nfalse\n");
	assert_string_equal(f.r.note,
			    "the commands behind the one that failed were not run");
	run(&f, "echo $?; A=1\nfalse || echo b; echo $A\n# end\n");
	expect(&f, 0, "4\nb\n1\n");
	assert_null(f.r.note);
	/* answered, interrupted and ended in the middle */
	run(&f, "read x\necho \"<$x>\"\nsleep 60\necho no");
	assert_int_equal(f.r.state, SESSION_WAITING);
	f.r.state = SESSION_EXITED;
	session_result_done(&f.r);
	unit_ok(session_input(f.s, "z\n", 2, &(struct session_limits){ 500, 20000 },
			      &f.r, &f.e),
		&f.e);
	assert_int_equal(f.r.state, SESSION_RUNNING);
	assert_non_null(strstr(buf_cstr(&f.r.text), "<z>\n"));
	input(&f, "\003");
	expect(&f, 130, "^C\n");
	run(&f, "exit 5\necho no");
	assert_int_equal(f.r.state, SESSION_DIED);
	run(&f, "echo ok");
	expect(&f, 0, "ok\n");
	shut(&f);
}

static void refuses_several(void)
{
	static const struct session_limits lim = { 20000, 20000 };
	struct fixture f;

	open_with(&f, SESSION_REJECT);
	assert_int_equal(session_run(f.s, "touch f\ntouch g", 15, &lim, &f.r, &f.e),
			 -EINVAL);
	assert_string_equal(f.e.msg,
			    "not executed: the text holds several commands; give them "
			    "one at a time, or join them with && or ;");
	f.e = ERR_NONE;
	run(&f, "ls; echo \"a\nb\" &&\n echo c\n");
	expect(&f, 0, "a\nb\nc\n");
	shut(&f);
}

static void secrets_are_stars(void)
{
	static const char *const secrets[] = { "hunter2secret", "tok", NULL };
	struct shellkit k;
	_cleanup_buf_ struct buf screen = BUF_INIT(1 << 20);

	shellkit_open(&k, "bash", secrets);
	shellkit_run(&k,
		     "a=hunter2; echo x${a}secret; printf 'hunter2\\033[1msecret\\n'; "
		     "printf hunter2; sleep 0.1; printf 'secret\\n'");
	assert_string_equal(buf_cstr(&k.r.text), "x***\n***\n***\n");
	assert_null(strstr(buf_cstr(&k.live), "2secret"));
	unit_ok(session_screen(k.s, &screen, &k.e), &k.e);
	assert_null(strstr(buf_cstr(&screen), "2secret"));
	/* also where the terminal breaks it: the screen has 100 columns */
	shellkit_run(&k, "printf '%90s' ''; echo ${a}secret");
	buf_truncate(&screen, 0);
	unit_ok(session_screen(k.s, &screen, &k.e), &k.e);
	assert_null(strstr(buf_cstr(&screen), "hunter2"));
	assert_non_null(strstr(buf_cstr(&screen), " ***\n***\n"));
	shellkit_run(&k, "for i in $(seq 20000); do echo ${a}secret; done");
	assert_null(strstr(buf_cstr(&k.r.text), "hunter2secret"));
	shellkit_run(&k, "sh -c '>begun; sleep 60; :' of ${a}secret & "
			 "until [ -e begun ]; do sleep 0.01; done");
	assert_non_null(k.r.jobs);
	assert_non_null(strstr(k.r.jobs, "; sleep 60; : of ***"));
	shellkit_run(&k, "kill %1");
	shellkit_shut(&k);
}

static void many_secrets(void)
{
	static const char *const secrets[] = {
		"secret-a", "secret-b", "secret-c", "secret-d", "secret-e", "secret-f",
		"secret-g", "secret-h", "secret-i", "secret-j", "secret-k", "secret-l",
		"secret-m", "secret-n", "secret-o", "secret-p", NULL
	};
	struct shellkit k;

	shellkit_open(&k, "bash", secrets);
	shellkit_run(&k, "for i in a p; do echo secret-$i; done");
	assert_string_equal(buf_cstr(&k.r.text), "***\n***\n");
	shellkit_shut(&k);
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "S3: cwd is exact", cwd_is_exact },
		{ "O13: secrets are stars", secrets_are_stars },
		{ "O13: as many as are taken", many_secrets },
		{ "X1: a prompt is a wait", a_prompt_is_a_wait },
		{ "I10, X1: cat is fed and ended", cat_is_fed_and_ended },
		{ "T2: a command's time is its own", its_time_is_its_own },
		{ "T1, T2, X5, X7: limits leave it running", limits_leave_it_running },
		{ "X8: stopped and continued", stopped_and_continued },
		{ "S7: a reset forgets", a_reset_forgets },
		{ "R11: a box that ends between commands",
		  a_box_that_ends_between_commands },
		{ "R11: a box that ends under a command",
		  a_box_that_ends_under_a_command },
		{ "R1: a shell that cannot be replaced",
		  a_shell_that_cannot_be_replaced },
		{ "O7, O8: long output", long_output_is_cut_and_kept },
		{ "I9: on_error=stop", stops_at_the_first_that_fails },
		{ "I9: on_error=reject", refuses_several },
		{ "I11: a megabyte", a_megabyte_of_text },
	};

	return unit_rows("session", rows, test_row) +
	       unit_rows("session that dies", deaths, test_death) +
	       unit_cases("session in steps", cases);
}
