#include "tests/unit/unit.h"

#include <fcntl.h>

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

static int open_dir(const char *path)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	assert_true(fd >= 0);
	return fd;
}

static void without_a_box(void)
{
	struct memwatch w = MEMWATCH_NONE;
	struct err e = ERR_NONE;

	assert_int_equal(memwatch_open(-1, 1 << 20, &w, &e), -EBADMSG);
	unit_err(&e, -EBADMSG, "cannot watch the memory of the box: no /proc of it");
	assert_int_equal(memwatch_open(open_dir("/tmp"), 1 << 20, &w, &e), -EBADMSG);
	assert_int_equal(w.proc, -1);
}

/* This process has no pid namespace of its own: everything that the host runs is added
 * up. Nothing is killed, for the limit is beyond that. */
static void looks(void)
{
	struct memwatch w = MEMWATCH_NONE;
	struct err e = ERR_NONE;
	unsigned ms;

	unit_ok(memwatch_open(open_dir("/proc"), UINT64_MAX, &w, &e), &e);
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
		{ "what is no /proc", without_a_box },
		{ "adds up and kills nobody within the limit", looks },
	};

	return unit_rows("memwatch_pss", rows, pss) + unit_cases("memwatch", cases);
}
