#include "base/json_scan.h"

#include "base/scope.h"
#include "tests/unit/unit.h"

#define STR(s) s, sizeof(s) - 1
#define TEN(s) s s s s s s s s s s
#define SIXTY(s) TEN(s) TEN(s) TEN(s) TEN(s) TEN(s) TEN(s)

static const struct row {
	const char *name;
	const char *text;
	size_t len;
	long bad_at; /* -1 = valid */
} rows[] = {
	{ "object", STR("{\"a\": [1, 2], \"b\": {}}"), -1 },
	{ "spaces all round", STR(" \t\r\n[ ] \n"), -1 },
	{ "scalars", STR("[null,true,false,\"\",0]"), -1 },
	{ "numbers", STR("[-0,10,1.5,1e5,1E+5,-1.25e-3]"), -1 },
	{ "escapes", STR("\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u12aF\""), -1 },
	{ "surrogate pair", STR("\"\\ud83d\\ude00\""), -1 },
	{ "UTF-8", STR("\"ä漢😀\""), -1 },
	{ "64 levels", STR(SIXTY("[") "[[[[]]]]" SIXTY("]")), -1 },
	{ "65 levels", STR(SIXTY("[") "[[[[[]]]]]" SIXTY("]")), 64 },
	{ "empty", STR(""), 0 },
	{ "only space", STR("  "), 2 },
	{ "trailing text", STR("{} x"), 3 },
	{ "two values", STR("1 2"), 2 },
	{ "byte order mark", STR("\xef\xbb\xbf{}"), 0 },
	{ "trailing comma", STR("[1,]"), 3 },
	{ "comma in an object", STR("{\"a\":1,}"), 7 },
	{ "cut after a comma", STR("{\"1\":1,"), 7 },
	{ "no colon", STR("{\"a\" 1}"), 5 },
	{ "name without quotes", STR("{a:1}"), 1 },
	{ "single quotes", STR("['a']"), 1 },
	{ "wrong bracket", STR("[1}"), 2 },
	{ "not closed", STR("[1"), 2 },
	{ "word cut", STR("tru"), 3 },
	{ "word wrong", STR("nulL"), 3 },
	{ "NaN", STR("NaN"), 0 },
	{ "leading zero", STR("01"), 1 },
	{ "plus", STR("+1"), 0 },
	{ "minus alone", STR("-"), 1 },
	{ "no digit before the point", STR(".5"), 0 },
	{ "no digit behind the point", STR("5."), 2 },
	{ "no digit in the exponent", STR("5e+"), 3 },
	{ "hex", STR("0x10"), 1 },
	{ "string not closed", STR("\"abc"), 4 },
	{ "line break in a string", STR("\"a\nb\""), 2 },
	{ "NUL in a string", STR("\"a\0b\""), 2 },
	{ "NUL behind the value", STR("1\0"), 1 },
	{ "control as space", STR("\v1"), 0 },
	{ "unknown escape", STR("\"\\x41\""), 2 },
	{ "escape at the end", STR("\"\\"), 2 },
	{ "escaped NUL", STR("\"\\u0000\""), 7 },
	{ "unit cut", STR("\"\\u12\""), 5 },
	{ "low surrogate alone", STR("\"\\ude00\""), 7 },
	{ "high surrogate alone", STR("\"\\ud83d\""), 7 },
	{ "high surrogate twice", STR("\"\\ud83d\\ud83d\""), 13 },
	{ "invalid UTF-8", STR("\"a\xff\""), 2 },
	{ "UTF-8 cut off", STR("\"\xe6\xbc"), 1 },
	{ "comment", STR("1 // one"), 2 },
};

static void test_scan(const void *data)
{
	const struct row *row = data;
	/* A copy without a byte to spare: the sanitizer sees a read past the end. */
	_cleanup_free_ char *text = malloc(row->len ? row->len : 1);
	size_t bad_at = 4711;
	int r;

	memcpy(text, row->text, row->len);
	r = json_scan_check(text, row->len, &bad_at);
	assert_int_equal(r, row->bad_at < 0 ? 0 : -EINVAL);
	assert_int_equal(bad_at, row->bad_at < 0 ? 4711 : row->bad_at);
}

static const struct few_row {
	const char *name, *text;
	size_t most;
	int want;
	size_t left;
} few[] = {
	{ "one", "0", 1, 0, 0 },
	{ "none may be", "0", 0, -E2BIG, 0 },
	{ "containers count", "[[],{}]", 3, 0, 0 },
	{ "one too many", "[[],{}]", 2, -E2BIG, 2 },
	{ "names do not", "{\"a\":1,\"b\":2}", 5, 0, 2 },
	{ "a fault before the limit", "[0,x,0]", 3, -EINVAL, 3 },
	{ "a fault behind the limit", "[0,0,x]", 2, -E2BIG, 2 },
	{ "a fault and the last value", "[0,x]", 3, -EINVAL, 3 },
};

static void test_few(const void *data)
{
	const struct few_row *row = data;
	size_t left = row->most, bad_at = 0;

	assert_int_equal(json_scan_within(row->text, strlen(row->text), &left, &bad_at),
			 row->want);
	assert_int_equal(left, row->left);
}

int main(void)
{
	return unit_rows("json_scan", rows, test_scan) +
	       unit_rows("json_scan_within", few, test_few);
}
