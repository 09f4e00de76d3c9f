#include "runtime/wire/holder.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/scope.h"
#include "tests/unit/unit.h"

static const struct row {
	const char *name, *text;
	int want;
	pid_t pid;
	const char *dir;
} rows[] = {
	{ "a note", "12 /run/x\n", 0, 12, "/run/x" },
	{ "a directory with a space", "12 /run/a b\n", 0, 12, "/run/a b" },
	{ "the rest of a longer one", "12 /run/x\nlonger\n", 0, 12, "/run/x" },
	{ "empty", "", -ENOENT, 0, NULL },
	{ "cut", "12 /run/x", -ENOENT, 0, NULL },
	{ "no directory", "12\n/run/x y\n", -ENOENT, 0, NULL },
	{ "a relative one", "12 run\n", -ENOENT, 0, NULL },
	{ "no number", "x /run/x\n", -ENOENT, 0, NULL },
	{ "nobody's number", "0 /run/x\n", -ENOENT, 0, NULL },
	{ "a number that is too long", "12345678901234567890 /x\n", -ENOENT, 0, NULL },
};

static void parse(const void *p)
{
	const struct row *row = p;
	struct holder h = { .pid = -1 };

	assert_int_equal(holder_parse(row->text, &h), row->want);
	assert_int_equal(h.pid, row->want ? -1 : row->pid);
	if (!row->want)
		assert_string_equal(h.dir, row->dir);
}

static void a_path_that_is_too_long(void)
{
	struct holder h = { .pid = -1 };
	char text[PATH_MAX + 16] = "12 ";

	memset(text + 3, '/', PATH_MAX);
	text[3 + PATH_MAX] = '\n';
	assert_int_equal(holder_parse(text, &h), -ENOENT);
	text[3 + PATH_MAX - 1] = '\n';
	assert_int_equal(holder_parse(text, &h), 0);
	assert_int_equal(strlen(h.dir), PATH_MAX - 1);
}

static void noted_and_found(void)
{
	_cleanup_close_ int dir = unit_top();
	_cleanup_close_ int lock = -1, ctl = -1;
	struct err e = ERR_NONE;
	struct holder h;
	char want[2 * PATH_MAX];

	assert_int_equal(holder_read(dir, &h), -ENOENT);
	lock = openat(dir, "lock", O_RDWR | O_CREAT, 0600);
	assert_int_equal(write(lock, "1234567 /a/longer/note/of/another/process\n", 42),
			 42);
	unit_ok(holder_note(lock, dir, &e), &e);
	/* this process is no monitor, until it says so */
	assert_int_equal(holder_read(dir, &h), -ENOENT);
	assert_int_equal(prctl(PR_SET_NAME, HOLDER_NAME), 0);
	assert_int_equal(holder_read(dir, &h), 0);
	assert_int_equal(h.pid, getpid());
	assert_string_equal(h.dir, unit_tmpdir());
	assert_false(holder_is_lost(-1, &h));
	assert_true(holder_is_lost(dir, &h));
	ctl = openat(dir, "ctl", O_RDWR | O_CREAT, 0600);
	assert_false(holder_is_lost(dir, &h));
	assert_false(holder_is_ending(dir));
	assert_int_equal(holder_lost(&h, &e), -EBUSY);
	snprintf(want, sizeof(want), "'kill %d' ends it", getpid());
	assert_non_null(strstr(e.msg, want));
	assert_int_equal(prctl(PR_SET_NAME, HOLDER_ENDING), 0);
	assert_true(holder_is_ending(dir));
	assert_false(holder_is_ending(-1));
	assert_int_equal(holder_read(dir, &h), -ENOENT);
	assert_int_equal(prctl(PR_SET_NAME, HOLDER_ENDED), 0);
	assert_false(holder_is_ending(dir));
}

/* A machine whose process 1 reaps nobody keeps them. */
static void one_that_has_ended(void)
{
	_cleanup_close_ int dir = unit_top();
	_cleanup_close_ int lock = openat(dir, "lock", O_RDWR | O_CREAT, 0600);
	struct err e = ERR_NONE;
	struct holder h;
	siginfo_t info;
	pid_t child = fork();

	if (child == 0) {
		prctl(PR_SET_NAME, HOLDER_NAME);
		_exit(holder_note(lock, dir, &e) < 0);
	}
	assert_int_equal(waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT), 0);
	assert_int_equal(info.si_status, 0);
	assert_int_equal(holder_read(dir, &h), -ENOENT);
	assert_int_equal(waitpid(child, NULL, 0), child);
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "a path that is too long", a_path_that_is_too_long },
		{ "noted and found", noted_and_found },
		{ "one that has ended", one_that_has_ended },
	};

	return unit_rows("holder", rows, parse) + unit_cases("holder", cases);
}
