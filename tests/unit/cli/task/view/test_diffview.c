#include "tests/unit/unit.h"

#include "cli/task/view/diffview.h"

static const struct row {
	const char *name, *in;
	size_t most;
	const char *want;
	size_t added, removed;
} rows[] = {
	{ "a hunk, and words behind it",
	  "changed a.c\n@@ -1,3 +1,3 @@\n a\n-b\n+c\n d\n[2 lines]\n", 40,
	  "  @@ -1,3 +1,3 @@\n   a\n  -b\n  +c\n   d\n", 1, 1 },
	{ "two hunks", "@@ -1 +1,2 @@\n-a\n+b\n+c\n@@ -9 +10,0 @@\n-x\n", 40,
	  "  @@ -1 +1,2 @@\n  -a\n  +b\n  +c\n  @@ -9 +10,0 @@\n  -x\n", 2, 2 },
	{ "no newline at the end",
	  "@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+b\n", 40,
	  "  @@ -1 +1 @@\n  -a\n  \\ No newline at end of file\n  +b\n", 1, 1 },
	{ "the rest is counted", "@@ -0,0 +1,3 @@\n+a\n+b\n+c\n", 2,
	  "  @@ -0,0 +1,3 @@\n  +a\n", 3, 0 },
	{ "what is hidden", "@@ -1,0 +1 @@\n+\033[2J\xe2\x80\xae\n", 40,
	  "  @@ -1,0 +1 @@\n  +<U+001B>[2J<U+202E>\n", 1, 0 },
	{ "line ends that are all CR LF are told once",
	  "@@ -1,2 +1,2 @@\n a\r\n-b\r\n+c\r\n[1 line]\n", 40,
	  "   (each line ends in CR LF)\n  @@ -1,2 +1,2 @@\n   a\n  -b\n  +c\n", 1, 1 },
	{ "one that some lines have is shown there", "@@ -1,2 +1,2 @@\n a\n-b\n+b\r\n",
	  40, "  @@ -1,2 +1,2 @@\n   a\n  -b\n  +b^M\n", 1, 1 },
	{ "within a line it is what it is", "@@ -1,0 +1 @@\n+a\rb\n", 40,
	  "  @@ -1,0 +1 @@\n  +a<U+000D>b\n", 1, 0 },
	{ "a hunk that lies about its length", "@@ -1,4000000000 +1 @@\n-a\n", 40,
	  "  @@ -1,4000000000 +1 @@\n  -a\n", 0, 1 },
};

static void test(const void *p)
{
	const struct row *r = p;
	const struct wrap w = { .cols = 0 };
	const char *diff = diffview_find(r->in);
	_cleanup_buf_ struct buf out = BUF_INIT(4096);
	struct diffview d;

	assert_non_null(diff);
	d = diffview_text(diff, &w, r->most, &out);
	assert_string_equal(buf_cstr(&out), r->want);
	assert_int_equal(d.added, r->added);
	assert_int_equal(d.removed, r->removed);
}

static const struct arg {
	const char *name, *json, *want;
} args[] = {
	{ "an edit", "{\"old\":\"a\\nb\",\"new\":\"c\\n\"}",
	  "@@ -0,2 +0,1 @@\n-a\n-b\n+c\n" },
	{ "a file", "{\"path\":\"x\",\"content\":\"1\\n\\n2\"}",
	  "@@ -0,0 +0,3 @@\n+1\n+\n+2\n" },
	{ "several",
	  "{\"edits\":[{\"old_string\":\"a\",\"new_string\":\"b\"},"
	  "{\"old_string\":\"c\",\"new_string\":\"\"}]}",
	  "@@ -0,1 +0,1 @@\n-a\n+b\n@@ -0,1 +0,0 @@\n-c\n" },
	{ "none", "{\"command\":\"ls\"}", "" },
};

static void test_args(const void *p)
{
	const struct arg *r = p;
	_cleanup_json_ struct json *j = unit_json(r->json);
	_cleanup_buf_ struct buf out = BUF_INIT(4096);

	diffview_args(j, &out);
	assert_string_equal(buf_cstr(&out), r->want);
}

static void colours_and_none_in_a_text_without(void)
{
	const struct wrap w = { .cols = 20, .color = true };
	_cleanup_buf_ struct buf out = BUF_INIT(4096);

	assert_null(diffview_find("no @@ -1 here"));
	diffview_text("@@ -0,1 +0,1 @@\n-a\n+b\n", &w, 9, &out);
	assert_string_equal(buf_cstr(&out),
			    "  \033[0;31m-a\033[0m\n  \033[0;32m+b\033[0m\n");
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "colours, and none in a text without",
		  colours_and_none_in_a_text_without },
	};

	return unit_rows("diffview_text", rows, test) +
	       unit_rows("diffview_args", args, test_args) +
	       unit_cases("diffview", cases);
}
