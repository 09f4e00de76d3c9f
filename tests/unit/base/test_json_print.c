#include <math.h>

#include "base/file.h"
#include "base/json.h"
#include "tests/unit/unit.h"

static const struct number_row {
	const char *name;
	double v;
	const char *text;
	int64_t as_int; /* 0 with a text other than "0" = not an int */
} numbers[] = {
	{ "zero", 0, "0", 0 },
	{ "minus one", -1, "-1", -1 },
	{ "past 32 bits", 4294967296.0, "4294967296", 4294967296 },
	{ "time in ms", 1732107600123.0, "1732107600123", 1732107600123 },
	{ "the last exact one", 9007199254740992.0, "9007199254740992",
	  9007199254740992 },
	{ "past it", 9007199254740994.0, "9007199254740994", 0 },
	{ "fraction", 0.1, "0.1", 0 },
	{ "a third", 1 / 3.0, "0.3333333333333333", 0 },
	{ "tenth and fifth", 0.1 + 0.2, "0.30000000000000004", 0 },
	{ "large", 1e300, "1e+300", 0 },
	{ "infinity", INFINITY, "null", 0 },
	{ "not a number", NAN, "null", 0 },
};

static void test_number(const void *data)
{
	const struct number_row *row = data;
	_cleanup_json_ struct json *j = json_number(row->v);
	bool whole = row->as_int || !strcmp(row->text, "0");
	_cleanup_buf_ struct buf b = BUF_INIT(100);
	int64_t v = 0;

	assert_int_equal(json_print(j, false, &b), 0);
	assert_string_equal(buf_cstr(&b), row->text);
	assert_int_equal(json_int(j, &v), whole ? 0 : -EINVAL);
	assert_int_equal(v, row->as_int);
}

static void print_stays_within_the_buffer(void)
{
	_cleanup_json_ struct json *j = unit_json("[1,2,3]");
	_cleanup_buf_ struct buf b = BUF_INIT(8);

	assert_int_equal(buf_adds(&b, "ab"), 0);
	assert_int_equal(json_print(j, false, &b), -EMSGSIZE);
	assert_string_equal(buf_cstr(&b), "ab");
}

static const struct text_row {
	const char *name;
	const char *text; /* comes back as it is */
	const char *pretty;
} texts[] = {
	{ "scalars", "[null,true,false,\"x\"]",
	  "[\n  null,\n  true,\n  false,\n  \"x\"\n]" },
	{ "empty ones", "{\"a\":[],\"b\":{}}", "{\n  \"a\": [],\n  \"b\": {}\n}" },
	{ "nested", "{\"a\":{\"b\":[1]}}",
	  "{\n  \"a\": {\n    \"b\": [\n      1\n    ]\n  }\n}" },
	{ "escapes", "\"\\\"\\\\\\b\\f\\n\\r\\t\\u0001/\x7fä\"",
	  "\"\\\"\\\\\\b\\f\\n\\r\\t\\u0001/\x7fä\"" },
	{ "escaped name", "{\"a\\n\":1}", "{\n  \"a\\n\": 1\n}" },
};

static void test_text(const void *data)
{
	const struct text_row *row = data;
	_cleanup_json_ struct json *j = unit_json(row->text);
	_cleanup_buf_ struct buf b = BUF_INIT(1000);

	assert_int_equal(json_print(j, false, &b), 0);
	assert_string_equal(buf_cstr(&b), row->text);
	buf_truncate(&b, 0);
	assert_int_equal(json_print(j, true, &b), 0);
	assert_string_equal(buf_cstr(&b), row->pretty);
}

static void a_file_is_read_again(void)
{
	_cleanup_json_ struct json *j = unit_json("{\"a\":[1]}"), *read = NULL;
	_cleanup_close_ int dir = unit_top();
	_cleanup_buf_ struct buf b = BUF_INIT(100);
	struct err e = ERR_NONE;

	unit_ok(json_print_file(dir, "f", j, 23, file_replace, &e), &e);
	unit_ok(file_read(dir, "f", &b, &e), &e);
	assert_string_equal(buf_cstr(&b), "{\n  \"a\": [\n    1\n  ]\n}\n");
	unit_ok(json_read(dir, "f", 100, &read, &e), &e);
	assert_int_equal(json_len(json_get(read, "a")), 1);
	unit_ok(json_print_file(dir, "f", j, 22, file_replace, &e), &e);
	buf_done(&b);
	buf_init(&b, 100);
	unit_ok(file_read(dir, "f", &b, &e), &e);
	assert_string_equal(buf_cstr(&b), "{\"a\":[1]}\n");
	assert_int_equal(json_print_file(dir, "f", j, 9, file_replace, &e), -EMSGSIZE);
	unit_err(&e, -EMSGSIZE, "cannot write 'f': Message too long");
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "print stays within the buffer", print_stays_within_the_buffer },
		{ "a file is read again", a_file_is_read_again },
	};

	return unit_rows("json_number", numbers, test_number) +
	       unit_rows("json_print", texts, test_text) +
	       unit_cases("json_print", cases);
}
