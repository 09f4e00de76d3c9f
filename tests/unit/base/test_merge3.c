#include "base/merge3.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/unit/unit.h"

enum { TEXT = 8000, CASES = 400 };

static const struct row {
	const char *name, *base, *ours, *theirs, *want;
	size_t conflicts;
} rows[] = {
	{ "nobody", "a\nb\n", "a\nb\n", "a\nb\n", "a\nb\n", 0 },
	{ "all empty", "", "", "", "", 0 },
	{ "ours alone", "a\nb\n", "a\nx\n", "a\nb\n", "a\nx\n", 0 },
	{ "theirs alone", "a\nb\n", "a\nb\n", "y\nb\n", "y\nb\n", 0 },
	{ "the same by both", "a\nb\nc\n", "a\nx\nc\n", "a\nx\nc\n", "a\nx\nc\n", 0 },
	{ "two places", "a\nb\nc\n", "x\nb\nc\n", "a\nb\ny\n", "x\nb\ny\n", 0 },
	{ "two places, the other way round", "a\nb\nc\n", "a\nb\ny\n", "x\nb\nc\n",
	  "x\nb\ny\n", 0 },
	{ "an insertion and a deletion", "a\nb\nc\nd\n", "a\nnew\nb\nc\nd\n",
	  "a\nb\nc\n", "a\nnew\nb\nc\n", 0 },
	{ "the same line", "a\nb\nc\n", "a\nx\nc\n", "a\ny\nc\n",
	  "a\n<<<<<<< we\nx\n=======\ny\n>>>>>>> they\nc\n", 1 },
	{ "lines that touch", "a\nb\nc\nd\n", "a\nx\nc\nd\n", "a\nb\ny\nd\n",
	  "a\n<<<<<<< we\nx\nc\n=======\nb\ny\n>>>>>>> they\nd\n", 1 },
	{ "both put something in one place", "a\nb\n", "a\nx\nb\n", "a\ny\nb\n",
	  "a\n<<<<<<< we\nx\n=======\ny\n>>>>>>> they\nb\n", 1 },
	{ "what both begin and end with is said once", "a\nb\n", "a\n1\nx\n2\nb\n",
	  "a\n1\ny\n2\nb\n", "a\n1\n<<<<<<< we\nx\n=======\ny\n>>>>>>> they\n2\nb\n",
	  1 },
	{ "one removes what the other changes", "a\nb\nc\n", "a\nc\n", "a\ny\nc\n",
	  "a\n<<<<<<< we\n=======\ny\n>>>>>>> they\nc\n", 1 },
	{ "all gone, and changed", "a\n", "", "b\n",
	  "<<<<<<< we\n=======\nb\n>>>>>>> they\n", 1 },
	{ "no newline at the end of a conflict", "a", "b", "c",
	  "<<<<<<< we\nb\n=======\nc\n>>>>>>> they\n", 1 },
	{ "a newline at the end comes and goes", "1\n2\n3\na", "1\n2\n3\na\n",
	  "0\n2\n3\na", "0\n2\n3\na\n", 0 },
	{ "one change over two of the other", "a\nb\nc\nd\ne\n", "x\n",
	  "a\nB\nc\nD\ne\n", "<<<<<<< we\nx\n=======\na\nB\nc\nD\ne\n>>>>>>> they\n",
	  1 },
	{ "two conflicts", "a\nb\nc\nd\ne\n", "1\nb\nc\nd\n2\n", "3\nb\nc\nd\n4\n",
	  "<<<<<<< we\n1\n=======\n3\n>>>>>>> they\nb\nc\nd\n"
	  "<<<<<<< we\n2\n=======\n4\n>>>>>>> they\n",
	  2 },
};

static void merge(const struct buf *base, const struct buf *ours,
		  const struct buf *theirs, size_t *conflicts, struct buf *out)
{
	const struct merge3 m = { base, ours, theirs, "we", "they" };

	assert_int_equal(merge3(&m, conflicts, out), 0);
}

static void test_row(const void *p)
{
	const struct row *row = p;
	_cleanup_buf_ struct buf base = BUF_INIT(TEXT), ours = BUF_INIT(TEXT),
				 theirs = BUF_INIT(TEXT), out = BUF_INIT(TEXT);
	size_t n;

	buf_adds(&base, row->base);
	buf_adds(&ours, row->ours);
	buf_adds(&theirs, row->theirs);
	merge(&base, &ours, &theirs, &n, &out);
	assert_string_equal(buf_cstr(&out), row->want);
	assert_int_equal(n, row->conflicts);
}

static void too_large(void)
{
	_cleanup_buf_ struct buf base = BUF_INIT(TEXT), ours = BUF_INIT(TEXT),
				 out = BUF_INIT(10);
	const struct merge3 m = { &base, &ours, &base, "we", "they" };
	size_t n;

	buf_adds(&ours, "more than ten bytes\n");
	assert_int_equal(merge3(&m, &n, &out), -EMSGSIZE);
}

/* ---- beside git ---------------------------------------------------------------------------- */

static uint32_t number(uint32_t *seed, uint32_t most)
{
	*seed = *seed * 1664525 + 1013904223;
	return (*seed >> 8) % most;
}

/* Some lines of it go, change or get others before them; none is twice in a text, so that
 * there is one shortest way to compare two. */
static void edit(uint32_t *seed, unsigned rare, const struct buf *from, struct buf *to)
{
	static unsigned fresh;

	for (const char *p = buf_cstr(from), *end = p + from->len; p < end;) {
		size_t n = strcspn(p, "\n") + 1;
		uint32_t what = number(seed, rare);

		if (what == 0 || what == 1)
			buf_addf(to, "new %u\n", fresh++);
		if (what != 1 && what != 2)
			buf_add(to, p, n);
		p += n;
	}
}

static void put(const char *name, int i, const struct buf *text)
{
	char path[4096];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%d.%s", unit_tmpdir(), i, name);
	f = fopen(path, "we");
	assert_non_null(f);
	assert_int_equal(fwrite(buf_cstr(text), 1, text->len, f), text->len);
	fclose(f);
}

static void get(const char *name, int i, struct buf *ret)
{
	char path[4096], c;
	FILE *f;

	snprintf(path, sizeof(path), "%s/%d.%s", unit_tmpdir(), i, name);
	f = fopen(path, "re");
	assert_non_null(f);
	while (fread(&c, 1, 1, f) == 1)
		buf_addc(ret, c);
	fclose(f);
}

/* Both sides in a place are the same, so nobody takes what git shows for one of them. */
static void as_git_merges(void)
{
	static const char script[] =
		"cd '%s' && for i in $(seq 0 %d); do git merge-file -q -p -L we -L base -L "
		"they $i.we $i.base $i.they >$i.git; echo $? >$i.status; done";
	char command[8192];
	uint32_t seed = 14;
	int clean = 0;

	if (system("git --version >/dev/null 2>&1") !=
	    0) /* NOLINT: nothing of it is ours */
		unit_skip("git is not installed");
	for (int i = 0; i < CASES; i++) {
		_cleanup_buf_ struct buf base = BUF_INIT(TEXT), ours = BUF_INIT(TEXT),
					 theirs = BUF_INIT(TEXT),
					 out = BUF_INIT(4 * TEXT);
		unsigned lines = number(&seed, 40);
		size_t n;

		for (unsigned k = 0; k < lines; k++)
			buf_addf(&base, "line %u\n", k);
		edit(&seed, 4 + (unsigned)i % 40, &base, &ours);
		edit(&seed, 4 + (unsigned)i % 40, &base, &theirs);
		merge(&base, &ours, &theirs, &n, &out);
		put("base", i, &base);
		put("we", i, &ours);
		put("they", i, &theirs);
		put(n ? "conflict" : "clean", i, &out);
	}
	snprintf(command, sizeof(command), script, unit_tmpdir(), CASES - 1);
	assert_int_equal(system(command), 0); /* NOLINT: the same */
	for (int i = 0; i < CASES; i++) {
		_cleanup_buf_ struct buf ours = BUF_INIT(4 * TEXT),
					 git = BUF_INIT(4 * TEXT),
					 status = BUF_INIT(16);
		char path[4096];
		struct stat st;
		bool is_clean;

		snprintf(path, sizeof(path), "%s/%d.clean", unit_tmpdir(), i);
		is_clean = stat(path, &st) == 0;
		get("status", i, &status);
		assert_int_equal(is_clean, strcmp(buf_cstr(&status), "0\n") == 0);
		if (!is_clean)
			continue;
		clean++;
		get("clean", i, &ours);
		get("git", i, &git);
		assert_string_equal(buf_cstr(&ours), buf_cstr(&git));
	}
	assert_in_range(clean, CASES / 4,
			CASES - CASES / 4); /* both kinds were there */
}

/* ---- whatever the texts are ---------------------------------------------------------------- */

static bool same(const struct buf *a, const struct buf *b)
{
	return a->len == b->len && memcmp(buf_cstr(a), buf_cstr(b), a->len) == 0;
}

/* Of few different lines, in which there are many ways to compare. */
static void few_lines(uint32_t *seed, struct buf *ret)
{
	for (uint32_t n = number(seed, 12); n > 0; n--)
		buf_addf(ret, "%u\n", number(seed, 3));
}

static void one_side_and_both(void)
{
	uint32_t seed = 3;

	for (int i = 0; i < 3000; i++) {
		_cleanup_buf_ struct buf base = BUF_INIT(TEXT), x = BUF_INIT(TEXT),
					 y = BUF_INIT(TEXT), one = BUF_INIT(TEXT),
					 other = BUF_INIT(TEXT), both = BUF_INIT(TEXT),
					 there = BUF_INIT(TEXT), back = BUF_INIT(TEXT);
		size_t n, m;

		few_lines(&seed, &base);
		few_lines(&seed, &x);
		few_lines(&seed, &y);
		merge(&base, &x, &base, &n, &one);
		assert_true(n == 0 && same(&one, &x));
		merge(&base, &base, &x, &n, &other);
		assert_true(n == 0 && same(&other, &x));
		merge(&base, &x, &x, &n, &both);
		assert_true(n == 0 && same(&both, &x));
		merge(&base, &x, &y, &n, &there);
		merge(&base, &y, &x, &m, &back);
		assert_int_equal(n, m);
		assert_true(n || same(&there, &back));
	}
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "too large", too_large },
		{ "as git merges", as_git_merges },
		{ "one side alone, the same by both, and who is who",
		  one_side_and_both },
	};

	return unit_rows("merge3", rows, test_row) + unit_cases("merge3", cases);
}
