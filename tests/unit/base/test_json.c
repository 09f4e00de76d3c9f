#include "base/json.h"

#include <fcntl.h>
#include <math.h>

#include "base/file.h"
#include "tests/unit/unit.h"

static void assert_prints(const struct json *j, const char *want)
{
	_cleanup_buf_ struct buf b = BUF_INIT(1000);

	assert_int_equal(json_print(j, false, &b), 0);
	assert_string_equal(buf_cstr(&b), want);
}

static void refused(void)
{
	struct err e = ERR_NONE;
	struct json *j = (struct json *)&e;

	assert_int_equal(json_parse("{\"a\":}", 6, &j, &e), -EINVAL);
	unit_err(&e, -EINVAL, "bad JSON at byte 5");
	assert_ptr_equal(j, &e); /* untouched */
	assert_int_equal(json_parse("[1]", 2, &j, &e), -EINVAL);
	unit_err(&e, -EINVAL, "bad JSON at byte 2");
}

static void a_persons_file_is_told_by_its_lines(void)
{
	static const char text[] = "{\n  \"a\": 1,\n  'b': 2\n}\n";
	struct err e = ERR_NONE;
	struct json *j = NULL;

	assert_int_equal(json_parse_written(text, strlen(text), &j, &e), -EINVAL);
	unit_err(&e, -EINVAL, "bad JSON in line 3, at ''b': 2'");
	assert_int_equal(json_parse_written(text, 10, &j, &e), -EINVAL);
	unit_err(&e, -EINVAL, "bad JSON: it ends too early");
	assert_int_equal(json_parse_written("[1\n\033]", 5, &j, &e), -EINVAL);
	unit_err(&e, -EINVAL, "bad JSON in line 2, at '\\x1b]'");
	unit_ok(json_parse_written("[]", 2, &j, &e), &e);
	json_free(&j);
}

static void the_length_counts_not_the_nul(void)
{
	_cleanup_json_ struct json *j = NULL;
	struct err e = ERR_NONE;

	unit_ok(json_parse("12345", 3, &j, &e), &e);
	assert_prints(j, "123");
}

static void readers(void)
{
	_cleanup_json_ struct json *j =
		unit_json("{\"s\":\"x\",\"n\":-7,\"f\":1.5,"
			  "\"t\":true,\"a\":[1,2,3],\"z\":null}");
	int64_t v = 4711;

	assert_int_equal(json_type(j), JSON_OBJECT);
	assert_int_equal(json_len(j), 6);
	assert_string_equal(json_get_str(j, "s"), "x");
	assert_null(json_get_str(j, "S")); /* names are case-sensitive */
	assert_null(json_get_str(j, "n"));
	assert_true(json_is(j, "s", "x"));
	assert_false(json_is(j, "s", "y"));
	assert_false(json_is(j, "n", "x"));
	assert_int_equal(json_get_int(j, "n", 1), -7);
	assert_int_equal(json_get_int(j, "f", 1), 1);
	assert_int_equal(json_int(json_get(j, "f"), &v), -EINVAL);
	assert_int_equal(v, 4711);
	assert_true(fabs(json_num(json_get(j, "f"), 0) - 1.5) < 1e-9);
	assert_true(fabs(json_num(json_get(j, "s"), 2) - 2) < 1e-9);
	assert_true(json_get_bool(j, "t", false));
	assert_true(json_get_bool(j, "n", true));
	assert_false(json_true(json_get(j, "z")));
	assert_int_equal(json_type(json_get(j, "z")), JSON_NULL);
	assert_non_null(json_get(j, "z"));
	assert_int_equal(json_len(json_get(j, "a")), 3);
	assert_null(json_key(json_first(json_get(j, "a"))));
}

static void null_is_allowed_everywhere(void)
{
	int64_t v;

	assert_int_equal(json_type(NULL), JSON_NULL);
	assert_null(json_get(NULL, "a"));
	assert_null(json_get_mut(NULL, "a"));
	assert_false(json_is(NULL, "a", "a"));
	assert_null(json_str(NULL));
	assert_int_equal(json_int(NULL, &v), -EINVAL);
	assert_int_equal(json_len(NULL), 0);
	assert_null(json_first(NULL));
	assert_null(json_next(NULL));
	assert_null(json_key(NULL));
	assert_null(json_remove(NULL, "a"));
	assert_false(json_true(NULL));
}

static void each(void)
{
	_cleanup_json_ struct json *j = unit_json("{\"a\":1,\"b\":2,\"c\":3}");
	int64_t sum = 0, v;
	char keys[4] = "";

	json_each(it, j)
	{
		assert_int_equal(json_int(it, &v), 0);
		sum = sum * 10 + v;
		keys[strlen(keys)] = json_key(it)[0];
	}
	assert_int_equal(sum, 123);
	assert_string_equal(keys, "abc");
	assert_null(json_first(json_get(j, "a"))); /* a number has no members */
}

static void writers(void)
{
	_cleanup_json_ struct json *j = json_object();
	struct json *a = json_array();

	assert_int_equal(json_set_str(j, "s", "x"), 0);
	assert_int_equal(json_set_int(j, "n", 1), 0);
	assert_int_equal(json_set(j, "a", a), 0);
	assert_int_equal(json_add(a, json_string("y")), 0);
	assert_int_equal(json_add(a, json_null()), 0);
	assert_int_equal(json_set_bool(j, "s", false), 0); /* in place */
	assert_int_equal(json_set_str(j, "z", NULL), 0);
	assert_prints(j, "{\"s\":false,\"n\":1,\"a\":[\"y\",null],\"z\":null}");
}

static void what_writers_refuse(void)
{
	_cleanup_json_ struct json *j = json_object(), *arr = json_array();
	struct json *owned = json_string("x");

	assert_int_equal(json_set(j, "a", owned), 0);
	assert_int_equal(json_add(arr, owned), -EINVAL); /* it has an owner */
	assert_int_equal(json_add(arr, arr), -EINVAL);
	assert_int_equal(json_set(arr, "a", json_null()), -EINVAL); /* freed */
	assert_int_equal(json_add(j, json_null()), -EINVAL);
	assert_int_equal(json_add(json_get_mut(j, "a"), json_null()), -EINVAL);
	assert_prints(j, "{\"a\":\"x\"}");
	assert_prints(arr, "[]");
}

/* Filled without a look: a hole anywhere keeps all of it from being printed. */
static void a_hole_is_remembered(void)
{
	_cleanup_json_ struct json *j = json_object(), *copy = NULL;
	_cleanup_buf_ struct buf out = BUF_INIT(64);

	assert_int_equal(json_failed(NULL), -ENOMEM);
	assert_int_equal(json_set_str(NULL, "a", "x"), -ENOMEM);
	assert_int_equal(json_add(NULL, json_null()), -ENOMEM);
	assert_int_equal(json_set(j, "list", json_array()), 0);
	assert_int_equal(json_failed(j), 0);
	assert_int_equal(json_add(json_get_mut(j, "list"), NULL), -ENOMEM);
	assert_int_equal(json_set_str(j, "b", "y"), 0);
	assert_int_equal(json_failed(j), -ENOMEM);
	copy = json_dup(j);
	assert_int_equal(json_failed(copy), -ENOMEM);
	assert_int_equal(json_type(json_get(copy, "list")), JSON_ARRAY);
	assert_int_equal(json_print(j, false, &out), -ENOMEM);
	assert_string_equal(buf_cstr(&out), "");
	assert_int_equal(buf_failed(&out), -ENOMEM);
}

static void remove_and_dup(void)
{
	_cleanup_json_ struct json *j = unit_json("{\"a\":[1,{\"b\":\"c\"}],\"d\":2}");
	_cleanup_json_ struct json *a = json_remove(j, "a"), *copy = json_dup(a);

	assert_prints(j, "{\"d\":2}");
	assert_null(json_remove(j, "a"));
	assert_prints(copy, "[1,{\"b\":\"c\"}]");
	assert_int_equal(json_set(j, "a", take(&a, NULL)), 0);
	assert_prints(j, "{\"d\":2,\"a\":[1,{\"b\":\"c\"}]}");
}

static void texts_are_made_utf8(void)
{
	_cleanup_json_ struct json *a = json_string("ok\xffz"), *b = NULL, *c = NULL;

	b = json_stringn("a\0b\0", 4);
	c = json_string("\"\\\n\x01/ä");
	assert_string_equal(json_str(a), "ok\xef\xbf\xbdz");
	assert_string_equal(json_str(b), "a\xef\xbf\xbd"
					 "b\xef\xbf\xbd");
	assert_prints(c, "\"\\\"\\\\\\n\\u0001/ä\"");
}

static void a_whole_file(void)
{
	static const struct file_data good = { "[12345678]", 10, 0600 };
	static const struct file_data bad = { "[", 1, 0600 };
	_cleanup_json_ struct json *j = NULL;
	struct err e = ERR_NONE;
	_cleanup_close_ int dir = file_open_dir(AT_FDCWD, unit_tmpdir(), &e);

	assert_int_equal(json_read(dir, "f", 10, &j, &e), -ENOENT);
	unit_err(&e, -ENOENT, "cannot open 'f': No such file or directory");
	unit_ok(file_replace(dir, "f", &good, &e), &e);
	assert_int_equal(json_read(dir, "f", 9, &j, &e), -EMSGSIZE);
	unit_err(&e, -EMSGSIZE, "cannot read 'f': larger than 9 B");
	assert_null(j);
	unit_ok(json_read(dir, "f", 10, &j, &e), &e);
	assert_prints(j, "[12345678]");
	unit_ok(file_replace(dir, "f", &bad, &e), &e);
	assert_int_equal(json_read(dir, "f", 10, &j, &e), -EINVAL);
	unit_err(&e, -EINVAL, "bad JSON at byte 1");
	assert_int_equal(unlinkat(dir, "f", 0), 0);
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "refused texts", refused },
		{ "a person's file", a_persons_file_is_told_by_its_lines },
		{ "the length counts", the_length_counts_not_the_nul },
		{ "readers", readers },
		{ "a hole is remembered", a_hole_is_remembered },
		{ "NULL is allowed everywhere", null_is_allowed_everywhere },
		{ "each", each },
		{ "writers", writers },
		{ "what writers refuse", what_writers_refuse },
		{ "remove and dup", remove_and_dup },
		{ "texts are made UTF-8", texts_are_made_utf8 },
		{ "a whole file", a_whole_file },
	};

	return unit_cases("json", cases);
}
