#include "base/procfs.h"

#include <fcntl.h>
#include <grp.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "tests/unit/unit.h"

/* ---- stat --------------------------------------------------------------------------- */

#define NUMBERS                                                                        \
	" S 1 2 3 34816 5 64 0 0 0 0 7 8 0 0 20 0 9 0 1000 4096 12 "                   \
	"18446744073709551615 1 1 1 0 0 0 0 0 0 0 0 0 17 0 0 0 0 0 0 1 1 1 4000 4100 " \
	"1 0\n"

static const struct stat_row {
	const char *name, *text;
	int want;
} stat_rows[] = {
	{ "a plain name", "12 (sh)" NUMBERS, 0 },
	{ "a name with blanks", "12 (a b c)" NUMBERS, 0 },
	{ "one with parentheses", "12 (a) Z 7 (b)" NUMBERS, 0 },
	{ "one that ends with one", "12 ())" NUMBERS, 0 },
	{ "one with a newline", "12 (a\nb) R 1\n)" NUMBERS, 0 },
	{ "no name", "12 ()" NUMBERS, 0 },
	{ "nothing", "", -EPROTO },
	{ "a name alone", "12 (sh)", -EPROTO },
	{ "no blank", "12 (sh)S 1 2 3", -EPROTO },
	{ "a state alone", "12 (sh) S", -EPROTO },
	{ "cut off", "12 (sh) S 1 2 3 34816 5 64 0 0 0 0 7 8 0 0 20 0 9 0 1000",
	  -EPROTO },
	{ "words", "12 (sh) S one two", -EPROTO },
};

static void reads_stat(const void *p)
{
	const struct stat_row *row = p;
	struct procfs_stat st = { .state = '?' };

	assert_int_equal(procfs_stat_parse(row->text, &st), row->want);
	if (row->want < 0) {
		assert_int_equal(st.state, '?');
		return;
	}
	assert_int_equal(st.state, 'S');
	assert_int_equal(st.ppid, 1);
	assert_int_equal(st.pgrp, 2);
	assert_int_equal(st.sid, 3);
	assert_int_equal(st.tty, 34816);
	assert_int_equal(st.flags, 64);
	assert_int_equal(st.ticks, 15);
	assert_int_equal(st.threads, 9);
	assert_int_equal(st.started, 1000);
	assert_int_equal(st.rss, 12);
	assert_int_equal(st.args, 4000);
	assert_int_equal(st.args_end, 4100);
}

/* ---- lines -------------------------------------------------------------------------- */

static const struct number_row {
	const char *name, *text, *key;
	int base;
	bool is;
	uint64_t want;
} number_rows[] = {
	{ "the first line", "Pss: 12 kB\n", "Pss", 10, true, 12 },
	{ "a later one", "a\nPss:\t12 kB\n", "Pss", 10, true, 12 },
	{ "one that ends alike", "SwapPss: 1\nPss: 2\n", "Pss", 10, true, 2 },
	{ "one that begins alike", "Pss_Shmem: 1\nPss: 2\n", "Pss", 10, true, 2 },
	{ "within another", "Name:\tPss: 1\nPss: 2\n", "Pss", 10, true, 2 },
	{ "hexadecimal", "SigCgt:\t0000000180004a07\n", "SigCgt", 16, true,
	  0x180004a07 },
	{ "octal", "Umask:\t0022\n", "Umask", 8, true, 18 },
	{ "several", "Uid:\t1\t2\t3\t4\n", "Uid", 10, true, 1 },
	{ "no such line", "Name:\tx\n", "Uid", 10, false, 7 },
	{ "no number", "Uid:\tx\n", "Uid", 10, false, 7 },
	{ "below zero", "Uid:\t-1\n", "Uid", 10, false, 7 },
	{ "that of the next line", "Uid:\n5\n", "Uid", 10, false, 7 },
	{ "cut off", "Uid:", "Uid", 10, false, 7 },
	{ "nothing", "", "Uid", 10, false, 7 },
};

static void reads_number(const void *p)
{
	const struct number_row *row = p;
	uint64_t n = 7;

	assert_int_equal(procfs_number(row->text, row->key, row->base, &n), row->is);
	assert_int_equal(n, row->want);
}

static void innermost(void)
{
	assert_int_equal(procfs_inner("Name:\tx\nNSpid:\t100\t20\t3\nNSpgid:\t9\n"), 3);
	assert_int_equal(procfs_inner("NSpid:\t100\n"), 100);
	assert_int_equal(procfs_inner("NSpid:\t100"), 100);
	assert_int_equal(procfs_inner("NSpid:\t\nNSpgid:\t9\n"), 0);
	assert_int_equal(procfs_inner("Name:\tNSpid:\t7\n"), 0);
	assert_int_equal(procfs_inner(""), 0);
}

/* ---- of real processes ---------------------------------------------------------------- */

static pid_t sleeper(void)
{
	pid_t pid = fork();

	if (pid == 0) {
		(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
		pause();
		_exit(0);
	}
	assert_true(pid > 0);
	return pid;
}

static void ends(pid_t pid)
{
	assert_int_equal(kill(pid, SIGKILL), 0);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
}

static void strange_names(void)
{
	static const char *const names[] = { "a) Z 1 2 (b", "a\nNSpid:\t7", "\t) (",
					     ")" };
	char was[16];

	assert_int_equal(prctl(PR_GET_NAME, was), 0);
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		_cleanup_buf_ struct buf status = BUF_INIT(PROCFS_STATUS);
		struct procfs_stat st;
		struct err e = ERR_NONE;

		assert_int_equal(prctl(PR_SET_NAME, names[i]), 0);
		assert_int_equal(procfs_stat(AT_FDCWD, "/proc/self/stat", &st), 0);
		assert_int_equal(st.state, 'R');
		assert_int_equal(st.ppid, getppid());
		assert_true(st.args && st.args < st.args_end);
		unit_ok(file_read(AT_FDCWD, "/proc/self/status", &status, &e), &e);
		assert_int_equal(procfs_inner(buf_cstr(&status)), getpid());
	}
	assert_int_equal(prctl(PR_SET_NAME, was), 0);
}

struct list {
	pid_t pids[1024];
	size_t n, most;
};

static int take_pid(void *ctx, pid_t pid)
{
	struct list *l = ctx;

	l->pids[l->n++] = pid;
	return l->n == l->most;
}

static void children(void)
{
	struct list l = { .most = 1 };
	pid_t self = getpid(), a, b;

	assert_int_equal(procfs_has_children(self), 0);
	a = sleeper();
	b = sleeper();
	assert_int_equal(procfs_has_children(self), 1);
	assert_int_equal(
		procfs_children(AT_FDCWD,
				procfs_path("/proc/%d/task/%d/children", self, self),
				take_pid, &l),
		0);
	assert_int_equal(l.n, 1);
	assert_int_equal(l.pids[0], a);
	ends(a);
	ends(b);
	assert_int_equal(procfs_has_children(self), 0);
	assert_int_equal(procfs_has_children(a), -ENOENT);
}

/* More than one page of them, which the kernel gives in pieces. */
static void many_children(void)
{
	struct list l = { .most = ARRAY_SIZE(l.pids) };
	struct err e = ERR_NONE;
	_cleanup_close_ int dir = unit_top();
	_cleanup_buf_ struct buf text = BUF_INIT(1 << 16);

	for (int i = 0; i < 1000; i++)
		assert_int_equal(buf_addf(&text, "%d ", 1000000 + i), 0);
	unit_ok(file_replace(dir, "children",
			     &(struct file_data){ text.data, text.len, 0600 }, &e),
		&e);
	assert_int_equal(procfs_children(dir, "children", take_pid, &l), 0);
	assert_int_equal(l.n, 1000);
	for (int i = 0; i < 1000; i++)
		assert_int_equal(l.pids[i], 1000000 + i);
	assert_int_equal(procfs_children(dir, "none", take_pid, &l), -ENOENT);
}

static void names_of_descriptors(void)
{
	_cleanup_close_ int fd = open("/", O_RDONLY | O_DIRECTORY);
	char name[8], small[2];

	assert_int_equal(procfs_fd_name(fd, name, sizeof(name)), 1);
	assert_string_equal(name, "/");
	assert_int_equal(procfs_fd_name(fd, small, sizeof(small)), 1);
	assert_int_equal(procfs_fd_name(-1, name, sizeof(name)), -ENOENT);
	assert_string_equal(name, "");
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "the innermost number", innermost },
		{ "programs of strange names", strange_names },
		{ "children", children },
		{ "more children than one read gives", many_children },
		{ "names of descriptors", names_of_descriptors },
	};

	return unit_rows("procfs_stat", stat_rows, reads_stat) +
	       unit_rows("procfs_number", number_rows, reads_number) +
	       unit_cases("procfs", cases);
}
