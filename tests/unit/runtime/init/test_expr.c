/* What of Python's expressions is known, and that none takes for ever. What they mean is the
 * library's. */
#include "runtime/init/expr.h"

#include "tests/unit/unit.h"

static const struct row {
	const char *name, *text;
	bool literal, fold;
	const char *line;
	int want;
	const char *msg;
} rows[] = {
	{ "a word", "b+c", false, false, "abbc", 1, NULL },
	{ "none", "b+c", false, false, "ac", 0, NULL },
	{ "looking ahead, and not, in the middle", "a(?=b)(?!bx)b", false, false, "aby",
	  1, NULL },
	{ "looking behind", "(?<!a)b", false, false, "ab", 0, NULL },
	{ "what was before", "(?P<q>['\"]).*(?P=q)", false, false, "x 'y'", 1, NULL },
	{ "digits of all the world", "^\\d$", false, false, "\xd9\xa3", 1, NULL },
	{ "case of all the world", "GR\xc3\x9c", false, true, "gr\xc3\xbc", 1, NULL },
	{ "a character by its number", "^\\u00e9\\x41$", false, false,
	  "\xc3\xa9"
	  "A",
	  1, NULL },
	{ "no expression", "a.(", true, false, "xa.(", 1, NULL },
	{ "no expression, and no case", "A.(", true, true, "a.(", 1, NULL },
	{ "a line that is no text", "a", false, false, "a\xff", 0, NULL },
	{ "an expression that is none", "a\xff", false, false, "", -EINVAL,
	  "Invalid regex: UTF-8 error: illegal byte (0xfe or 0xff) at position 1" },
	{ "open", "a(b", false, false, "", -EINVAL,
	  "Invalid regex: missing closing parenthesis at position 3" },
	{ "a count without its beginning", "a{,3}", false, false, "", -EINVAL,
	  "Invalid regex: write {0,N} for {,N}" },
	{ "steps that double", "^(a+)+$", false, false,
	  "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab", -EINVAL,
	  "Invalid regex: it tries too much on a line; write it with fewer repetitions" },
	{ "a limit that the expression would raise", "(*LIMIT_MATCH=99999999)^(a+)+$",
	  false, false, "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab", -EINVAL,
	  "Invalid regex: it tries too much on a line; write it with fewer repetitions" },
	{ "recursion without end", "(?R)?a(?R)?b", false, false,
	  "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", 0, NULL },
	{ "one that grows", "((((((a{999}){99}){99}){99}){99}){99})", false, false, "",
	  -EINVAL, "Invalid regex: regular expression is too large at position 38" },
};

static void test_expr(const void *row)
{
	const struct row *w = row;
	_cleanup_expr_ struct expr *x = NULL;
	struct err e = ERR_NONE;
	int r = expr_new(w->text, w->literal, w->fold, &x, &e);

	if (r == 0)
		r = expr_matches(x, w->line, strlen(w->line), &e);
	assert_int_equal(r, w->want);
	if (w->msg)
		assert_string_equal(e.msg, w->msg);
}

static const struct words_row {
	const char *name, *words, *text;
	int start, end; /* -1 = nowhere */
} words_rows[] = {
	{ "words where they are", "note", "my Note", 3, 7 },
	{ "words of other alphabets", "\xc3\x84pfel \xd0\x96",
	  "x \xc3\xa4PFEL \xd0\xb6", 2, 11 },
	{ "a letter that has three forms", "\xcf\x83", "\xcf\x82", 0, 2 },
	{ "a sign that is a letter", "5k", "5\xe2\x84\xaa", 0, 4 },
	{ "each character for itself", "strasse",
	  "stra\xc3\x9f"
	  "e",
	  -1, -1 },
	{ "bytes that are none, before and behind", "GR\xc3\x9cN",
	  "\xfcgr\xc3\xbcn\xff", 1, 6 },
	{ "no expression", ".*", "a.*", 1, 3 },
	{ "nothing, which is everywhere", "", "a", 0, 0 },
};

static void test_words(const void *row)
{
	const struct words_row *w = row;
	_cleanup_expr_ struct expr *x = NULL;
	size_t start = 0, end = 0;
	struct err e = ERR_NONE;

	assert_int_equal(expr_words(w->words, &x, &e), 0);
	assert_int_equal(expr_find(x, w->text, strlen(w->text), &start, &end),
			 w->start >= 0);
	if (w->start >= 0) {
		assert_int_equal(start, w->start);
		assert_int_equal(end, w->end);
	}
}

static void words_that_are_none(void)
{
	struct expr *x = NULL;
	struct err e = ERR_NONE;

	assert_int_equal(expr_words("a\xff", &x, &e), -EINVAL);
	assert_string_equal(e.msg, "Invalid query: UTF-8 error: illegal byte (0xfe or "
				   "0xff) at position 1");
	assert_null(x);
}

static void too_long(void)
{
	static char text[EXPR_MAX + 2];
	struct expr *x = NULL;
	struct err e = ERR_NONE;

	memset(text, 'a', EXPR_MAX + 1);
	assert_int_equal(expr_new(text, false, false, &x, &e), -EINVAL);
	assert_null(x);
	text[EXPR_MAX] = '\0';
	assert_int_equal(expr_new(text, false, false, &x, &e), 0);
	expr_free(&x);
	expr_free(&x);
}

static const struct unit_case cases[] = {
	{ "an expression that is too long", too_long },
	{ "words that are no text", words_that_are_none },
};

int main(void)
{
	return unit_rows("expr", rows, test_expr) +
	       unit_rows("words", words_rows, test_words) + unit_cases("expr", cases);
}
