#include "base/diff.h"

#include "tests/unit/unit.h"

static const struct row {
	const char *name, *old, *new, *want;
	size_t added, removed;
} rows[] = {
	{ "the same", "a\nb\n", "a\nb\n", "", 0, 0 },
	{ "both empty", "", "", "", 0, 0 },
	{ "a new text", "", "a\nb\n", "@@ -0,0 +1,2 @@\n+a\n+b\n", 2, 0 },
	{ "all gone", "a\n", "", "@@ -1 +0,0 @@\n-a\n", 0, 1 },
	{ "one line", "1\n2\n3\n4\n5\n6\n7\n8\n9\n", "1\n2\n3\n4\nfive\n6\n7\n8\n9\n",
	  "@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n", 1, 1 },
	{ "two places in one hunk", "1\n2\n3\n4\n5\n6\n", "one\n2\n3\n4\n5\nsix\n",
	  "@@ -1,6 +1,6 @@\n-1\n+one\n 2\n 3\n 4\n 5\n-6\n+six\n", 2, 2 },
	{ "two hunks", "1\n2\n3\n4\n5\n6\n7\n8\n9\n", "x\n2\n3\n4\n5\n6\n7\n8\n9\ny\n",
	  "@@ -1,4 +1,4 @@\n-1\n+x\n 2\n 3\n 4\n@@ -7,3 +7,4 @@\n 7\n 8\n 9\n+y\n", 2,
	  1 },
	{ "no newline at the end", "a\nb", "a\nb\n",
	  "@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+b\n", 1, 1 },
	{ "an insertion between equals", "a\na\na\n", "a\nb\na\na\n",
	  "@@ -1,3 +1,4 @@\n a\n+b\n a\n a\n", 1, 0 },
	{ "moved", "a\nb\nc\n", "b\nc\na\n", "@@ -1,3 +1,3 @@\n-a\n b\n c\n+a\n", 1,
	  1 },
	{ "some of many", "1\n2\n3\n4\n5\n6\n", "1\nx\n3\n5\n6\ny\n",
	  "@@ -1,6 +1,6 @@\n 1\n-2\n+x\n 3\n-4\n 5\n 6\n+y\n", 2, 2 },
	{ "empty lines", "\n\n\n", "\n\n", "@@ -1,3 +1,2 @@\n \n \n-\n", 0, 1 },
	{ "nothing in common", "a\nb\n", "c\nd\ne\n",
	  "@@ -1,2 +1,3 @@\n-a\n-b\n+c\n+d\n+e\n", 3, 2 },
};

static void text(struct buf *b, const char *s)
{
	assert_int_equal(buf_adds(b, s), 0);
}

static void test_row(const void *p)
{
	const struct row *row = p;
	_cleanup_buf_ struct buf a = BUF_INIT(1000), b = BUF_INIT(1000),
				 out = BUF_INIT(4000);
	struct diff_stat st, counted;

	text(&a, row->old);
	text(&b, row->new);
	assert_int_equal(diff_unified(&a, &b, &st, &out), 0);
	assert_string_equal(buf_cstr(&out), row->want);
	assert_int_equal(st.added, row->added);
	assert_int_equal(st.removed, row->removed);
	assert_int_equal(diff_unified(&a, &b, &counted, NULL), 0);
	assert_memory_equal(&counted, &st, sizeof(st));
}

/* Whatever the texts are: the hunks make one of the other, as patch(1) reads them. */
static void random_texts(void)
{
	uint32_t seed = 7;

	for (int n = 0; n < 400; n++) {
		_cleanup_buf_ struct buf a = BUF_INIT(4000), b = BUF_INIT(4000),
					 out = BUF_INIT(9000), made = BUF_INIT(4000);
		unsigned lines = 1 + (unsigned)n % 30, at = 0;
		const char *p;

		for (unsigned i = 0; i < lines; i++) {
			seed = seed * 1664525 + 1013904223;
			if (seed >> 29 != 1)
				buf_addf(&a, "%u\n", seed >> 30);
			if (seed >> 29 != 2)
				buf_addf(&b, "%u\n", (seed >> 27) % 5);
		}
		assert_int_equal(diff_unified(&a, &b, NULL, &out), 0);
		/* applied by hand: context and additions, and what is between hunks */
		p = buf_cstr(&a);
		for (const char *h = buf_cstr(&out); *h;) {
			const char *end = strchr(h, '\n') + 1;

			if (*h == '@') {
				unsigned from = (unsigned)strtoul(h + 4, NULL, 10);
				const char *count = strchr(h, ',');

				if (count && count < strchr(h, '+') &&
				    strtoul(count + 1, NULL, 10) == 0)
					from++;
				for (; at + 1 < from; at++) {
					size_t l = strcspn(p, "\n") + 1;

					buf_add(&made, p, l);
					p += l;
				}
			} else {
				if (*h != '-')
					buf_add(&made, h + 1, (size_t)(end - h - 1));
				if (*h != '+') {
					assert_memory_equal(p, h + 1,
							    (size_t)(end - h - 1));
					p += strcspn(p, "\n") + 1;
					at++;
				}
			}
			h = end;
		}
		buf_adds(&made, p);
		assert_string_equal(buf_cstr(&made), buf_cstr(&b));
	}
}

/* Texts that have nothing in common are told as one replaced piece, in bounded time. */
static void nothing_in_common(void)
{
	_cleanup_buf_ struct buf a = BUF_INIT(1 << 20), b = BUF_INIT(1 << 20),
				 out = BUF_INIT(4 << 20);
	struct diff_stat st;

	for (int i = 0; i < 20000; i++) {
		buf_addf(&a, "a%d\n", i);
		buf_addf(&b, "b%d\n", i);
	}
	assert_int_equal(diff_unified(&a, &b, &st, &out), 0);
	assert_int_equal(st.added, 20000);
	assert_int_equal(st.removed, 20000);
}

/* More edits than are searched: all between is replaced, the beginning and the end are not. */
static void too_different(void)
{
	static const char head[] = "@@ -1,6001 +1,6001 @@\n first\n-a0\n";
	_cleanup_buf_ struct buf a = BUF_INIT(1 << 20), b = BUF_INIT(1 << 20),
				 out = BUF_INIT(4 << 20);
	struct diff_stat st;

	buf_adds(&a, "first\n");
	buf_adds(&b, "first\n");
	for (int i = 0; i < 3000; i++) {
		buf_addf(&a, "a%d\nboth\n", i);
		buf_addf(&b, "b%d\nboth\n", i);
	}
	assert_int_equal(diff_unified(&a, &b, &st, &out), 0);
	assert_int_equal(st.added, 5999);
	assert_int_equal(st.removed, 5999);
	buf_truncate(&out, strlen(head));
	assert_string_equal(buf_cstr(&out), head);
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "random texts", random_texts },
		{ "nothing in common", nothing_in_common },
		{ "too different", too_different },
	};

	return unit_rows("diff", rows, test_row) + unit_cases("diff", cases);
}
