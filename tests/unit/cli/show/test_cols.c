#include "tests/unit/unit.h"

#include "cli/show/cols.h"

static const struct row {
	const char *name, *in;
	size_t cols, cut_at, cut;
} rows[] = {
	{ "letters", "abc", 3, 2, 2 },
	{ "more room than text", "abc", 3, 9, 3 },
	{ "two bytes, one column", "löl", 3, 2, 3 },
	{ "a wide character is not halved", "你好", 4, 3, 3 },
	{ "a picture", "a😀b", 4, 2, 1 },
	{ "half and full width forms", "ｱＡ", 3, 2, 3 },
	{ "an accent of its own", "e\xcc\x81x", 2, 1, 3 },
	{ "Hangul", "한국", 4, 2, 3 },
	{ "a style takes no room", "\033[1;31mab\033[0m", 2, 1, 8 },
	{ "no UTF-8", "a\xff\xfe", 3, 2, 2 },
	{ "a cut sequence of a style", "a\033[1", 1, 1, 4 },
	{ "nothing", "", 0, 5, 0 },
};

static void test(const void *p)
{
	const struct row *r = p;

	assert_int_equal(cols_text(r->in, strlen(r->in)), r->cols);
	assert_int_equal(cols_cut(r->in, strlen(r->in), r->cut_at), r->cut);
}

static void single_characters(void)
{
	assert_int_equal(cols_char('a'), 1);
	assert_int_equal(cols_char(0x300), 0);
	assert_int_equal(cols_char(0x1100), 2);
	assert_int_equal(cols_char(0x2714), 1);
	assert_int_equal(cols_char(0x20000), 2);
	assert_int_equal(cols_char(0x10ffff), 1);
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "single characters", single_characters },
	};

	return unit_rows("cols", rows, test) + unit_cases("cols_char", cases);
}
