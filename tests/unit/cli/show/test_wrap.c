#include "tests/unit/unit.h"

#include "base/text.h"
#include "cli/show/wrap.h"

#define BOLD       \
	"\001\x41" \
	"0"
#define RED        \
	"\001\x40" \
	"1"
#define OFF        \
	"\001\x40" \
	"0"

static const struct row {
	const char *name, *in, *first, *rest, *want;
	size_t cols;
	bool color, anywhere;
} rows[] = {
	{ "no width, no breaks", "a b c", "", "", "a b c\n", 0, false, false },
	{ "at words", "aa bb cc", "", "", "aa bb\ncc\n", 5, false, false },
	{ "exactly", "aa bb", "", "", "aa bb\n", 5, false, false },
	{ "blanks at a break go", "aa   bb", "", "", "aa\nbb\n", 4, false, false },
	{ "fronts", "aa bb cc", "$ ", "  ", "$ aa\n  bb\n  cc\n", 6, false, false },
	{ "newlines", "a\n\nb", "> ", "  ", "> a\n  \n  b\n", 9, false, false },
	{ "the last newline is no row", "a\n", "", "", "a\n", 9, false, false },
	{ "nothing is a row", "", "$ ", "", "$ \n", 9, false, false },
	{ "a long word", "abcdefg hi", "", "", "abcde\nfg hi\n", 5, false, false },
	{ "anywhere", "ab cd ef", "", "", "ab c\nd ef\n", 4, false, true },
	{ "wide ones break between", "你好吗a b", "", "", "你好\n吗a\nb\n", 4, false,
	  false },
	{ "a wide one that half fits", "a你好", "", "", "a你\n好\n", 4, false, true },
	{ "tabs", "a\tb", "", "", "a       b\n", 0, false, false },
	{ "a style goes on in the next row", "a" BOLD " bb cc" OFF " d", "", "",
	  "a\033[0;1m bb\033[0m\n\033[0;1mcc\033[0m d\n", 4, true, false },
	{ "a colour", RED "x", "", "", "\033[0;31mx\033[0m\n", 4, true, false },
	{ "no colours", RED "x" BOLD "y", "", "", "xy\n", 4, false, false },
	{ "a terminal of no width", "abcdefgh", "    ", "    ", "    abcd\n    efgh\n",
	  1, false, false },
};

static void test(const void *p)
{
	const struct row *r = p;
	const struct wrap w = { r->first, r->rest, r->cols, r->color, r->anywhere };
	_cleanup_buf_ struct buf out = BUF_INIT(4096);

	wrap_add(&out, &w, r->in, strlen(r->in));
	assert_string_equal(buf_cstr(&out), r->want);
}

static void marks_take_no_room(void)
{
	_cleanup_buf_ struct buf b = BUF_INIT(64);

	wrap_mark(&b, WRAP_BOLD | WRAP_STRIKE, WRAP_RED);
	buf_adds(&b, "a你");
	assert_int_equal(wrap_cols(b.data, b.len), 3);
}

static void what_is_hidden_is_shown(void)
{
	_cleanup_buf_ struct buf b = BUF_INIT(256);

	text_seen(&b,
		  "a\001\x41"
		  "1\033\t\n\xc2\x9b\xff",
		  10, false);
	assert_string_equal(buf_cstr(&b),
			    "a<U+0001>A1<U+001B>\t\n<U+009B>\xef\xbf\xbd");
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "marks take no room", marks_take_no_room },
		{ "what is hidden is shown", what_is_hidden_is_shown },
	};

	return unit_rows("wrap_add", rows, test) + unit_cases("wrap", cases);
}
