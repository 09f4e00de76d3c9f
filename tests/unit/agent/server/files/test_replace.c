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

int main(void)
{
	return unit_rows("replace_apply", rows, test_apply);
}
