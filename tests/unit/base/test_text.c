#include "base/text.h"

#include "base/embed.h"
#include "tests/unit/unit.h"

EMBED(hidden_table, "tests/unit/base/hidden.txt");

#define STR(s) s, sizeof(s) - 1

static const struct escape_row {
	const char *name;
	const char *in;
	size_t len;
	const char *want;
	const char *utf8; /* text_utf8() of the same; NULL = unchanged */
} escapes[] = {
	{ "plain", STR("ls -la /tmp"), "ls -la /tmp", NULL },
	{ "empty", STR(""), "", NULL },
	{ "newline, tab, backslash", STR("a\nb\tc\\d"), "a\\nb\\tc\\\\d", NULL },
	{ "escape sequence", STR("\x1b[31mred\r"), "\\x1b[31mred\\x0d", NULL },
	{ "NUL and DEL", STR("a\0b\x7f"), "a\\x00b\\x7f", NULL },
	{ "umlaut, CJK and emoji stay", STR("ä漢😀"), "ä漢😀", NULL },
	{ "C1 control in UTF-8", STR("\xc2\x9b"), "\\xc2\\x9b", NULL },
	{ "right-to-left override", STR("a\xe2\x80\xae"), "a\\xe2\\x80\\xae", NULL },
	{ "line separator", STR("\xe2\x80\xa8"), "\\xe2\\x80\\xa8", NULL },
	{ "mark of direction", STR("a\xd8\x9c\xe2\x81\xa7"),
	  "a\\xd8\\x9c\\xe2\\x81\\xa7", NULL },
	{ "no width", STR("a\xe2\x80\x8b\xc2\xad"), "a\\xe2\\x80\\x8b\\xc2\\xad",
	  NULL },
	{ "tag", STR("a\xf3\xa0\x81\xa1"), "a\\xf3\\xa0\\x81\\xa1", NULL },
	{ "a joined picture stays", STR("👩‍👧 ❤️ ❤️‍🔥 1️⃣"),
	  "👩‍👧 ❤️ ❤️‍🔥 1️⃣", NULL },
	{ "a joiner between letters", STR("a‍b"), "a\\xe2\\x80\\x8db", NULL },
	{ "Persian stays", STR("می‌خواهم"), "می‌خواهم", NULL },
	{ "a variation of a letter", STR("a\xef\xb8\x8f"), "a\\xef\\xb8\\x8f", NULL },
	{ "variations in a row", STR("❤\xef\xb8\x8f\xef\xb8\x8f"),
	  "❤\xef\xb8\x8f\\xef\\xb8\\x8f", NULL },
	{ "Hangul filler", STR("\xe3\x85\xa4"), "\\xe3\\x85\\xa4", NULL },
	{ "stray byte", STR("a\xff z"), "a\\xff z", "a\xef\xbf\xbd z" },
	{ "overlong slash", STR("\xc0\xaf"), "\\xc0\\xaf", "\xef\xbf\xbd\xef\xbf\xbd" },
	{ "surrogate", STR("\xed\xa0\x80"), "\\xed\\xa0\\x80",
	  "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd" },
	{ "cut off at the end", STR("a\xe6\xbc"), "a\\xe6\\xbc",
	  "a\xef\xbf\xbd\xef\xbf\xbd" },
};

static void test_escape(const void *data)
{
	const struct escape_row *row = data;
	_cleanup_buf_ struct buf b = BUF_INIT(1000);
	_cleanup_buf_ struct buf u = BUF_INIT(1000);
	char out[100];

	assert_int_equal(text_escape(&b, row->in, row->len), 0);
	assert_string_equal(buf_cstr(&b), row->want);
	assert_string_equal(text_escaped(out, sizeof(out), row->in, row->len),
			    row->want);
	assert_int_equal(text_utf8(&u, row->in, row->len), 0);
	if (row->utf8) {
		assert_string_equal(buf_cstr(&u), row->utf8);
	} else {
		assert_int_equal(u.len, row->len);
		assert_memory_equal(buf_cstr(&u), row->in, row->len);
	}
}

static const struct len_row {
	const char *name;
	const char *in;
	size_t len;
	int want;
} lens[] = {
	{ "nothing", STR(""), 0 },
	{ "ascii", STR("a"), 1 },
	{ "two", STR("\xc3\xa4"), 2 },
	{ "last of two", STR("\xdf\xbf"), 2 },
	{ "first of three", STR("\xe0\xa0\x80"), 3 },
	{ "first of four", STR("\xf0\x90\x80\x80"), 4 },
	{ "two cut", STR("\xc3"), 0 },
	{ "two wrong", STR("\xc3("), -1 },
	{ "three", STR("\xe2\x82\xac"), 3 },
	{ "three cut after two", STR("\xe2\x82"), 0 },
	{ "three wrong at the end", STR("\xe2\x82("), -1 },
	{ "three overlong, cut", STR("\xe0\x80"), -1 },
	{ "last below the surrogates", STR("\xed\x9f\xbf"), 3 },
	{ "first surrogate", STR("\xed\xa0\x80"), -1 },
	{ "four", STR("\xf0\x9f\x98\x80"), 4 },
	{ "four overlong", STR("\xf0\x8f\xbf\xbf"), -1 },
	{ "last of all", STR("\xf4\x8f\xbf\xbf"), 4 },
	{ "past the last", STR("\xf4\x90\x80\x80"), -1 },
	{ "five bytes", STR("\xf8\x88\x80\x80\x80"), -1 },
	{ "continuation first", STR("\x80"), -1 },
	{ "overlong two", STR("\xc1\xbf"), -1 },
};

static void test_len(const void *data)
{
	const struct len_row *row = data;

	assert_int_equal(text_utf8_len(row->in, row->len), row->want);
	assert_int_equal(text_whole(row->in, row->len), row->want ? row->len : 0);
	if (row->want > 0) {
		char back[4];
		unsigned c;

		assert_int_equal(text_decode(row->in, row->len, &c), row->want);
		assert_int_equal(text_encode(c, back), row->want);
		assert_memory_equal(back, row->in, (size_t)row->want);
	}
}

static void escaped_is_cut_at_a_piece(void)
{
	char out[8];

	assert_string_equal(text_escaped(out, 8, STR("1234567")), "1234567");
	assert_string_equal(text_escaped(out, 8, STR("12345678")), "1234…");
	assert_string_equal(text_escaped(out, 8, STR("123\x01zzz")), "123…");
	assert_string_equal(text_escaped(out, 8, STR("\x01\x01\x01")), "\\x01…");
	assert_string_equal(text_escaped(out, 4, STR("12345678")), "…");
	assert_string_equal(text_escaped(out, 8, STR("ääää")), "ää…");
}

static void what_does_not_fit_changes_nothing(void)
{
	_cleanup_buf_ struct buf b = BUF_INIT(6);

	assert_int_equal(buf_adds(&b, "abc"), 0);
	assert_int_equal(text_escape(&b, STR("d\x01")), -EMSGSIZE);
	assert_string_equal(buf_cstr(&b), "abc");
	assert_int_equal(text_utf8(&b, STR("de\xff")), -EMSGSIZE);
	assert_string_equal(buf_cstr(&b), "abc");
	assert_int_equal(text_utf8(&b, STR("\xff")), 0);
	assert_string_equal(buf_cstr(&b), "abc\xef\xbf\xbd");
}

static const struct number_row {
	const char *name; /* the text itself */
	uint64_t n;
} sizes[] = {
	{ "0 B", 0 },
	{ "1023 B", 1023 },
	{ "1 KiB", 1024 },
	{ "1.5 KiB", 1536 },
	{ "1023.9 KiB", 1023 * 1024 + 922 },
	{ "1 MiB", (1 << 20) - 1 },
	{ "54.1 MiB", 56724480 },
	{ "4 GiB", 4ULL << 30 },
	{ "16384 PiB", UINT64_MAX },
	{ "1638.4 PiB", 1844674407370955162 }, /* ten times that is 4, modulo 2^64 */
}, times[] = {
	{ "0.0s", 0 },	       { "0.4s", 350 },	       { "59.9s", 59949 },
	{ "1m00s", 59950 },    { "1m12s", 72000 },     { "59m59s", 3599499 },
	{ "1h00m", 3599500 },  { "23h59m", 86399000 }, { "1d00h", 86400000 },
	{ "2d03h", 183600000 },
};

static void settings(void)
{
	char text[] = "# all\n\n  a b \r\n\t#c\nlast";
	char *rest = text;
	unsigned number = 0;

	assert_string_equal(text_setting(&rest, &number), "a b \r");
	assert_int_equal(number, 3);
	assert_string_equal(text_setting(&rest, &number), "last");
	assert_int_equal(number, 5);
	assert_null(text_setting(&rest, &number));
	assert_null(text_setting(&rest, &number));
}

static void test_size(const void *data)
{
	const struct number_row *row = data;

	assert_string_equal(text_bytes(row->n), row->name);
}

static void test_time(const void *data)
{
	const struct number_row *row = data;

	assert_string_equal(text_ms(row->n), row->name);
}

static void wall_time(void)
{
	char out[40];

	assert_string_equal(text_time(out, sizeof(out), 0, 0),
			    "1970-01-01T00:00:00.000Z");
	assert_string_equal(text_time(out, sizeof(out), 951827696, 789654321),
			    "2000-02-29T12:34:56.789Z");
	assert_string_equal(text_time(out, sizeof(out), INT64_MAX, 0),
			    "1970-01-01T00:00:00.000Z");
}

static void copy_and_ends(void)
{
	char out[4];

	assert_int_equal(text_copy(out, sizeof(out), "abc"), 0);
	assert_string_equal(out, "abc");
	assert_int_equal(text_copy(out, sizeof(out), "abcd"), -ENAMETOOLONG);
	assert_string_equal(out, "abc");
	assert_true(text_starts("abc", "ab") && text_starts("abc", ""));
	assert_false(text_starts("ab", "abc"));
	assert_true(text_ends("abc", "bc") && text_ends("abc", ""));
	assert_false(text_ends("bc", "abc"));
}

static void lines(void)
{
	const char *rest = "one\n\nfour\nend";
	char line[4];

	assert_true(text_line(&rest, line, sizeof(line)));
	assert_string_equal(line, "one");
	assert_true(text_line(&rest, line, sizeof(line)));
	assert_string_equal(line, "");
	assert_true(text_line(&rest, line, sizeof(line))); /* too long */
	assert_string_equal(line, "");
	assert_true(text_line(&rest, line, sizeof(line)));
	assert_string_equal(line, "end");
	assert_false(text_line(&rest, line, sizeof(line)));
}

static void is_in(void)
{
	assert_true(text_is_in("/a/b", "/a/b") && text_is_in("/a/b/c", "/a/b"));
	assert_true(text_is_in("/a", "/") && text_is_in("/a/b", "/a/"));
	assert_false(text_is_in("/a/bc", "/a/b") || text_is_in("/a", "/a/b"));
	assert_true(text_is_below("/a/b", "/a") && text_is_below("a/b/c", "a/b"));
	assert_false(text_is_below("/a", "/a") || text_is_below("/ab/c", "/a"));
	assert_false(text_is_below("a", "") || text_is_below("/a", "/a/b"));
}

/* "WHAT FROM TO" in hexadecimal: these are hidden ("*"), or WHAT is behind each of these. The
 * page of the server is proved by the same table (tests/fake/page_hidden.mjs). */
static void hidden_is_what_the_table_says(void)
{
	static const unsigned apart[] = { 0x200c, 0x200d, 0xfe0e, 0xfe0f };
	_cleanup_buf_ struct buf found = BUF_INIT(1 << 16);

	for (size_t i = 0; i <= ARRAY_SIZE(apart); i++) {
		unsigned what = i ? apart[i - 1] : 0, from = 0;
		bool on = false;

		for (unsigned c = 0; c <= 0x110000; c++) {
			bool is = c < 0x110000 && (c < 0xd800 || c > 0xdfff);

			for (size_t k = 0; !i && k < ARRAY_SIZE(apart); k++)
				is &= c != apart[k];
			is = is && (i ? text_hidden(c, what) : text_hidden('a', c));
			if (is && !on)
				from = c;
			else if (on && !is && i)
				buf_addf(&found, "%04x %04x %04x\n", what, from, c - 1);
			else if (on && !is)
				buf_addf(&found, "* %04x %04x\n", from, c - 1);
			on = is;
		}
	}
	assert_string_equal(buf_cstr(&found), hidden_table);
}

static void words(void)
{
	const char *list[] = { "b", "a" };

	assert_true(text_is_word("a-B_9", 6));
	assert_false(text_is_word("a-B_9", 5));
	assert_false(text_is_word("", 5));
	assert_false(text_is_word("a.b", 5));
	assert_false(text_is_word("\xc3\xa4", 5));
	qsort(list, ARRAY_SIZE(list), sizeof(*list), text_order);
	assert_string_equal(list[0], "a");
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "escaped text is cut at a piece", escaped_is_cut_at_a_piece },
		{ "what does not fit changes nothing",
		  what_does_not_fit_changes_nothing },
		{ "time of day", wall_time },
		{ "lines of settings", settings },
		{ "lines", lines },
		{ "copy, starts, ends", copy_and_ends },
		{ "words", words },
		{ "below a directory", is_in },
		{ "hidden is what the table says", hidden_is_what_the_table_says },
	};

	return unit_rows("text_escape", escapes, test_escape) +
	       unit_rows("text_utf8_len", lens, test_len) +
	       unit_rows("text_bytes", sizes, test_size) +
	       unit_rows("text_ms", times, test_time) + unit_cases("text", cases);
}
