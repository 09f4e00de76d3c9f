#include "rootfs/review/lines.h"

#include "base/buf.h"
#include "tests/unit/unit.h"

static const struct row {
	const char *name, *a, *b;
	size_t removed, added;
} rows[] = {
	{ "nothing", "", "", 0, 0 },
	{ "the same", "a\nb\n", "a\nb\n", 0, 0 },
	{ "all is new", "", "a\nb", 0, 2 },
	{ "all is gone", "a\nb\n", "", 2, 0 },
	{ "a line between", "a\nc\n", "a\nb\nc\n", 0, 1 },
	{ "the last line gets its end", "a\nb", "a\nb\n", 1, 1 },
	{ "moved", "a\nb\nc\n", "b\nc\na\n", 1, 1 },
	{ "some of many", "1\n2\n3\n4\n5\n6\n", "1\nx\n3\n5\n6\ny\n", 2, 2 },
	{ "empty lines", "\n\n\n", "\n\n", 1, 0 },
	{ "nothing in common", "a\nb\n", "c\nd\ne\n", 2, 3 },
};

/* What stays of both is the same text. */
static void stays(const struct lines_side *s, struct buf *ret)
{
	for (size_t i = 0; i < s->n; i++)
		if (!s->other[i])
			buf_add(ret, s->at[i], (size_t)(s->at[i + 1] - s->at[i]));
}

static void same_rest(const struct lines *l)
{
	_cleanup_buf_ struct buf a = BUF_INIT(1 << 20), b = BUF_INIT(1 << 20);

	stays(&l->a, &a);
	stays(&l->b, &b);
	assert_string_equal(buf_cstr(&a), buf_cstr(&b));
}

static void compares(const void *p)
{
	const struct row *row = p;
	_cleanup_lines_ struct lines l = { .removed = 0 };

	assert_int_equal(
		lines_compare(row->a, strlen(row->a), row->b, strlen(row->b), &l), 0);
	assert_int_equal(l.removed, row->removed);
	assert_int_equal(l.added, row->added);
	same_rest(&l);
}

/* More steps than are searched: all between is other, and the beginning and the end are
 * not. */
static void too_different(void)
{
	_cleanup_buf_ struct buf a = BUF_INIT(1 << 20), b = BUF_INIT(1 << 20);
	_cleanup_lines_ struct lines l = { .removed = 0 };

	buf_adds(&a, "first\n");
	buf_adds(&b, "first\n");
	for (int i = 0; i < 3000; i++) {
		buf_addf(&a, "a%d\nboth\n", i);
		buf_addf(&b, "b%d\nboth\n", i);
	}
	assert_int_equal(lines_compare(a.data, a.len, b.data, b.len, &l), 0);
	assert_int_equal(l.removed, 5999);
	assert_int_equal(l.added, 5999);
	same_rest(&l);
}

static void limits(void)
{
	struct lines l;

	assert_int_equal(lines_compare("", (size_t)LINES_BYTES + 1, "", 0, &l),
			 -EMSGSIZE);
	assert_true(lines_binary("a\0b", 3));
	assert_false(lines_binary("ab", 2));
	assert_false(lines_binary("", 0));
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "two texts that have too little in common", too_different },
		{ "limits", limits },
	};

	return unit_rows("lines_compare", rows, compares) + unit_cases("lines", cases);
}
