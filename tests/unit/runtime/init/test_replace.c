#include "runtime/init/replace.h"

#include "tests/unit/unit.h"

static const struct row {
	const char *name, *text, *list /* '|' for NUL */, *want;
	int code;
	const char *msg;
} rows[] = {
	{ "one", "a b c", "1||0|b|x|", "a x c", 0, NULL },
	{ "in order", "a", "1||0|a|b|1||0|b|c|", "c", 0, NULL },
	{ "all", "aXaXa", "1||1|X|--|", "a--a--a", 0, NULL },
	{ "to nothing", "ab", "1||0|ab||", "", 0, NULL },
	{ "in lines", "x\nx\nx\n", "2|2|0|x|y|", "x\ny\nx\n", 0, NULL },
	{ "from a line on", "x\nx\n", "2||0|x|y|", "x\ny\n", 0, NULL },
	{ "across the last line", "x\ny\nx\n", "1|1|1|x\ny|z|", "", -EINVAL,
	  "Target string not found: x\ny" },
	{ "to a line that is not there", "x\n", "1|9007199254740991|0|x|y|", "y\n", 0,
	  NULL },
	{ "not there", "a", "1||0|b|x|", "", -EINVAL, "Target string not found: b" },
	{ "not in these lines", "b\na\n", "2||0|b|x|", "", -EINVAL,
	  "Target string not found: b" },
	{ "twice", "bb", "1||0|b|x|", "", -EINVAL,
	  "Found 2 occurrences of target string but allow_multiple is false" },
	{ "lines that end before they begin", "a\nb\n", "5|0|0|b|x|", "", -EINVAL,
	  "end_line is before start_line" },
	{ "too much comes of it", "aaaaaaaa", "1||1|a|bbbbbbbbbb|1||1|b|cccccccccccc|",
	  "", -EMSGSIZE, "the result is too large" },
	{ "an empty text", "", "1||0|a|b|", "", -EINVAL, "Target string not found: a" },
	{ "no list", "a", "", "a", 0, NULL },
	{ "a list that ends early", "a", "1||0|", "", -EINVAL,
	  "the list of replacements makes no sense" },
	{ "no number", "a", "x||0|a|b|", "", -EINVAL,
	  "the list of replacements makes no sense" },
	{ "the largest number", "a", "1|18446744073709551615|0|a|b|", "", -EINVAL,
	  "the list of replacements makes no sense" },
};

static void test_apply(const void *p)
{
	const struct row *row = p;
	_cleanup_buf_ struct buf b = BUF_INIT(500), list = BUF_INIT(500);
	struct err e = ERR_NONE;

	buf_adds(&b, row->text);
	buf_adds(&list, row->list);
	for (size_t i = 0; i < list.len; i++)
		if (list.data[i] == '|')
			list.data[i] = '\0';
	assert_int_equal(replace_apply(&b, buf_cstr(&list), list.len, &e), row->code);
	if (row->code)
		unit_err(&e, row->code, row->msg);
	else
		assert_string_equal(buf_cstr(&b), row->want);
}

int main(void)
{
	return unit_rows("replace_apply", rows, test_apply);
}
