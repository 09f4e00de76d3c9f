#include "agent/tool/edit.h"

#include "tests/unit/unit.h"

static const struct row {
	const char *name, *in;
	struct edit v[3];
	int code;
	const char *out; /* or, of a failure, its count: "2" */
	size_t nth;
} rows[] = {
	{ "one", "a b c\n", { { "b", "B", false } }, 0, "a B c\n", 0 },
	{ "to nothing", "a b c\n", { { " b", "", false } }, 0, "a c\n", 0 },
	{ "none", "a\n", { { "x", "y", false } }, -ENOENT, "0", 0 },
	{ "two", "a a\n", { { "a", "y", false } }, -EEXIST, "2", 0 },
	{ "overlapping", "aaa\n", { { "aa", "y", false } }, -EEXIST, "2", 0 },
	{ "all", "a b a\n", { { "a", "aa", true } }, 0, "aa b aa\n", 0 },
	{ "all of one", "a b\n", { { "a", "c", true } }, 0, "c b\n", 0 },
	{ "one after the other",
	  "a b\n",
	  { { "a", "x y", false }, { "y b", "z", false } },
	  0,
	  "x z\n",
	  0 },
	{ "the second fails",
	  "a b\n",
	  { { "a", "x", false }, { "a", "z", false } },
	  -ENOENT,
	  "0",
	  1 },
	{ "bare newlines in a file with CR LF",
	  "a\r\nb\r\nc\r\n",
	  { { "a\nb\n", "x\ny\n", false } },
	  0,
	  "x\r\ny\r\nc\r\n",
	  0 },
	{ "new lines there get theirs",
	  "a\r\nb\r\n",
	  { { "a", "x\ny", false } },
	  0,
	  "x\r\ny\r\nb\r\n",
	  0 },
};

static void test_row(const void *p)
{
	const struct row *row = p;
	_cleanup_buf_ struct buf in = BUF_INIT(1000), out = BUF_INIT(1000);
	struct edit_fault fault = { 0 };
	size_t n = 0;

	while (n < ARRAY_SIZE(row->v) && row->v[n].old)
		n++;
	buf_adds(&in, row->in);
	assert_int_equal(edit_apply(&in, row->v, n, &out, &fault), row->code);
	if (row->code) {
		assert_int_equal(fault.count, atoi(row->out));
		assert_int_equal(fault.nth, row->nth);
		assert_int_equal(out.len, 0);
	} else {
		assert_string_equal(buf_cstr(&out), row->out);
	}
}

static const struct near_row {
	const char *name, *in, *old, *want;
} near_rows[] = {
	{ "blanks", "int main(void)\n{\n\treturn 0;\n}\n", "{\n    return 0;\n}",
	  "only blanks or line ends differ from what stands from line 2 on:\n"
	  "{\n\treturn 0;\n}\n" },
	{ "blanks within a line", "one\n\ta = f(x,  y);\ntwo\n", "a = f(x, y);\n",
	  "only blanks or line ends differ from what stands from line 2 on:\n"
	  "\ta = f(x,  y);\n" },
	{ "a word", "one two three\nfour five six\n", "four fife six\n",
	  "the nearest stands from line 2 on:\nfour five six\n" },
	{ "nothing alike", "abc\ndef\n", "xyz", "" },
	{ "an empty file", "", "xyz", "" },
};

static void near_row(const void *p)
{
	const struct near_row *row = p;
	_cleanup_buf_ struct buf in = BUF_INIT(1000), out = BUF_INIT(1000);

	buf_adds(&in, row->in);
	assert_int_equal(edit_near(&in, row->old, &out), 0);
	assert_string_equal(buf_cstr(&out), row->want);
}

int main(void)
{
	return unit_rows("edit_apply", rows, test_row) +
	       unit_rows("edit_near", near_rows, near_row);
}
