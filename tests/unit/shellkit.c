#include "tests/unit/shellkit.h"

#include <sched.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/proc.h"
#include "base/sys/sys.h"

static void on_live(void *ctx, const void *data, size_t len)
{
	struct buf *live = ctx;

	buf_add(live, data, MIN(len, live->max - live->len));
}

void shellkit_open(struct shellkit *k, const char *shell, const char *const *secrets)
{
	struct session_conf conf = {
		.port = &k->port.port,
		.name = "main",
		.shell = shell,
		.cwd = unit_tmpdir(),
		.secrets = secrets,
		.no_rc = true,
		.output = on_live,
		.ctx = &k->live,
		.interrupt_fd = -1,
	};

	k->e = ERR_NONE;
	buf_init(&k->live, 1 << 20);
	buf_init(&k->all, 4 << 20);
	hostport_init(&k->port, unit_tmpdir());
	session_result_init(&k->r);
	unit_ok(session_open(&conf, &k->s, &k->e), &k->e);
}

void shellkit_shut(struct shellkit *k)
{
	session_close(&k->s);
	session_result_done(&k->r);
	hostport_done(&k->port);
	buf_done(&k->live);
	buf_done(&k->all);
}

static void keep_all(struct shellkit *k)
{
	buf_add(&k->all, k->r.text.data, k->r.text.len);
}

static void send_bytes(struct shellkit *k, const char *data, size_t len,
		       const struct session_limits *lim)
{
	session_result_done(&k->r);
	unit_ok(session_input(k->s, data, len, lim, &k->r, &k->e), &k->e);
	keep_all(k);
}

static const struct session_limits normal = { 60000, 60000 };

void shellkit_run(struct shellkit *k, const char *text)
{
	session_result_done(&k->r);
	buf_truncate(&k->all, 0);
	unit_ok(session_run(k->s, text, strlen(text), &normal, &k->r, &k->e), &k->e);
	keep_all(k);
}

void shellkit_input(struct shellkit *k, const char *text)
{
	send_bytes(k, text, strlen(text), &normal);
}

static void press(struct shellkit *k, const char *names,
		  const struct session_limits *lim)
{
	_cleanup_buf_ struct buf b = BUF_INIT(4096);

	unit_ok(session_add_keys(k->s, names, &b, &k->e), &k->e);
	send_bytes(k, b.data, b.len, lim);
}

void shellkit_keys(struct shellkit *k, const char *names)
{
	press(k, names, &normal);
}

/* A program that starts up says nothing for as long as the machine likes. */
static void wait_until(struct shellkit *k, const char *has)
{
	static const struct session_limits lim = { 100, 1000 };

	for (int i = 0; i < 600 && !strstr(buf_cstr(&k->all), has); i++)
		send_bytes(k, "", 0, &lim);
	if (!strstr(buf_cstr(&k->all), has))
		fail_msg("'%s' does not come: %s", has, buf_cstr(&k->all));
}

static void do_step(struct shellkit *k, const struct shellkit_step *st)
{
	struct session_limits lim = { st->soft_ms, st->hard_ms ? st->hard_ms : 60000 };

	switch (st->what) {
	case SHELLKIT_RUN:
		session_result_done(&k->r);
		buf_truncate(&k->all, 0);
		unit_ok(session_run(k->s, st->text, strlen(st->text), &lim, &k->r,
				    &k->e),
			&k->e);
		keep_all(k);
		break;
	case SHELLKIT_UNTIL:
		wait_until(k, st->has);
		break;
	case SHELLKIT_INPUT:
		send_bytes(k, st->text, strlen(st->text), &lim);
		break;
	case SHELLKIT_KEYS:
		press(k, st->text, &lim);
		break;
	case SHELLKIT_WAIT:
		send_bytes(k, "", 0, &lim);
		break;
	case SHELLKIT_SCREEN:
	case SHELLKIT_END:
		break;
	}
}

static enum shellkit_want outcome(const struct session_result *r)
{
	static const enum shellkit_want waits[] = { SHELLKIT_ANY, SHELLKIT_LINE,
						    SHELLKIT_KEY, SHELLKIT_PASSWORD };

	switch (r->state) {
	case SESSION_EXITED:
		return SHELLKIT_EXIT;
	case SESSION_WAITING:
		return waits[r->reason];
	case SESSION_RUNNING:
		return r->limit < SESSION_HARD ? SHELLKIT_SOFT : SHELLKIT_HARD;
	case SESSION_DIED:
		return SHELLKIT_DEAD;
	}
	return SHELLKIT_ANY;
}

static void check_text(const struct shellkit_step *st, const char *text)
{
	if (st->is)
		assert_string_equal(text, st->is);
	if (st->has && !strstr(text, st->has))
		fail_msg("'%s' is not in: %s", st->has, text);
	if (st->has_not && strstr(text, st->has_not))
		fail_msg("'%s' is in: %s", st->has_not, text);
}

static void check_step(struct shellkit *k, const struct shellkit_step *st)
{
	static const char *const names[] = { "any",  "exited",	 "line",
					     "key",  "password", "waits",
					     "soft", "hard",	 "dead" };
	enum shellkit_want got = outcome(&k->r);

	if (st->want == SHELLKIT_WAITS && (got == SHELLKIT_LINE || got == SHELLKIT_KEY))
		got = SHELLKIT_WAITS;
	if (st->want != SHELLKIT_ANY && got != st->want)
		fail_msg("%s instead of %s (exit %d) after: %s; text: %s", names[got],
			 names[st->want], k->r.status, st->text, buf_cstr(&k->r.text));
	if (st->want == SHELLKIT_EXIT || st->want == SHELLKIT_DEAD)
		assert_int_equal(k->r.status, st->status);
	check_text(st, buf_cstr(&k->r.text));
	if (st->want != SHELLKIT_ANY)
		assert_int_equal(k->r.full_screen, st->full_screen);
}

/* A busy machine: tmux waits for its first key before its server has drawn, and a program
 * that is to say something before it falls silent has not started yet. */
static bool is_early(const struct shellkit *k, const struct shellkit_step *st)
{
	if (st->served && outcome(&k->r) == SHELLKIT_KEY)
		return true;
	if (outcome(&k->r) != st->want)
		return false;
	if (st->want == SHELLKIT_SOFT)
		return st->has && !strstr(buf_cstr(&k->r.text), st->has);
	return st->full_screen && !k->r.full_screen;
}

static void wait_for_it(struct shellkit *k, const struct shellkit_step *st)
{
	struct session_limits lim = { st->soft_ms, normal.hard_ms };
	uint64_t until = sys_now_ms() + normal.hard_ms;

	while (is_early(k, st) && sys_now_ms() < until)
		send_bytes(k, "", 0, &lim);
}

static void check_screen(struct shellkit *k, const struct shellkit_step *st)
{
	uint64_t until = sys_now_ms() + normal.hard_ms;
	_cleanup_buf_ struct buf b = BUF_INIT(1 << 20);

	for (;;) {
		buf_truncate(&b, 0);
		unit_ok(session_screen(k->s, &b, &k->e), &k->e);
		if (!st->has || strstr(buf_cstr(&b), st->has) || sys_now_ms() >= until)
			break;
		send_bytes(k, "", 0, &normal);
	}
	check_text(st, buf_cstr(&b));
}

static bool can_mount(void)
{
	pid_t pid = fork();
	int status = -1;

	if (pid == 0)
		_exit(unshare(CLONE_NEWNS) < 0);
	return pid > 0 && waitpid(pid, &status, 0) == pid && status == 0;
}

static void check_needs(const char *needs)
{
	char path[PATH_MAX], why[300];

	if (!needs)
		return;
	if (strncmp(needs, "root:", 5) == 0) {
		needs += 5;
		if (geteuid() != 0)
			unit_skip("it would ask an ordinary user for a password");
	}
	if (strncmp(needs, "setid:", 6) == 0) {
		needs += 6;
		if (geteuid() != 0 || !can_mount())
			unit_skip("no mount namespace can be had");
		if (prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) != 0)
			unit_skip("set-id bits have no effect here (no_new_privs)");
	}
	if (proc_find(needs, path) < 0) {
		snprintf(why, sizeof(why), "%s is not installed", needs);
		unit_skip(why);
	}
}

void shellkit_row_with(const char *shell, const struct shellkit_row *row)
{
	struct shellkit k;

	check_needs(row->needs);
	shellkit_open(&k, shell, NULL);
	for (const struct shellkit_step *st = row->steps; st->what; st++) {
		if (st->what == SHELLKIT_UNTIL) {
			do_step(&k, st);
			continue;
		}
		if (st->what == SHELLKIT_SCREEN) {
			check_screen(&k, st);
			continue;
		}
		do_step(&k, st);
		wait_for_it(&k, st);
		check_step(&k, st);
	}
	shellkit_run(&k, "echo again");
	assert_string_equal(buf_cstr(&k.r.text), "again\n");
	assert_int_equal(k.r.status, 0);
	if (strstr(buf_cstr(&k.r.earlier), "cubby_"))
		fail_msg("plumbing shows: %s", buf_cstr(&k.r.earlier));
	shellkit_shut(&k);
}

void shellkit_row(const void *row)
{
	shellkit_row_with("bash", row);
}
