#include "runtime/init/ignore.h"

#include <string.h>

#include "tests/unit/unit.h"

static const struct row {
	const char *name, *rules, *path;
	bool want; /* as git check-ignore says */
} rows[] = {
	{ "a name", "a.o\n", "x/a.o", true },
	{ "another name", "a.o\n", "x/a.oo", false },
	{ "no end of line", "a.o", "a.o", true },
	{ "a carriage return", "a.o\r\n", "a.o", true },
	{ "a mark in front",
	  "\xef\xbb\xbf"
	  "a.o\n",
	  "a.o", true },
	{ "a comment", "#a\n", "#a", false },
	{ "a name like a comment", "\\#a\n", "#a", true },
	{ "blanks at the end", "a  \n", "a", true },
	{ "a blank that counts", "a\\ \n", "a ", true },
	{ "an empty line", "\n\n", "a", false },
	{ "kept after all", "*.o\n!b.o\n", "b.o", false },
	{ "the last one counts", "!b.o\n*.o\n", "b.o", true },
	{ "a name that begins with it", "\\!a\n", "!a", true },
	{ "a star", "*.o\n", "x/y.o", true },
	{ "a star in the middle", "a*b*c\n", "aXbXbc", true },
	{ "not over a slash", "x/*.o\n", "x/y/z.o", false },
	{ "a question mark", "a?c\n", "abc", true },
	{ "one byte, not none", "a?c\n", "ac", false },
	{ "a set", "[a-c]x\n", "bx", true },
	{ "not of a set", "[!a-c]x\n", "bx", false },
	{ "not, by another mark", "[^a-c]x\n", "dx", true },
	{ "a bracket in a set", "[]]\n", "]", true },
	{ "a class", "[[:digit:]a]\n", "7", true },
	{ "a set without an end", "[ab\n", "a", false },
	{ "a backslash", "\\*\n", "*", true },
	{ "and not another", "\\*\n", "a", false },
	{ "a backslash at the end", "a\\\n", "a\\", false },
	{ "rooted", "/a\n", "x/a", false },
	{ "rooted, at the top", "/a\n", "a", true },
	{ "a slash in the middle", "x/a\n", "y/x/a", false },
	{ "directories alone", "a/\n", "a", false },
	{ "stars in front", "**/a\n", "x/y/a", true },
	{ "stars in front, at the top", "**/a\n", "a", true },
	{ "stars behind", "x/**\n", "x/y/z", true },
	{ "stars behind, not it itself", "x/**\n", "x", false },
	{ "stars between", "x/**/a\n", "x/1/2/a", true },
	{ "stars between, of nothing", "x/**/a\n", "x/a", true },
	{ "stars that are tried again", "**/b/c\n", "b/b/c", true },
	{ "stars in a name", "x**y\n", "xzy", true },
	{ "two slashes", "a//\n", "a", false },
};

static void test_says(const void *data)
{
	const struct row *row = data;
	struct ignore g = IGNORE_NONE;

	assert_int_equal(ignore_add(&g, row->rules, strlen(row->rules), 0), 0);
	assert_int_equal(ignore_says(&g, row->path, false), row->want);
	ignore_done(&g);
}

/* Of a directory below: its rules are of what is in it, count more, and go with it. */
static void below(void)
{
	struct ignore g = IGNORE_NONE;

	assert_int_equal(ignore_add(&g, "*.o\nkeep/\n", 10, 0), 0);
	assert_int_equal(ignore_add(&g, "!x.o\n/y\n", 8, strlen("sub/")), 0);
	assert_true(ignore_says(&g, "sub/a.o", false));
	assert_false(ignore_says(&g, "sub/x.o", false));
	assert_true(ignore_says(&g, "sub/y", false));
	assert_false(ignore_says(&g, "sub/z/y", false));
	assert_true(ignore_says(&g, "sub/keep", true));
	ignore_cut(&g, 2);
	assert_true(ignore_says(&g, "sub/x.o", false));
	assert_false(ignore_says(&g, "sub/y", false));
	ignore_done(&g);
}

/* What others' expressions take for ever for: a star is tried again once for each byte. */
static void many_stars(void)
{
	char rule[4001], path[4001];
	struct ignore g = IGNORE_NONE;

	for (size_t i = 0; i < 4000; i++) {
		rule[i] = "a*"[i % 2];
		path[i] = 'a';
	}
	rule[3999] = 'b';
	rule[4000] = path[4000] = '\0';
	assert_int_equal(ignore_add(&g, rule, 4000, 0), 0);
	for (int i = 0; i < 50; i++)
		assert_false(ignore_says(&g, path, false));
	ignore_done(&g);
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "below", below },
		{ "many stars", many_stars },
	};

	return unit_rows("ignore_says", rows, test_says) + unit_cases("ignore", cases);
}
