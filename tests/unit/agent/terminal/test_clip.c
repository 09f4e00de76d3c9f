#include "agent/terminal/clip.h"
#include "tests/unit/unit.h"

#define CUT(what) "[\xe2\x80\xa6 " what " left out \xe2\x80\xa6]\n"

static const struct row {
	const char *name;
	size_t budget;
	const char *in, *want;
} rows[] = {
	{ "empty", 8, "", "" },
	{ "short", 8, "abc\n", "abc\n" },
	{ "exactly the budget", 8, "abcdefgh", "abcdefgh" },
	{ "one more", 8, "abcdefghi", "abcd\n" CUT("1 byte") "fghi" },
	{ "at line ends", 16, "one\ntwo\nthree\nfour\nfive\n",
	  "one\ntwo\n" CUT("2 lines, 11 bytes") "five\n" },
	{ "a line and no more", 16, "one\ntwo\nthree\nsix\n",
	  "one\ntwo\n" CUT("1 line, 6 bytes") "six\n" },
	{ "a long line", 8, "aaaaaaaaaaaaaaaaaaaa\n",
	  "aaaa\n" CUT("13 bytes") "aaa\n" },
	{ "no half character", 8, "\xe2\x82\xac\xe2\x82\xac\xe2\x82\xac\xe2\x82\xac",
	  "\xe2\x82\xac\n" CUT("6 bytes") "\xe2\x82\xac" },
};

static void test_row(const void *p)
{
	const struct row *row = p;
	size_t len = strlen(row->in);

	for (size_t step = 1; step <= len + 1; step++) {
		struct clip c;
		_cleanup_buf_ struct buf got = BUF_INIT(4096);

		clip_init(&c, row->budget);
		for (size_t i = 0; i < len; i += step)
			assert_int_equal(clip_add(&c, row->in + i, MIN(step, len - i)),
					 0);
		assert_int_equal(clip_cut(&c), len > row->budget);
		assert_int_equal(clip_take(&c, &got), 0);
		assert_string_equal(buf_cstr(&got), row->want);
		/* as new afterwards */
		buf_truncate(&got, 0);
		assert_int_equal(clip_add(&c, "x", 1), 0);
		assert_int_equal(clip_take(&c, &got), 0);
		assert_string_equal(buf_cstr(&got), "x");
		clip_done(&c);
	}
}

int main(void)
{
	return unit_rows("clip (O7)", rows, test_row);
}
