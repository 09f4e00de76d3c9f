#include "rootfs/git/text.h"

#include "tests/unit/unit.h"

static const struct row {
	const char *name, *text;
	int (*parse)(const char *text, size_t len, char *ret);
	int want;
	const char *is;
} rows[] = {
	{ "link", "gitdir: ../x\n", git_text_link, 0, "../x" },
	{ "link without a path", "gitdir: \n", git_text_link, -EBADMSG, NULL },
	{ "link of another kind", "path: x\n", git_text_link, -EBADMSG, NULL },
	{ "link with two lines", "gitdir: a\nb\n", git_text_link, -EBADMSG, NULL },
	{ "path", "../..\n", git_text_path, 0, "../.." },
	{ "empty path", "", git_text_path, -EBADMSG, NULL },
	{ "branch", "ref: refs/heads/main\n", git_text_value, 0,
	  "ref: refs/heads/main" },
	{ "sum", "0123456789012345678901234567890123456789\n", git_text_value, 0,
	  "0123456789012345678901234567890123456789" },
	{ "short sum", "0123\n", git_text_value, -EBADMSG, NULL },
	{ "upward", "ref: refs/../config\n", git_text_value, -EBADMSG, NULL },
	{ "outside refs", "ref: config\n", git_text_value, -EBADMSG, NULL },
};

static void test_row(const void *p)
{
	const struct row *row = p;
	char ret[PATH_MAX] = "unset";

	assert_int_equal(row->parse(row->text, strlen(row->text), ret), row->want);
	if (row->is)
		assert_string_equal(ret, row->is);
}

static const struct name {
	const char *name;
	bool want;
} names[] = {
	{ "refs/heads/a", true },
	{ "refs/heads/a/b-c.d", true },
	{ "refs/heads/ä", true },
	{ "refs/", false },
	{ "heads/a", false },
	{ "refs//a", false },
	{ "refs/heads/", false },
	{ "refs/heads/.a", false },
	{ "refs/heads/a.", false },
	{ "refs/heads/a.lock", false },
	{ "refs/heads/a..b", false },
	{ "refs/heads/a b", false },
	{ "refs/heads/a~1", false },
	{ "refs/heads/a@{1}", false },
	{ "refs/heads/-a", false },
	{ "refs/heads/a\x01", false },
	{ "refs/a/../../config", false },
	{ "refs/heads/a\\b", false },
};

static void test_name(const void *p)
{
	const struct name *row = p;

	assert_int_equal(git_text_is_ref(row->name, strlen(row->name)), row->want);
}

static const struct quoted {
	const char *name;
	bool want;
} quoted[] = {
	{ "", true },
	{ "git bisect start 'HEAD' '-x' 'a;b $(c) `d`\n'\n", true },
	{ " 'it'\\''s' 'not'\\!''\n# bad: [0] `four` * '\ngood\n", true },
	{ "# no more", true },
	{ "a # `b`", false },
	{ "'a", false },
	{ "'a\n# ' `b`\n", false },
	{ "'*'", false },
	{ "'a?'", false },
	{ "'[a]'", false },
	{ "a;b", false },
	{ "$a", false },
	{ "\"a\"", false },
	{ "a\\", false },
	{ "\\a", false },
	{ "a\\\nb", false },
	{ "~", false },
};

static void test_quoted(const void *p)
{
	const struct quoted *row = p;

	const size_t len = strlen(row->name);

	assert_int_equal(git_text_is_quoted(row->name, len, true), row->want);
	assert_int_equal(git_text_is_quoted(row->name, len, false),
			 row->want && !strchr(row->name, '#'));
}

static int count(void *ctx, const char *name, const char *sum)
{
	assert_string_equal(name, "refs/tags/v1");
	assert_int_equal(strlen(sum), 40);
	++*(int *)ctx;
	return 0;
}

static void packed(void)
{
	static const char text[] =
		"# pack-refs with: peeled\n"
		"0123456789012345678901234567890123456789 refs/tags/v1\n"
		"^0123456789012345678901234567890123456780\n";
	static const char bad[] = "0123456789012345678901234567890123456789 config\n";
	int n = 0;

	assert_int_equal(git_text_packed(text, sizeof(text) - 1, count, &n), 0);
	assert_int_equal(n, 1);
	assert_int_equal(git_text_packed(bad, sizeof(bad) - 1, count, &n), -EBADMSG);
}

static const struct unit_case cases[] = { { "packed refs", packed } };

int main(void)
{
	int r = unit_rows("git_text", rows, test_row);

	r += unit_rows("git_text_is_ref", names, test_name);
	r += unit_rows("git_text_is_quoted", quoted, test_quoted);
	return r + unit_cases("git_text_packed", cases);
}
