#include "tests/unit/unit.h"

#include "cli/task/view/words.h"

static const struct row {
	const char *name, *in, *want;
} rows[] = {
	{ "plain text", "a b\n\tc", "a b\n\tc" },
	{ "control characters are seen", "a\033[31mb\007\rc\177",
	  "a<U+001B>[31mb<U+0007><U+000D>c<U+007F>" },
	{ "both ends of a line", "a\r\nb\r\rc", "a\nb<U+000D><U+000D>c" },
	{ "turned text",
	  "a\xe2\x80\xae"
	  "b\xe2\x81\xa9",
	  "a<U+202E>b<U+2069>" },
	{ "no width, tags",
	  "a\xe2\x80\x8b"
	  "b\xf3\xa0\x81\xa1",
	  "a<U+200B>b<U+E0061>" },
	{ "pictures stay", "👩‍👧 ❤️", "👩‍👧 ❤️" },
	{ "UTF-8 stays", "lön €𝄞", "lön €𝄞" },
	{ "C1 control characters are seen",
	  "a\xc2\x9b"
	  "31mb",
	  "a<U+009B>31mb" },
	{ "what is no UTF-8 is marked",
	  "a\xff"
	  "b\xc3(",
	  "a\xef\xbf\xbd"
	  "b\xef\xbf\xbd(" },
	{ "nothing", "", "" },
};

/* Whole, and byte by byte. */
static void test(const void *p)
{
	const struct row *r = p;

	for (int split = 0; split < 2; split++) {
		_cleanup_buf_ struct buf b = BUF_INIT(1024);
		struct view_words w = { .n = 0 };

		for (size_t i = 0; split && r->in[i]; i++)
			assert_int_equal(view_words_add(&w, r->in + i, 1, &b), 0);
		if (!split)
			assert_int_equal(view_words_add(&w, r->in, strlen(r->in), &b),
					 0);
		assert_string_equal(buf_cstr(&b), r->want);
	}
}

static void a_whole_text_has_its_end(void)
{
	_cleanup_buf_ struct buf b = BUF_INIT(1024);

	assert_int_equal(view_words_all("rm x\r", 5, &b), 0);
	assert_int_equal(view_words_all("\xe4\xb8", 2, &b), 0);
	assert_string_equal(buf_cstr(&b), "rm x<U+000D>\xef\xbf\xbd\xef\xbf\xbd");
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "a whole text has its end", a_whole_text_has_its_end },
	};
	int failed = unit_rows("view_words", rows, test);

	return failed + unit_cases("view_words", cases);
}
