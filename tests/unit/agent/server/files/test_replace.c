#include "agent/server/files/replace.h"

#include "tests/unit/unit.h"

static const struct row {
	const char *name, *text, *list, *want;
	int code;
	const char *msg;
} rows[] = {
	{ "one", "a b c", "[{\"target\":\"b\",\"replacement\":\"x\"}]", "a x c", 0,
	  NULL },
	{ "in order", "a",
	  "[{\"target\":\"a\",\"replacement\":\"b\"},{\"target\":\"b\",\"replacement\":"
	  "\"c\"}]",
	  "c", 0, NULL },
	{ "all", "aXaXa",
	  "[{\"target\":\"X\",\"replacement\":\"--\",\"allow_multiple\":true}]",
	  "a--a--a", 0, NULL },
	{ "to nothing", "ab", "[{\"target\":\"ab\",\"replacement\":\"\"}]", "", 0,
	  NULL },
	{ "in lines", "x\nx\nx\n",
	  "[{\"target\":\"x\",\"replacement\":\"y\",\"start_line\":2,\"end_line\":2}]",
	  "x\ny\nx\n", 0, NULL },
	{ "from a line on", "x\nx\n",
	  "[{\"target\":\"x\",\"replacement\":\"y\",\"start_line\":2}]", "x\ny\n", 0,
	  NULL },
	{ "not there", "a", "[{\"target\":\"b\",\"replacement\":\"x\"}]", "a", -EINVAL,
	  "Target string not found: b" },
	{ "not in these lines", "b\na\n",
	  "[{\"target\":\"b\",\"replacement\":\"x\",\"start_line\":2}]", "b\na\n",
	  -EINVAL, "Target string not found: b" },
	{ "twice", "bb", "[{\"target\":\"b\",\"replacement\":\"x\"}]", "bb", -EINVAL,
	  "Found 2 occurrences of target string but allow_multiple is false" },
	{ "lines that end before they begin", "a\nb\n",
	  "[{\"target\":\"b\",\"replacement\":\"x\",\"start_line\":5,\"end_line\":0}]",
	  "a\nb\n", -EINVAL, "end_line is before start_line" },
	{ "no target", "a", "[{\"replacement\":\"x\"}]", "a", -EBADMSG,
	  "target and replacement are needed" },
	{ "an empty target", "a", "[{\"target\":\"\",\"replacement\":\"x\"}]", "a",
	  -EBADMSG, "target and replacement are needed" },
	{ "none", "a", "[]", "a", -EBADMSG, "replacements are needed" },
};

static void test_apply(const void *p)
{
	const struct row *row = p;
	_cleanup_buf_ struct buf b = BUF_INIT(1000);
	_cleanup_json_ struct json *j = NULL;
	struct err e = ERR_NONE;

	buf_adds(&b, row->text);
	assert_int_equal(json_parse(row->list, strlen(row->list), &j, &e), 0);
	assert_int_equal(replace_apply(&b, j, &e), row->code);
	if (row->code)
		unit_err(&e, row->code, row->msg);
	else
		assert_string_equal(buf_cstr(&b), row->want);
}

/* Everybody waits while it is done: @n replacements to and fro in a text of @len bytes. */
static int work(size_t len, unsigned n, bool all, size_t *ret)
{
	_cleanup_buf_ struct buf b = BUF_INIT(len), list = BUF_INIT(1 << 20);
	_cleanup_json_ struct json *j = NULL;
	struct err e = ERR_NONE;
	int r;

	assert_int_equal(buf_reserve(&b, len), 0);
	memset(b.data, all ? 'a' : 'x', len);
	b.data[len - 1] = 'a';
	buf_commit(&b, len);
	for (unsigned i = 0; i < n; i++)
		buf_addf(&list,
			 "%c{\"target\":\"%c\",\"replacement\":\"%c\","
			 "\"allow_multiple\":true}",
			 i ? ',' : '[', i % 2 ? 'b' : 'a', i % 2 ? 'a' : 'b');
	buf_addc(&list, ']');
	assert_int_equal(buf_failed(&list), 0);
	assert_int_equal(json_parse(list.data, list.len, &j, &e), 0);
	r = replace_apply(&b, j, &e);
	if (r < 0)
		unit_err(&e, -EMSGSIZE,
			 "too many replacements for a text of this size; fewer at "
			 "once");
	*ret = b.len;
	return r;
}

static void test_work(void)
{
	size_t len;

	assert_int_equal(work(16 << 20, 4, false, &len), 0);
	assert_int_equal(len, 16 << 20);
	assert_int_equal(work(16 << 20, 5, false, &len), -EMSGSIZE);
	assert_int_equal(work(1 << 20, 200, false, &len), -EMSGSIZE);
	assert_int_equal(work(10000, 5000, false, &len), 0);
	/* Each place counts. Of small texts: a sanitizer looks at all that is left each time. */
	assert_int_equal(work(16 << 10, 280, true, &len), 0);
	assert_int_equal(work(16 << 10, 320, true, &len), -EMSGSIZE);
}

static const struct unit_case cases[] = {
	{ "how much is done at once", test_work },
};

int main(void)
{
	return unit_rows("replace_apply", rows, test_apply) +
	       unit_cases("replace", cases);
}
