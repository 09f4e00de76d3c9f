#include "tests/unit/unit.h"

#include <fcntl.h>
#include <unistd.h>

#include "runtime/cgroup/memwatch.h"

static const struct row {
	const char *name, *text;
	int want;
	struct memwatch_process p;
} status_rows[] = {
	{ "as the kernel writes it",
	  "Name:\tx\nVmPeak:\t    9 kB\nVmRSS:\t     812 kB\nRssAnon:\t 100 kB\n"
	  "RssShmem:\t      12 kB\nVmSwap:\t       8 kB\nThreads:\t3\n",
	  0,
	  { .bytes = 820 * 1024, .shmem = 12 * 1024, .threads = 3 } },
	{ "tables of pages are memory",
	  "Name:\tx\nVmRSS:\t     812 kB\nVmPTE:\t      60 kB\nThreads:\t1\n",
	  0,
	  { .bytes = 872 * 1024, .tables = 60 * 1024, .threads = 1 } },
	{ "a zombie has no memory", "Name:\tx\nThreads:\t1\n", 0, { .threads = 1 } },
	{ "cut off by a long list of groups",
	  "Name:\tx\nGroups:\t1 2 3 4",
	  -EBADMSG,
	  { 0 } },
	{ "a name that looks like a line",
	  "Name:\tVmRSS: 7\nThreads:\t1\n",
	  0,
	  { .threads = 1 } },
	{ "too large",
	  "VmRSS:\t18446744073709551615 kB\nThreads:\t1\n",
	  0,
	  { .threads = 1 } },
	{ "empty", "", -EBADMSG, { 0 } },
};

static const struct row rollup_rows[] = {
	{ "as the kernel writes it",
	  "5000-7000 ---p 00000000 00:00 0    [rollup]\nRss:      812 kB\nPss:      "
	  "141 kB\nPss_Dirty:  60 kB\nPss_Shmem:     40 kB\nSwapPss:        9 kB\n",
	  0,
	  { .bytes = 150 * 1024, .shmem = 40 * 1024 } },
	{ "an old kernel", "Pss: 141 kB\n", 0, { .bytes = 141 * 1024 } },
	{ "none", "Rss: 812 kB\n", -EBADMSG, { 0 } },
	{ "another word", "x\nPss_Dirty:  60 kB\n", -EBADMSG, { 0 } },
	{ "no number", "x\nPss: kB\n", -EBADMSG, { 0 } },
	{ "too large", "x\nPss: 18446744073709551615 kB\n", -EBADMSG, { 0 } },
	{ "empty", "", -EBADMSG, { 0 } },
};

static void parses(const struct row *row,
		   int (*parse)(const char *, struct memwatch_process *))
{
	struct memwatch_process p = { 0 };

	assert_int_equal(parse(row->text, &p), row->want);
	assert_int_equal(p.bytes, row->p.bytes);
	assert_int_equal(p.shmem, row->p.shmem);
	assert_int_equal(p.tables, row->p.tables);
	assert_int_equal(p.threads, row->p.threads);
}

static void status(const void *row)
{
	parses(row, memwatch_status);
}

static void rollup(const void *row)
{
	parses(row, memwatch_rollup);
}

#define SYSV                                                                         \
	"       key      shmid perms                  size  cpid  lpid nattch  rss " \
	"swap\n"

static const struct sysv_row {
	const char *name, *text;
	uint64_t want;
} sysv_rows[] = {
	{ "no segment", SYSV, 0 },
	{ "two",
	  SYSV
	  "         0          1   600              1048576   12    12      0   "
	  "1048576                  4096\n"
	  "         0          2   600                 4096   12    12      0      "
	  "0                     0\n",
	  1048576 + 4096 },
	{ "cut", SYSV " 0 1 600 1048576", 0 },
	{ "one word", SYSV "7\n", 7 },
	{ "empty lines", SYSV "\n\n", 0 },
	{ "empty", "", 0 },
};

static void sysv(const void *p)
{
	const struct sysv_row *row = p;

	assert_int_equal(memwatch_sysv(row->text), row->want);
}

static void columns(void)
{
	static const char text[] = "       key      semid perms      nsems   uid\n"
				   "         0          0   600      32000     0\n"
				   "       -77          1   600          5     0\n";

	assert_int_equal(memwatch_column(text, 3, 0), 32005);
	assert_int_equal(memwatch_column(text, 3, 8), 32021);
	assert_int_equal(memwatch_column(text, 1, 0), 1);
	assert_int_equal(memwatch_column("only a head\n", 3, 8), 0);
	assert_int_equal(memwatch_column("", 3, 8), 0);
}

static int open_dir(const char *path)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	assert_true(fd >= 0);
	return fd;
}

static void without_a_box(void)
{
	static const struct memwatch_conf limit = { .memory = 1 << 20 };
	int none[MEMWATCH_FDS] = MEMWATCH_NO_FD;
	int bad[MEMWATCH_FDS] = { open_dir("/tmp"), -1, -1, -1, -1 };
	int no_tmp[MEMWATCH_FDS] = { open_dir("/proc"), open_dir("/etc"), -1, -1, -1 };
	int no_sem[MEMWATCH_FDS] = { open_dir("/proc"), -1, -1, open_dir("/etc"), -1 };
	struct memwatch w = MEMWATCH_NONE;
	struct err e = ERR_NONE;

	assert_int_equal(memwatch_open(none, &limit, &w, &e), -EBADMSG);
	unit_err(&e, -EBADMSG, "cannot watch the memory of the box: no /proc of it");
	assert_int_equal(memwatch_open(bad, &limit, &w, &e), -EBADMSG);
	assert_int_equal(memwatch_open(no_tmp, &limit, &w, &e), -EBADMSG);
	assert_int_equal(memwatch_open(no_sem, &limit, &w, &e), -EBADMSG);
	assert_int_equal(w.fds[MEMWATCH_PROC], -1);
	close(bad[0]);
	close(no_tmp[0]);
	close(no_tmp[1]);
	close(no_sem[0]);
	close(no_sem[3]);
}

/* This process has no pid namespace of its own: everything that the host runs is added
 * up. Nothing is killed, for the limit is beyond that. */
static void looks(void)
{
	static const struct memwatch_conf limit = { UINT64_MAX, UINT64_MAX };
	int fds[MEMWATCH_FDS] = { open_dir("/proc"), -1, -1, -1, -1 };
	struct memwatch w = MEMWATCH_NONE;
	struct err e = ERR_NONE;
	unsigned ms;

	unit_ok(memwatch_open(fds, &limit, &w, &e), &e);
	ms = memwatch_look(&w);
	assert_int_equal(ms, 500);
	assert_true(w.pids > 0);
	assert_true(w.used > 4096);
	assert_int_equal(w.peak, w.used);
	assert_int_equal(w.kills + w.pid_kills, 0);
	assert_false(memwatch_is_lost(&w));
	close(fds[0]);
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "what is no /proc", without_a_box },
		{ "adds up and kills nobody within the limit", looks },
		{ "a column of a list of System V", columns },
	};

	return unit_rows("memwatch_status", status_rows, status) +
	       unit_rows("memwatch_rollup", rollup_rows, rollup) +
	       unit_rows("memwatch_sysv", sysv_rows, sysv) +
	       unit_cases("memwatch", cases);
}
