#include "agent/server/files/pathname.h"

#include "tests/unit/unit.h"

static const struct row {
	const char *name, *base, *path, *want;
} rows[] = {
	{ "absolute", "/a", "/b/c", "/b/c" },
	{ "relative", "/a/b", "c", "/a/b/c" },
	{ "dots", "/a/b", "./../c/.", "/a/c" },
	{ "above the root", "/a", "../../../etc", "/etc" },
	{ "the root", "/a", "/", "/" },
	{ "up to the root", "/a", "..", "/" },
	{ "empty parts", "/a", "//b///c/", "/b/c" },
	{ "three dots are a name", "/a", ".../x", "/a/.../x" },
	{ "a base with dots", "/a/../b", "c", "/b/c" },
	{ "no tilde", "/a", "~/x", "/a/~/x" },
};

static void test_resolve(const void *p)
{
	const struct row *row = p;
	char got[PATH_MAX];
	struct err e = ERR_NONE;

	assert_int_equal(pathname_resolve(row->base, row->path, got, &e), 0);
	assert_string_equal(got, row->want);
}

static void refused(void)
{
	char path[2 * PATH_MAX], got[PATH_MAX];
	struct err e = ERR_NONE;

	assert_int_equal(pathname_resolve("/", "", got, &e), -EINVAL);
	memset(path, 'a', sizeof(path) - 1);
	path[sizeof(path) - 1] = '\0';
	assert_int_equal(pathname_resolve("/", path, got, &e), -ENAMETOOLONG);
}

static void names(void)
{
	assert_string_equal(pathname_base("a/b.txt"), "b.txt");
	assert_string_equal(pathname_base("C:\\x\\b.txt"), "b.txt");
	assert_string_equal(pathname_base("a/.."), "");
	assert_string_equal(pathname_base("a/"), "");
	assert_string_equal(pathname_type("/x/a.PNG"), "image/png");
	assert_string_equal(pathname_type("/x.png/a"), "application/octet-stream");
}

static const struct unit_case cases[] = { { "refused", refused }, { "names", names } };

int main(void)
{
	return unit_rows("pathname_resolve", rows, test_resolve) +
	       unit_cases("pathname", cases);
}
