/* Sizes, limits and what must not grow, with real shells. */
#include <stdio.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/log.h"
#include "base/proc.h"
#include "base/sys/sys.h"
#include "tests/unit/shellkit.h"

static const char *const shells[] = { "bash", "zsh", "dash", "sh" };

static const struct session_limits none = { 0, 120000 };

static bool have(const char *program)
{
	char path[PATH_MAX];

	return proc_find(program, path) == 0;
}

/* ---- I3: here-documents ----------------------------------------------------------- */

static void add_line(struct buf *b, size_t i, bool quoted)
{
	int r = quoted ? buf_addf(b, "%zu $x `y` \\ \"'\t\\n%%s\n", i)
		       : buf_addf(b, "%zu \"'\ttext; (\n", i);

	assert_int_equal(r, 0);
}

static void heredoc(const char *shell, size_t lines, bool quoted)
{
	_cleanup_buf_ struct buf text = BUF_INIT(1 << 20), got = BUF_INIT(1 << 20);
	const char *head = quoted ? "cat >f <<'END'\n" : "cat >f <<END\n";
	struct shellkit k;
	char path[256];
	_cleanup_close_ int fd = -1;

	shellkit_open(&k, shell, NULL);
	assert_int_equal(buf_adds(&text, head), 0);
	for (size_t i = 0; i < lines; i++)
		add_line(&text, i, quoted);
	assert_int_equal(buf_adds(&text, "END\n"), 0);
	shellkit_run(&k, buf_cstr(&text));
	assert_int_equal(k.r.state, SESSION_EXITED);
	assert_int_equal(k.r.status, 0);
	assert_string_equal(buf_cstr(&k.r.text), "");
	snprintf(path, sizeof(path), "%s/f", unit_tmpdir());
	fd = sys_open(path, O_RDONLY);
	unit_ok(file_read_fd(fd, &got, &k.e), &k.e);
	assert_int_equal(got.len, text.len - strlen(head) - 4);
	assert_memory_equal(got.data, text.data + strlen(head), got.len);
	shellkit_shut(&k);
}

static void heredocs(void)
{
	static const size_t sizes[] = { 5, 21, 100, 1000, 20000 };

	for (size_t i = 0; i < ARRAY_SIZE(shells); i++)
		for (size_t n = 0; n < ARRAY_SIZE(sizes) && have(shells[i]); n++) {
			heredoc(shells[i], sizes[n], true);
			heredoc(shells[i], sizes[n], false);
		}
}

/* ---- S5, S8 ----------------------------------------------------------------------- */

static void large_environments(void)
{
	static char vars[100][1100];
	const char *env[101] = { NULL };
	struct hostport port;
	struct session_conf conf = { .port = &port.port,
				     .name = "main",
				     .cwd = "/",
				     .env = env,
				     .no_rc = true,
				     .interrupt_fd = -1 };
	struct shellkit k = { .e = ERR_NONE };

	for (size_t i = 0; i < 100; i++) {
		int n = snprintf(vars[i], sizeof(vars[i]), "V%02zu=", i);

		memset(vars[i] + n, 'x', 1024);
		env[i] = vars[i];
	}
	hostport_init(&port, unit_tmpdir());
	session_result_init(&k.r);
	buf_init(&k.all, 4 << 20);
	unit_ok(session_open(&conf, &k.s, &k.e), &k.e);
	shellkit_run(&k, "env | grep -c '^V[0-9][0-9]=xxx'");
	assert_string_equal(buf_cstr(&k.r.text), "100\n");
	shellkit_run(&k,
		     "b=$(printf %0100000d 0); export B1=$b B2=$b B3=$b B4=$b B5=$b; "
		     "env | wc -c | { read n; [ $n -gt 600000 ] && echo large; }");
	assert_string_equal(buf_cstr(&k.r.text), "large\n");
	/* the kernel's limit of one string: MAX_ARG_STRLEN, 128 KiB */
	shellkit_run(&k, "export HUGE=$(printf %0140000d 0); /bin/true");
	assert_int_equal(k.r.status, 126);
	assert_non_null(strstr(buf_cstr(&k.r.text), "Argument list too long"));
	shellkit_run(&k, "unset HUGE; /bin/true");
	assert_int_equal(k.r.status, 0);
	session_close(&k.s);
	session_close(&k.s); /* S8: harmless */
	session_result_done(&k.r);
	buf_done(&k.all);
	hostport_done(&port);
}

/* ---- X10 -------------------------------------------------------------------------- */

static void long_lines(void)
{
	static char line[5001];
	struct shellkit k;

	memset(line, 'a', 5000);
	shellkit_open(&k, "bash", NULL);
	shellkit_run(&k, "cat >f; wc -c <f");
	assert_int_equal(k.r.state, SESSION_WAITING);
	assert_int_equal(session_input(k.s, line, 5000, &none, &k.r, &k.e), -EMSGSIZE);
	assert_string_equal(k.e.msg,
			    "not sent: a terminal line is limited to 4095 bytes; send "
			    "shorter lines, or write a file and redirect it");
	k.e = ERR_NONE;
	shellkit_keys(&k, "C-d");
	assert_string_equal(buf_cstr(&k.r.text), "0\n");
	shellkit_run(&k, "stty raw -echo; head -c 5000 | wc -c");
	assert_int_equal(k.r.state, SESSION_WAITING);
	assert_int_equal(k.r.reason, WAITING_KEY);
	shellkit_input(&k, line);
	assert_int_equal(k.r.state, SESSION_EXITED);
	assert_string_equal(buf_cstr(&k.r.text), "5000\n");
	shellkit_shut(&k);
}

/* 100 KiB in lines, to a program that reads them. */
static void a_long_paste(void)
{
	_cleanup_buf_ struct buf paste = BUF_INIT(1 << 20);
	struct shellkit k;

	while (paste.len < 100 << 10)
		assert_int_equal(buf_addf(&paste, "line %zu of the paste\n", paste.len),
				 0);
	assert_int_equal(buf_adds(&paste, "END\n"), 0);
	shellkit_open(&k, "bash", NULL);
	shellkit_run(&k, "stty -echo; while read -r l && [ \"$l\" != END ]; do echo "
			 "\"$l\"; done >f; wc -c <f");
	assert_int_equal(k.r.state, SESSION_WAITING);
	shellkit_input(&k, buf_cstr(&paste));
	assert_int_equal(k.r.state, SESSION_EXITED);
	assert_int_equal(strtol(buf_cstr(&k.r.text), NULL, 10), paste.len - 4);
	shellkit_shut(&k);
}

/* ---- T4, T6, T7 ------------------------------------------------------------------- */

static void a_prompt_whatever_the_limits(void)
{
	static const struct session_limits limits[] = { { 0, 3600000 },
							{ 3600000, 3600000 },
							{ 3600000, 0 } };
	struct shellkit k;

	shellkit_open(&k, "bash", NULL);
	for (size_t i = 0; i < ARRAY_SIZE(limits); i++) {
		session_result_done(&k.r);
		unit_ok(session_run(k.s, "read -p '? ' x", 14, &limits[i], &k.r, &k.e),
			&k.e);
		assert_int_equal(k.r.state, SESSION_WAITING);
		assert_true(k.r.time_ms < 60000); /* none of the limits */
		shellkit_input(&k, "y\n");
		assert_int_equal(k.r.state, SESSION_EXITED);
	}
	shellkit_shut(&k);
}

/* A program that has just returned from main() takes no signal any more, and no shell
 * hears of it: as for a person, once may not be enough. */
static void interrupt(struct shellkit *k)
{
	static const struct session_limits second = { 0, 1000 };

	for (int i = 0; i < 20; i++) {
		session_result_done(&k->r);
		unit_ok(session_input(k->s, "\003", 1, &second, &k->r, &k->e), &k->e);
		if (k->r.state == SESSION_EXITED)
			break;
	}
	assert_int_equal(k->r.state, SESSION_EXITED);
	assert_int_equal(k->r.status, 130);
}

static void ten_cycles(void)
{
	static const struct session_limits soft = { 100, 60000 }, hard = { 0, 100 };
	struct shellkit k;

	shellkit_open(&k, "bash", NULL);
	for (int i = 0; i < 10; i++) {
		const char *text = i % 2 ? "while :; do seq 1 1000; done"
					 : "seq 1 100000; sleep 60";

		session_result_done(&k.r);
		unit_ok(session_run(k.s, text, strlen(text), i % 2 ? &hard : &soft,
				    &k.r, &k.e),
			&k.e);
		assert_int_equal(k.r.state, SESSION_RUNNING);
		assert_int_equal(k.r.limit, i % 2 ? SESSION_HARD : SESSION_SOFT);
		interrupt(&k);
		shellkit_run(&k, "echo ok"); /* O11: and nothing else */
		assert_string_equal(buf_cstr(&k.r.text), "ok\n");
	}
	shellkit_shut(&k);
}

static void starting_counts_for_nobody(void)
{
	struct shellkit k;
	char path[256], home[256];
	struct hostport port;
	const char *env[] = { home, NULL };
	struct session_conf conf = { .port = &port.port,
				     .name = "main",
				     .cwd = "/",
				     .env = env,
				     .interrupt_fd = -1 };
	uint64_t opened, ended;
	FILE *f;

	snprintf(home, sizeof(home), "HOME=%s", unit_tmpdir());
	snprintf(path, sizeof(path), "%s/.bashrc", unit_tmpdir());
	f = fopen(path, "we");
	assert_non_null(f);
	fputs("sleep 0.5\nA=rc\n", f);
	assert_int_equal(fclose(f), 0);
	k.e = ERR_NONE;
	hostport_init(&port, unit_tmpdir());
	session_result_init(&k.r);
	unit_ok(session_open(&conf, &k.s, &k.e), &k.e);
	opened = sys_now_ms();
	unit_ok(session_run(k.s, "echo $A", 7, &none, &k.r, &k.e), &k.e);
	ended = sys_now_ms();
	assert_int_equal(k.r.state, SESSION_EXITED);
	assert_string_equal(buf_cstr(&k.r.text), "rc\n");
	assert_true(k.r.time_ms <= ended - opened);
	session_close(&k.s);
	session_result_done(&k.r);
	hostport_done(&port);
}

/* ---- J4, R9, O9: nothing grows ---------------------------------------------------- */

static long memory_kib(void)
{
	char line[256];
	long kib = -1;
	FILE *f = fopen("/proc/self/status", "re");

	assert_non_null(f);
	while (fgets(line, sizeof(line), f))
		if (strncmp(line, "RssAnon:", 8) == 0)
			kib = strtol(line + 8, NULL, 10);
	fclose(f);
	assert_true(kib > 0);
	return kib;
}

static void a_thousand_jobs(void)
{
	struct shellkit k;

	shellkit_open(&k, "bash", NULL);
	shellkit_run(&k, "for i in {1..1000}; do : & done 2>/dev/null; wait");
	assert_int_equal(k.r.status, 0);
	shellkit_run(&k, "jobs; ps --ppid $$ -o stat= | grep -c Z; jobs -p | wc -l");
	assert_string_equal(buf_cstr(&k.r.text), "0\n0\n");
	shellkit_shut(&k);
}

/* "yes for a minute": what bounds it is its amount, not its time. The kept output is 64
 * MiB on disk; memory must not follow what was printed, read or not. */
static void yes_and_nobody_reads(void)
{
	static const struct session_limits brief = { 0, 300 };
	struct shellkit k;
	long before, after;

	shellkit_open(&k, "bash", NULL);
	shellkit_run(&k, "seq 1 100000"); /* buffers have their size */
	before = memory_kib();
	session_result_done(&k.r);
	unit_ok(session_run(k.s, "yes", 3, &brief, &k.r, &k.e), &k.e);
	assert_int_equal(k.r.state, SESSION_RUNNING);
	for (int i = 0; i < 60; i++) { /* what toolboxes do between two calls */
		struct pollfd p = { session_fd(k.s), POLLIN, 0 };

		sys_poll(&p, 1, 1000);
		session_pump(k.s);
	}
	after = memory_kib();
	if (after - before > 16 << 10)
		fail_msg("%ld KiB more", after - before);
	interrupt(&k);
	shellkit_run(&k, "echo ok");
	assert_string_equal(buf_cstr(&k.r.text), "ok\n");
	shellkit_shut(&k);
}

/* C-c is not put behind all that a program prints: what is read from the call on is what
 * was on its way when the signal came, and no more. */
static void a_key_before_a_flood(void)
{
	static const char *const floods[] = { "yes",
					      "yes $'\\033[2J\\033[Hone screen'" };
	static const struct session_limits brief = { 0, 300 };
	struct shellkit k;

	shellkit_open(&k, "bash", NULL);
	for (size_t i = 0; i < ARRAY_SIZE(floods); i++) {
		session_result_done(&k.r);
		unit_ok(session_run(k.s, floods[i], strlen(floods[i]), &brief, &k.r,
				    &k.e),
			&k.e);
		assert_int_equal(k.r.state, SESSION_RUNNING);
		buf_truncate(&k.live, 0);
		shellkit_keys(&k, "C-c");
		assert_int_equal(k.r.state, SESSION_EXITED);
		assert_int_equal(k.r.status, 130);
		if (k.live.len > 256 << 10)
			fail_msg("%zu KiB were read", k.live.len >> 10);
	}
	shellkit_shut(&k);
}

static void a_hundred_megabytes(void)
{
	struct shellkit k;
	long before, after;

	shellkit_open(&k, "bash", NULL);
	shellkit_run(&k, "seq 1 100000");
	before = memory_kib();
	session_result_done(&k.r);
	unit_ok(session_run(k.s, "yes 0123456789 | head -c 100000000", 34, &none, &k.r,
			    &k.e),
		&k.e);
	after = memory_kib();
	assert_int_equal(k.r.state, SESSION_EXITED);
	assert_true(k.r.cut);
	assert_true(k.r.log_partial); /* O8: the last 64 MiB */
	if (after - before > 16 << 10)
		fail_msg("%ld KiB more", after - before);
	shellkit_shut(&k);
}

/* ---- O11, O14 --------------------------------------------------------------------- */

static void late_output_has_its_own_place(void)
{
	struct shellkit k;

	shellkit_open(&k, "bash", NULL);
	shellkit_run(&k, "mkfifo p; (read x <p; echo LATE; : >said) &");
	shellkit_run(&k, "echo go >p; until [ -e said ]; do sleep 0.01; done");
	shellkit_run(&k, "echo mine");
	assert_string_equal(buf_cstr(&k.r.text), "mine\n");
	unit_ok(session_reset(k.s, &k.e), &k.e);
	shellkit_run(&k, "echo new");
	assert_string_equal(buf_cstr(&k.r.text), "new\n");
	assert_string_equal(buf_cstr(&k.r.earlier), "");
	shellkit_shut(&k);
}

/* What is printed a byte at a time reads like what is printed at once. */
static void any_split_is_the_same(void)
{
	_cleanup_buf_ struct buf whole = BUF_INIT(1 << 20);
	struct shellkit k;

	shellkit_open(&k, "bash", NULL);
	shellkit_run(&k, "printf '\\033[31mr\\303\\244d\\033[0m 1%%\\r22%%\\r\\n"
			 "\\033]0;title\\007a\\033]7717;x;D;1;/\\033\\\\b\\010c\\n"
			 "\\360\\237\\230\\200\\377\\342\\202 \\033Pq#\\033\\\\z\\t|\\n"
			 "\\033[?25l\\033[2Kdone\\n' >f; cat f");
	assert_int_equal(k.r.status, 0);
	assert_int_equal(buf_add(&whole, k.r.text.data, k.r.text.len), 0);
	assert_non_null(strstr(buf_cstr(&whole), "\xf0\x9f\x98\x80"));
	for (int n = 1; n < 8; n++) {
		char command[64];

		snprintf(command, sizeof(command), "dd if=f bs=%d 2>/dev/null", n);
		shellkit_run(&k, command);
		assert_string_equal(buf_cstr(&k.r.text), buf_cstr(&whole));
	}
	shellkit_shut(&k);
}

static void logs_hold_no_text(void)
{
	_cleanup_buf_ struct buf said = BUF_INIT(1 << 20);
	char path[256];
	struct shellkit k;
	_cleanup_close_ int saved = sys_dup(2, 10), log = -1, again = -1;
	int r;

	snprintf(path, sizeof(path), "%s/log", unit_tmpdir());
	log = sys_openat(AT_FDCWD, path, O_RDWR | O_CREAT, 0600);
	assert_true(saved >= 0 && log >= 0);
	sys_dup2(log, 2);
	log_set_level(LOG_DEBUG);
	shellkit_open(&k, "bash", NULL);
	shellkit_run(&k, "echo sesame; read x # opensesame");
	shellkit_input(&k, "sesame-typed\n");
	shellkit_run(&k, "printf '\\033]7717;%s;D;sesame\\033\\\\' \"$__cubby_n\"");
	shellkit_run(&k, "kill -9 $$ # sesame");
	shellkit_shut(&k);
	log_set_level(LOG_QUIET);
	sys_dup2(saved, 2);
	again = sys_open(path, O_RDONLY);
	r = file_read_fd(again, &said, &k.e);
	assert_int_equal(r, 0);
	assert_null(strstr(buf_cstr(&said), "sesame"));
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "I3: here-documents of 5 to 20,000 lines", heredocs },
		{ "S5, S8: large environments", large_environments },
		{ "X10: lines above 4095 bytes", long_lines },
		{ "X10: a paste of 100 KiB", a_long_paste },
		{ "T4: a prompt whatever the limits", a_prompt_whatever_the_limits },
		{ "T6, O11: ten cycles of limits and C-c", ten_cycles },
		{ "T7: starting counts for no command", starting_counts_for_nobody },
		{ "J4: a thousand jobs", a_thousand_jobs },
		{ "R9: yes while nobody reads", yes_and_nobody_reads },
		{ "R9: a key before a flood", a_key_before_a_flood },
		{ "O9, O8: a hundred megabytes", a_hundred_megabytes },
		{ "O11: late output has its own place", late_output_has_its_own_place },
		{ "R10, O4: any split is the same", any_split_is_the_same },
		{ "O14: logs hold no text", logs_hold_no_text },
	};

	return unit_cases("session, hard", cases);
}
