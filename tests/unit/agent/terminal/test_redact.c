#include "agent/terminal/redact.h"
#include "tests/unit/unit.h"

static void on_out(void *ctx, const char *data, size_t len)
{
	assert_return_code(buf_add(ctx, data, len), 0);
}

static const struct row {
	const char *name;
	const char *words[4];
	const char *in, *want;
} rows[] = {
	{ "no secret", { 0 }, "text", "text" },
	{ "one", { "hunter22" }, "a hunter22 b", "a *** b" },
	{ "twice in a row", { "hunter22" }, "hunter22hunter22", "******" },
	{ "only its start", { "hunter22" }, "hunter2", "hunter2" },
	{ "start, then the whole", { "aaab" }, "aaaaab", "aa***" },
	{ "two secrets", { "first1", "other2" }, "other2-first1", "***-***" },
	{ "one inside the other", { "abcd", "abcdef" }, "abcdef abcd", "*** ***" },
	{ "the longer fails late", { "abcd", "abcdef" }, "abcdex", "***ex" },
	{ "overlapping", { "abcd", "cdef" }, "abcdef", "***ef" },
};

static void run(const struct row *row, size_t step)
{
	struct redact r;
	size_t len = strlen(row->in);
	_cleanup_buf_ struct buf got = BUF_INIT(4096);

	redact_init(&r, on_out, &got);
	for (int i = 0; i < 4 && row->words[i]; i++)
		assert_int_equal(redact_add(&r, row->words[i], "***"), 0);
	for (size_t i = 0; i < len; i += step)
		redact_feed(&r, row->in + i, MIN(step, len - i));
	redact_flush(&r);
	assert_string_equal(buf_cstr(&got), row->want);
	redact_done(&r);
}

/* A whole text at once; the line ends of a secret stay. */
static const struct row texts[] = {
	{ "over lines", { "ab\ncd" }, "x ab\ncd y\nz", "x ***\n*** y\nz" },
	{ "ends a line", { "abcd\n" }, "abcd\nz", "***\n***z" },
	{ "short ones are none", { "abc", "", "abcd" }, "abc abcd", "abc ***" },
};

static void test_text(const void *p)
{
	const struct row *row = p;
	_cleanup_buf_ struct buf in = BUF_INIT(4096), got = BUF_INIT(4096);
	struct redact r;

	redact_init(&r, NULL, NULL);
	assert_int_equal(redact_add_all(&r, row->words), 0);
	assert_int_equal(buf_adds(&in, row->in), 0);
	assert_int_equal(redact_text(&r, &in, &got), 0);
	assert_string_equal(buf_cstr(&got), row->want);
	redact_done(&r);
}

static void test_row(const void *p)
{
	const struct row *row = p;

	test_text(row);
	for (size_t step = 1; step <= strlen(row->in); step++)
		run(row, step);
}

/* A screen: \v ends a row that goes on in the next. */
static const struct row screens[] = {
	{ "no secret", { "hunter22" }, "ab\vcd\nef\n", "ab\ncd\nef\n" },
	{ "none known", { 0 }, "ab\vcd\n\v", "ab\ncd\n\n" },
	{ "in a row", { "hunter22" }, "x\vhunter22\vy\n", "x\n***\ny\n" },
	{ "over two", { "hunter22" }, "a hun\vter22 b\n", "a ***\n*** b\n" },
	{ "over four", { "hunter22" }, "h\vun\vter2\v2z\n", "***\n***\n***\n***z\n" },
	{ "two in a row",
	  { "hunter22" },
	  "hunter2\v2hunter\v22\n",
	  "***\n******\n***\n" },
	{ "another line", { "hunter22" }, "hunt\ner22\n", "hunt\ner22\n" },
	{ "over lines and rows",
	  { "abc\ndef" },
	  "ab\vc\nd\vef\n",
	  "***\n***\n***\n***\n" },
};

static void test_screen(const void *p)
{
	const struct row *row = p;
	_cleanup_buf_ struct buf in = BUF_INIT(4096), got = BUF_INIT(4096);
	struct redact r;

	redact_init(&r, NULL, NULL);
	assert_int_equal(redact_add_all(&r, row->words), 0);
	assert_int_equal(buf_adds(&in, row->in), 0);
	assert_int_equal(redact_rows(&r, &in, '\v', &got), 0);
	assert_string_equal(buf_cstr(&got), row->want);
	redact_done(&r);
}

static void limits(void)
{
	struct redact r;
	_cleanup_buf_ struct buf got = BUF_INIT(64);
	static char big[REDACT_LEN + 2];

	memset(big, 'x', REDACT_LEN + 1);
	redact_init(&r, on_out, &got);
	assert_int_equal(redact_add(&r, "abc", "***"), -EINVAL);
	assert_int_equal(redact_add(&r, big, "***"), -EMSGSIZE);
	for (int i = 0; i < REDACT_MAX; i++)
		assert_int_equal(redact_add(&r, "secret", "***"), 0);
	assert_int_equal(redact_add(&r, "secret", "***"), -ENOSPC);
	redact_done(&r);
}

int main(void)
{
	static const struct unit_case cases[] = { { "limits", limits } };

	return unit_rows("redact (O13)", rows, test_row) +
	       unit_rows("redact_text (O13)", texts, test_text) +
	       unit_rows("redact_rows (O13)", screens, test_screen) +
	       unit_cases("redact", cases);
}
