#include "tests/unit/unit.h"

#include "cli/show/mdstream.h"

static const struct row {
	const char *name, *in, *want;
	unsigned cols;
} rows[] = {
	{ "paragraphs", "a\nb\n\nc", "a b\n\nc\n", 40 },
	{ "a list that hangs", "- one two three\n- b\n  1. x\n  2. y",
	  "• one two\n  three\n• b\n  1. x\n  2. y\n", 10 },
	{ "a loose list", "- a\n\n- b\n\n  more\n\nend",
	  "• a\n\n• b\n\n  more\n\nend\n", 40 },
	{ "code with blank lines", "x\n```c\nint  a;\n\n# no heading\n```\ny",
	  "x\n\n    int  a;\n    \n    # no heading\n\ny\n", 40 },
	{ "a table", "| a | n |\n|---|--:|\n| xyz | 1 |\n\nb",
	  "a   │ n\n────┼──\nxyz │ 1\n\nb\n", 40 },
	{ "several blank lines", "a\n\n\n\nb\n\n", "a\n\nb\n", 40 },
	{ "characters of several bytes", "你好\n\n世界", "你好\n\n世界\n", 40 },
	{ "nothing", "\n \n", "", 40 },
};

/* Cut anywhere: what stays and what is open is the whole, and what stayed is not taken
 * back. */
static void test_stream(const void *v)
{
	const struct row *row = v;
	const struct markdown_look look = { row->cols, false };
	_cleanup_buf_ struct buf stay = BUF_INIT(1 << 20);
	struct mdstream m;

	mdstream_init(&m);
	for (size_t i = 0; row->in[i]; i++) {
		_cleanup_buf_ struct buf open = BUF_INIT(1 << 20);

		mdstream_add(&m, row->in + i, 1, &look, &stay, &open);
	}
	mdstream_end(&m, &look, &stay);
	assert_string_equal(buf_cstr(&stay), row->want);
	mdstream_done(&m);
}

static void blocks_stay_and_the_last_is_open(void)
{
	const struct markdown_look look = { 40, false };
	_cleanup_buf_ struct buf stay = BUF_INIT(1 << 20), open = BUF_INIT(1 << 20);
	static const char text[] = "first\n\nsecond *wo";
	struct mdstream m;

	mdstream_init(&m);
	mdstream_add(&m, text, strlen(text), &look, &stay, &open);
	assert_string_equal(buf_cstr(&stay), "first\n");
	assert_string_equal(buf_cstr(&open), "\nsecond *wo\n");
	buf_truncate(&open, 0);
	mdstream_add(&m, "rd*\xe4\xbd", 5, &look, &stay, &open);
	assert_string_equal(buf_cstr(&stay), "first\n");
	assert_string_equal(buf_cstr(&open), "\nsecond word\n");
	mdstream_done(&m);
}

/* Nobody waits for the end of a block that has none. */
enum { LINES = 4 * MDSTREAM_BLOCK / 13 }; /* of 13 bytes */

static void a_block_without_an_end_is_bounded(void)
{
	const struct markdown_look look = { 80, false };
	_cleanup_buf_ struct buf stay = BUF_INIT(8 << 20);
	size_t lines = 0;
	struct mdstream m;

	mdstream_init(&m);
	for (int i = 0; i < LINES; i++) {
		_cleanup_buf_ struct buf open = BUF_INIT(1 << 20);
		const char *s = i ? "line of code\n" : "```\n";

		mdstream_add(&m, s, strlen(s), &look, &stay, &open);
		assert_true(m.open.len <= MDSTREAM_BLOCK + 16);
	}
	mdstream_end(&m, &look, &stay);
	for (const char *s = buf_cstr(&stay); *s; s = strchr(s, '\n') + 1) {
		assert_int_equal(strncmp(s, "    line of code\n", 17), 0);
		lines++;
	}
	assert_int_equal(lines, LINES - 1);
	mdstream_done(&m);
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "blocks stay and the last is open",
		  blocks_stay_and_the_last_is_open },
		{ "a block without an end is bounded",
		  a_block_without_an_end_is_bounded },
	};

	return unit_rows("mdstream_add", rows, test_stream) +
	       unit_cases("mdstream", cases);
}
