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
};

int main(void)
{
	return unit_rows("expr", rows, test_expr) + unit_cases("expr", cases);
}
