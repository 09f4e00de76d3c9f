#include "agent/turn/alike.h"

#include "tests/unit/unit.h"

struct row {
	const char *name, *in, *out;
};

/* clang-format off */
static const struct row rows[] = {
	{ "plain", "no numbers", "no numbers" },
	{ "numbers stay", "45% of 300 files, line 12", "45% of 300 files, line 12" },
	{ "a clock", "at 12:34:56 and 9:05", "at # and #" },
	{ "fractions of a second", "08:12:00.123 x", "# x" },
	{ "a date", "2024-05-06T01:02:03Z", "#T#Z" },
	{ "durations", "took 1.25s, 30 ms, 4 seconds", "took #, #, #" },
	{ "no duration", "3 squares, 4 small", "3 squares, 4 small" },
	{ "pids", "pid 123, PID: 77, process 9", "pid #, PID: #, process #" },
	{ "a job", "[1] 4711\n[1]+ Done", "[1] #\n[1]+ Done" },
	{ "a port is no clock", "localhost:8080", "localhost:8080" },
};
/* clang-format on */

static void alike_row(const void *p)
{
	_cleanup_buf_ struct buf out = BUF_INIT(1000);
	const struct row *row = p;

	assert_int_equal(alike_text(row->in, &out), 0);
	assert_string_equal(buf_cstr(&out), row->out);
}

int main(void)
{
	return unit_rows("alike_text", rows, alike_row);
}
