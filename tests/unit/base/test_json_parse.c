#include <math.h>

#include "base/json.h"
#include "tests/unit/unit.h"

/* A text and what it is when it is printed again; NULL = the same. */
static const struct row {
	const char *name, *text, *want;
} rows[] = {
	{ "words", "[true,false,null]", NULL },
	{ "nothing in it", "{\"a\":{},\"b\":[]}", NULL },
	{ "space everywhere", " \t\r\n{ \"a\" : [ 1 , 2 ] , \"b\" : { } } \n",
	  "{\"a\":[1,2],\"b\":{}}" },
	{ "space in empty ones", "[ [ ] , { } ]", "[[],{}]" },
	{ "one string", "\"x\"", NULL },
	{ "empty strings", "{\"\":\"\"}", NULL },
	{ "short escapes", "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"",
	  "\"\\\"\\\\/\\b\\f\\n\\r\\t\"" },
	{ "an escaped quote at the end", "[\"a\\\"\",\"\\\\\"]", NULL },
	{ "text between escapes", "\"ab\\ncd\\n\\nef\"", NULL },
	{ "one byte", "\"\\u0041\\u007f\\u0001\"", "\"A\x7f\\u0001\"" },
	{ "two bytes", "\"\\u0080\\u07FF\"", "\"\xc2\x80\xdf\xbf\"" },
	{ "three bytes", "\"\\u0800\\uffff\\uABCD\"",
	  "\"\xe0\xa0\x80\xef\xbf\xbf\xea\xaf\x8d\"" },
	{ "four bytes", "\"\\ud800\\udc00x\\uDBFF\\uDFFF\"",
	  "\"\xf0\x90\x80\x80x\xf4\x8f\xbf\xbf\"" },
	{ "UTF-8 as it is", "\"\xc3\xa4\xf0\x9f\x98\x80\"", NULL },
	{ "an escaped name", "{\"\\u0061\\n\":1}", "{\"a\\n\":1}" },
	{ "a name twice", "{\"a\":1,\"a\":2}", NULL },
	{ "integers", "[0,-1,999999999999999,9007199254740992,-9007199254740992]",
	  NULL },
	{ "minus nothing", "[-0,-0.0]", "[0,0]" },
	{ "fractions", "[1.5,-0.25,0.1]", NULL },
	{ "exponents", "[1e3,1E+2,25e-1,-1e0]", "[1000,100,2.5,-1]" },
	{ "too large", "[1e999,-1e999]", "[null,null]" },
	{ "more digits than a buffer",
	  "[1000000000000000000000000000000000000000000000000000000000000000000000,"
	  "0.5000000000000000000000000000000000000000000000000000000000000000000]",
	  "[1e+69,0.5]" },
};

static void test_row(const void *data)
{
	const struct row *row = data;
	size_t len = strlen(row->text);
	/* of exactly that size: a sanitizer sees what is read behind it */
	_cleanup_free_ char *text = malloc(len);
	_cleanup_buf_ struct buf b = BUF_INIT(1000);
	_cleanup_json_ struct json *j = NULL;
	struct err e = ERR_NONE;

	assert_non_null(text);
	memcpy(text, row->text, len);
	unit_ok(json_parse(text, len, &j, &e), &e);
	assert_int_equal(json_print(j, false, &b), 0);
	assert_string_equal(buf_cstr(&b), row->want ? row->want : row->text);
}

static void of_two_members_the_first_counts(void)
{
	const char *text = "{\"a\":1,\"a\":2}";
	_cleanup_json_ struct json *j = NULL;
	struct err e = ERR_NONE;

	unit_ok(json_parse(text, strlen(text), &j, &e), &e);
	assert_int_equal(json_get_int(j, "a", 0), 1);
	assert_int_equal(json_len(j), 2);
}

static void infinite(void)
{
	_cleanup_json_ struct json *j = NULL;
	struct err e = ERR_NONE;

	unit_ok(json_parse("-1e999", 6, &j, &e), &e);
	assert_true(isinf(json_num(j, 0)) && json_num(j, 0) < 0);
}

static void as_deep_as_allowed(void)
{
	_cleanup_json_ struct json *j = NULL, *too_deep = NULL;
	struct err e = ERR_NONE;
	char text[130];

	memset(text, '[', 65);
	memset(text + 65, ']', 65);
	unit_ok(json_parse(text + 1, 128, &j, &e), &e);
	assert_int_equal(json_parse(text, 130, &too_deep, &e), -EINVAL);
	unit_err(&e, -EINVAL, "bad JSON at byte 64");
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "of two members the first counts", of_two_members_the_first_counts },
		{ "infinite", infinite },
		{ "as deep as allowed", as_deep_as_allowed },
	};

	return unit_rows("json_parse", rows, test_row) +
	       unit_cases("json_parse", cases);
}
