#include "tests/unit/unit.h"

#include <sys/wait.h>
#include <unistd.h>

#include "runtime/memwatch.h"

static const struct row {
	const char *name, *text;
	int64_t want;
} rows[] = {
	{ "as the kernel writes it",
	  "5000-7000 ---p 00000000 00:00 0    [rollup]\nRss:      812 kB\nPss:      "
	  "141 kB\nPss_Dirty:  60 kB\n",
	  141 * 1024 },
	{ "none", "Rss: 812 kB\n", -1 },
	{ "another word", "x\nPss_Dirty:  60 kB\n", -1 },
	{ "no number", "x\nPss: kB\n", -1 },
	{ "too large", "x\nPss: 18446744073709551615 kB\n", -1 },
	{ "empty", "", -1 },
};

static void pss(const void *p)
{
	const struct row *row = p;

	assert_int_equal(memwatch_pss(row->text), row->want);
}

static void without_a_box(void)
{
	struct memwatch w = MEMWATCH_NONE;
	struct err e = ERR_NONE;
	pid_t pid = fork();

	if (!pid)
		_exit(0);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	assert_int_equal(memwatch_open(pid, 1 << 20, &w, &e), -ENOENT);
	unit_err(&e, -ENOENT,
		 "cannot watch the memory of the box: No such file or directory");
	assert_int_equal(w.proc, -1);
}

/* This process has no pid namespace of its own: everything that the host runs is added
 * up. Nothing is killed, for the limit is beyond that. */
static void looks(void)
{
	struct memwatch w = MEMWATCH_NONE;
	struct err e = ERR_NONE;
	unsigned ms;

	unit_ok(memwatch_open(getpid(), UINT64_MAX, &w, &e), &e);
	ms = memwatch_look(&w);
	assert_int_equal(ms, 500);
	assert_true(w.pids > 0);
	assert_true(w.used > 4096);
	assert_int_equal(w.peak, w.used);
	assert_int_equal(w.kills, 0);
	memwatch_close(&w);
	assert_int_equal(w.proc, -1);
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "a process that is not there", without_a_box },
		{ "adds up and kills nobody within the limit", looks },
	};

	return unit_rows("memwatch_pss", rows, pss) + unit_cases("memwatch", cases);
}
