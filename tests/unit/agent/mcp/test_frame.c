#include "agent/mcp/frame.h"

#include "tests/unit/unit.h"

static const struct row {
	const char *name;
	const char *in;
	const char *want; /* frames in <>; a large one is <!>, the end is shown as | */
} rows[] = {
	{ "one", "{}\n", "<{}>|" },
	{ "two", "a\nb\n", "<a><b>|" },
	{ "line breaks of Windows", "a\r\nb\r\n", "<a><b>|" },
	{ "blank lines are none", "\n \t\r\n\na\n\n", "<a>|" },
	{ "no break at the end", "a\nb", "<a>|<b>" },
	{ "exactly the maximum", "12345678\n", "<12345678>|" },
	{ "one too many", "123456789\nb\n", "<!><b>|" },
	{ "far too many", "123456789012345678901234567890\nb\n", "<!><b>|" },
	{ "too many and no end", "1234567890", "<!>|" },
	{ "two large ones", "1234567890\n1234567890\n", "<!><!>|" },
	{ "nothing", "", "|" },
};

static void on_frame(void *ctx, const char *line, size_t len, bool whole)
{
	assert_true(whole || len <= 8); /* the beginning of what was too large */
	assert_int_equal(
		buf_addf(ctx, "<%.*s>", whole ? (int)len : 1, whole ? line : "!"), 0);
}

static void feed(const struct row *row, size_t piece)
{
	_cleanup_mcp_frame_ struct mcp_frame f;
	_cleanup_buf_ struct buf seen = BUF_INIT(1000);
	size_t len = strlen(row->in);

	mcp_frame_init(&f, 8);
	for (size_t at = 0; at < len; at += piece)
		assert_int_equal(mcp_frame_feed(&f, row->in + at, MIN(piece, len - at),
						on_frame, &seen),
				 0);
	assert_int_equal(buf_addc(&seen, '|'), 0);
	mcp_frame_end(&f, on_frame, &seen);
	assert_string_equal(buf_cstr(&seen), row->want);
}

static void test_feed(const void *row)
{
	feed(row, 1000);
	feed(row, 3);
	feed(row, 1);
}

int main(void)
{
	return unit_rows("mcp_frame", rows, test_feed);
}
