#include "agent/tool/edit.h"
#include "tests/unit/unit.h"

static const struct row {
	const char *name, *in, *old, *new, *want;
	int code;
	unsigned count;
	uint64_t first, last;
} rows[] = {
	{ "one word", "a b c\n", "b", "x", "a x c\n", 0, 1, 1, 1 },
	{ "over lines", "a\nb\nc\n", "b\nc", "x\ny\nz", "a\nx\ny\nz\n", 0, 1, 2, 4 },
	{ "removed", "a\nb\n", "b\n", "", "a\n", 0, 1, 2, 2 },
	{ "none", "a\n", "b", "x", "", -ENOENT, 0, 0, 0 },
	{ "two", "a\nb\na\n", "a", "x", "", -EEXIST, 2, 0, 0 },
	{ "overlapping", "aaa", "aa", "x", "", -EEXIST, 2, 0, 0 },
	{ "CR LF is kept", "a\r\nb\r\nc\r\n", "a\nb", "x\ny", "x\r\ny\r\nc\r\n", 0, 1,
	  1, 2 },
	{ "CR LF given", "a\r\nb\r\n", "a\r\nb", "x", "x\r\n", 0, 1, 1, 1 },
	{ "BOM is kept",
	  "\xef\xbb\xbf"
	  "a\n",
	  "a", "b",
	  "\xef\xbb\xbf"
	  "b\n",
	  0, 1, 1, 1 },
	{ "empty file", "", "a", "b", "", -ENOENT, 0, 0, 0 },
};

static void test_row(const void *p)
{
	const struct row *row = p;
	_cleanup_buf_ struct buf in = BUF_INIT(4096), out = BUF_INIT(4096);
	struct edit ed;

	assert_int_equal(buf_adds(&in, row->in), 0);
	assert_int_equal(edit_replace(&in, row->old, row->new, &out, &ed), row->code);
	assert_string_equal(buf_cstr(&out), row->want);
	assert_int_equal(ed.count, row->count);
	if (row->code)
		return;
	assert_int_equal(ed.first, row->first);
	assert_int_equal(ed.last, row->last);
}

int main(void)
{
	return unit_rows("edit_replace (F3)", rows, test_row);
}
