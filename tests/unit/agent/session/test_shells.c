/* Where the shell matters: the same rows with bash, zsh, dash and sh. */
#include <stdio.h>

#include "base/proc.h"
#include "tests/unit/shellkit.h"

static const char *const shells[] = { "bash", "zsh", "dash", "sh" };

enum { BASH = 1, ZSH = 2, DASH = 4, SH = 8, ALL = 15, FULL = BASH | ZSH };

/* clang-format off */
static const struct row {
	const char *name;
	int with;	   /* which shells have what the row uses */
	const char *first; /* run before, its result ignored; NULL = nothing */
	const char *text, *want;
	int status, zsh_status; /* 0 = the same */
} rows[] = {
	{ "S1: true", ALL, NULL, "true", "", 0, 0 },
	{ "S1: false", ALL, NULL, "false", "", 1, 0 },
	{ "S1: status beyond a byte", ALL, NULL, "(exit 300)", "", 44, 0 },
	{ "S1: unknown command", ALL, NULL, "nosuch-x 2>/dev/null", "", 127, 0 },
	{ "S1: a directory", ALL, NULL, "/tmp 2>/dev/null", "", 126, 0 },
	{ "S1: killed", ALL, NULL, "sh -c 'kill -9 $$' >/dev/null", NULL, 137, 0 },
	{ "S1: previous status", ALL, "(exit 7)", "echo $?", "7\n", 0, 0 },
	{ "S1: previous status zero", ALL, "true", "echo $?", "0\n", 0, 0 },
	{ "S2: cd", ALL, "cd /", "pwd", "/\n", 0, 0 },
	{ "S2: export", ALL, "export A='abc\"def'", "printenv A", "abc\"def\n", 0, 0 },
	{ "S2: variable with a newline", ALL, "A='a\nb!'", "echo \"$A\"", "a\nb!\n", 0, 0 },
	{ "S2: function", ALL, "f() { echo hi; }", "f", "hi\n", 0, 0 },
	{ "S2: alias", ALL, "alias x='echo al'", "x", "al\n", 0, 0 },
	{ "S2: umask", ALL, "umask 077", "umask", NULL, 0, 0 },
	{ "S2: descriptor", ALL, "exec 5>f; echo x >&5", "cat f; echo y >&5; cat f", "x\nx\ny\n", 0, 0 },
	{ "S2: array", FULL, "a=(1 2 '3 4')", "echo ${#a[@]}", "3\n", 0, 0 },
	{ "S2: trap", ALL, "trap 'echo usr' USR1", "kill -USR1 $$; :", "usr\n", 0, 0 },
	{ "S3: cwd with blanks", ALL, NULL, "mkdir -p 'a b'; cd 'a b'", "", 0, 0 },
	{ "I1: blanks", ALL, NULL, "printf '%s' 'a\n\n\nz'", "a\n\n\nz", 0, 0 },
	{ "I1: leading blanks", ALL, NULL, "   \techo   'a  b'  ", "a  b\n", 0, 0 },
	{ "I1: backslashes", ALL, NULL, "printf '%s' 'a\\b\\\\c\\n\\0012\\'", "a\\b\\\\c\\n\\0012\\", 0, 0 },
	{ "I2: continuation", ALL, NULL, "echo a\\\nb", "ab\n", 0, 0 },
	{ "I2: loop", ALL, NULL, "for i in 1 2\ndo\n  echo $i\ndone", "1\n2\n", 0, 0 },
	{ "I2: case", ALL, NULL, "case a in\na) echo y;;\nesac", "y\n", 0, 0 },
	{ "I3: heredoc", ALL, NULL, "cat <<'E'\n$x `y`\n  z\nE", "$x `y`\n  z\n", 0, 0 },
	{ "I4: find", ALL, NULL, "touch q; find . -name q -exec echo {} \\;", "./q\n", 0, 0 },
	{ "I4: awk", ALL, NULL, "echo a b | awk '{print $2}'", "b\n", 0, 0 },
	{ "I5: open quote", ALL, NULL, "echo \"", NULL, 2, 1 },
	{ "I5: open brace", ALL, NULL, "{ echo", NULL, 2, 1 },
	{ "I5: open if", ALL, NULL, "if true; then", NULL, 2, 1 },
	{ "I5: open substitution", ZSH | DASH | SH, NULL, "echo $(", NULL, 2, 1 },
	{ "I5: open substitution in bash", BASH, NULL, "echo $(", NULL, 1, 0 },
	{ "I6: open heredoc", ALL, NULL, "cat 2>/dev/null <<E\nhi\n", NULL, 0, 0 },
	{ "I6: blank", ALL, NULL, "   ", "", 0, 0 },
	{ "I6: empty", ALL, NULL, "", "", 0, 0 },
	{ "I6: comment", ALL, NULL, "# nothing", NULL, 0, 0 },
	{ "I7: exclamation", ALL, NULL, "echo A!B '!!'", "A!B !!\n", 0, 0 },
	{ "I9: like a script", ALL, NULL, "echo 1\nfalse\necho 2\n(exit 4)", "1\n2\n", 4, 0 },
	{ "O1: progress bar", ALL, NULL, "printf '1%%\\r2%%\\r3%%\\n'", "3%\n", 0, 0 },
	{ "O10: no final newline", ALL, NULL, "printf abc", "abc", 0, 0 },
	{ "O12: exec >file", ALL, "exec >out 2>&1; echo lost", "exec >/dev/tty 2>&1; cat out", "lost\n", 0, 0 },
	{ "R1: exec </dev/null", BASH | DASH | SH, "exec </dev/null", "echo ok", "ok\n", 0, 0 },
	{ "R5: hooks", ALL, "PROMPT_COMMAND=; PS1=x; precmd() { :; }", "echo ok", "ok\n", 0, 0 },
	{ "R5: stty", ALL, "stty raw -echo", "printf 'a\\nb\\n'", "a\nb\n", 0, 0 },
	{ "set -a exports nothing of ours", ALL, "set -a", "env | grep -c ^__cubby", "0\n", 1, 0 },
	{ "set -u", ALL, "set -u", "echo ${nope-unset}", "unset\n", 0, 0 },
	{ "set -f", BASH | DASH | SH, "set -f", "echo *", NULL, 0, 0 },
	{ "IFS", ALL, "IFS=3", "echo '1 2'", "1 2\n", 0, 0 },
	{ "set -x shows no plumbing", ALL, "set -x", "echo hi 2>/dev/null; set +x", NULL, 0, 0 },
	{ "break", ALL, "break 2>/dev/null", "echo ok", "ok\n", 0, 0 },
	{ "a function named builtin that does nothing", ALL, "builtin() { :; }", "(exit 3); echo $?", "3\n", 0, 0 },
	{ "a function named builtin that prints", ALL, "builtin() { echo SEEN; return 1; }; (exit 4)", "echo $?", "4\n", 0, 0 },
	{ "a function named builtin that forwards", FULL, "builtin() { command builtin \"$@\"; }", "echo ok", "ok\n", 0, 0 },
	{ "functions named builtin and unset", FULL, "builtin() { :; }; unset() { :; }; unfunction() { :; }; set() { :; }", "echo ok", "ok\n", 0, 0 },
	{ "functions named printf and read", ALL, "printf() { echo SEEN; }; read() { echo SEEN; }", "echo ok", "ok\n", 0, 0 },
	{ "a function named command", ALL, "command() { :; }", "echo ok", "ok\n", 0, 0 },
	{ "a function named command that prints", ALL, "command() { echo SEEN; return 1; }; (exit 4)", "echo $?", "4\n", 0, 0 },
	{ "cd by a failing command", ALL, "cd /nonexistent", "echo $?", NULL, 0, 0 },
};
/* clang-format on */

static void need(const char *shell)
{
	char path[PATH_MAX], why[64];

	snprintf(why, sizeof(why), "%s is not installed", shell);
	if (proc_find(shell, path) < 0)
		unit_skip(why);
}

static void with(const char *shell, const struct row *row)
{
	struct shellkit k;
	bool zsh = strcmp(shell, "zsh") == 0;

	shellkit_open(&k, shell, NULL);
	if (row->first)
		shellkit_run(&k, row->first);
	shellkit_run(&k, row->text);
	if (row->want && strcmp(row->want, buf_cstr(&k.r.text)) != 0)
		fail_msg("%s: '%s' instead of '%s'", shell, buf_cstr(&k.r.text),
			 row->want);
	if (strstr(buf_cstr(&k.r.text), "cubby_"))
		fail_msg("%s: plumbing shows: %s", shell, buf_cstr(&k.r.text));
	if (k.r.status != (zsh && row->zsh_status ? row->zsh_status : row->status))
		fail_msg("%s: exit %d", shell, k.r.status);
	shellkit_run(&k, "echo again");
	if (strcmp(buf_cstr(&k.r.text), "again\n") != 0 || k.r.status)
		fail_msg("%s: not healthy: '%s'", shell, buf_cstr(&k.r.text));
	shellkit_shut(&k);
}

static void test_row(const void *p)
{
	const struct row *row = p;
	char path[PATH_MAX];

	for (size_t i = 0; i < ARRAY_SIZE(shells); i++)
		if ((row->with & 1 << i) && proc_find(shells[i], path) == 0)
			with(shells[i], row);
}

static void run_until_soft(struct shellkit *k, const char *text)
{
	static const struct session_limits soft = { 200, 20000 };

	session_result_done(&k->r);
	unit_ok(session_run(k->s, text, strlen(text), &soft, &k->r, &k->e), &k->e);
	assert_int_equal(k->r.state, SESSION_RUNNING);
}

/* What throws a shell out of its loop, and what ends it. */
static void test_thrown(const void *p)
{
	const char *shell = *(const char *const *)p;
	static const char *const deaths[] = { "exit 7", "kill -9 $$", "exec true",
					      "set -e; false" };
	static const int statuses[] = { 7, 137, 0, 1 };
	static const char *const names[] = {
		"alias eval='echo E' printf='echo P' builtin='echo B' set='echo S'\n"
		"sleep 60",
		"builtin() { :; }; command() { :; }; sleep 60",
	};
	struct shellkit k;

	need(shell);
	shellkit_open(&k, shell, NULL);
	for (int i = 0; i < 2; i++) {
		run_until_soft(&k, "sleep 60; echo no");
		shellkit_keys(&k, i ? "C-z" : "C-c");
		assert_int_equal(k.r.state, SESSION_EXITED);
		if (strstr(buf_cstr(&k.r.text), "no\n") && !i)
			fail_msg("the rest of the text ran: %s", buf_cstr(&k.r.text));
		if (!i)
			assert_int_equal(k.r.status, 130);
	}
	/* whatever the names mean by then that the loop is made of */
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		run_until_soft(&k, names[i]);
		shellkit_keys(&k, "C-c");
		assert_int_equal(k.r.state, SESSION_EXITED);
		assert_int_equal(k.r.status, 130);
		shellkit_run(&k, "unalias -a; echo ok");
		assert_string_equal(buf_cstr(&k.r.text), "ok\n");
	}
	/* a stopped job would keep the shell from ending */
	unit_ok(session_reset(k.s, &k.e), &k.e);
	for (size_t i = 0; i < ARRAY_SIZE(deaths); i++) {
		shellkit_run(&k, "cd /; A=1");
		shellkit_run(&k, deaths[i]);
		assert_int_equal(k.r.state, SESSION_DIED);
		assert_int_equal(k.r.status, statuses[i]);
		shellkit_run(&k, "pwd; echo ${A-lost}");
		assert_string_equal(buf_cstr(&k.r.text), "/\nlost\n");
	}
	shellkit_shut(&k);
}

static void test_wait(const void *p)
{
	const char *shell = *(const char *const *)p;
	struct shellkit k;

	need(shell);
	shellkit_open(&k, shell, NULL);
	shellkit_run(&k, "printf 'name? '; read x; echo \"<$x>\"");
	assert_int_equal(k.r.state, SESSION_WAITING);
	assert_int_equal(k.r.reason, WAITING_LINE);
	assert_string_equal(buf_cstr(&k.r.text), "name? ");
	shellkit_input(&k, "Bob\n");
	assert_string_equal(buf_cstr(&k.r.text), "Bob\n<Bob>\n");
	shellkit_run(&k, "cat\necho second");
	assert_int_equal(k.r.state, SESSION_WAITING);
	shellkit_input(&k, "one\n");
	shellkit_keys(&k, "C-d");
	assert_string_equal(buf_cstr(&k.r.text), "second\n");
	shellkit_shut(&k);
}

int main(void)
{
	static const struct named {
		const char *name;
	} all[] = { { "bash" }, { "zsh" }, { "dash" }, { "sh" } };

	return unit_rows("every shell", rows, test_row) +
	       unit_rows("R1, R2, X7, X8: thrown out and ended", all, test_thrown) +
	       unit_rows("X1, I10: waits", all, test_wait);
}
