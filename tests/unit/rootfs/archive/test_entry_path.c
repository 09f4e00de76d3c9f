#include "rootfs/archive/entry_path.h"

#include "tests/unit/unit.h"

static const struct untar_limits small = { .path = 20, .component = 6, .depth = 4 };

static const struct row {
	const char *name, *raw, *clean;
	int code;
	const char *msg;
} rows[] = {
	{ "plain", "a/b", "a/b", 0, NULL },
	{ "slashes and dots", "//./a///./b/.//", "a/b", 0, NULL },
	{ "root", "/", "", 0, NULL },
	{ "root as dots", "./.", "", 0, NULL },
	{ "three dots are a name", ".../a", ".../a", 0, NULL },
	{ "dot-dot prefix is a name", "..a/a..", "..a/a..", 0, NULL },
	{ "empty", "", NULL, -EINVAL, "archive has an entry with an empty name" },
	{ "up", "..", NULL, -EINVAL, "entry '..': has a '..' component" },
	{ "up inside", "a/../b", NULL, -EINVAL,
	  "entry 'a/../b': has a '..' component" },
	{ "up at the end", "a/..", NULL, -EINVAL,
	  "entry 'a/..': has a '..' component" },
	{ "component at the limit", "123456", "123456", 0, NULL },
	{ "component above", "1234567", NULL, -E2BIG,
	  "entry '1234567': more than 6 bytes in a component" },
	{ "depth at the limit", "a/b/c/d", "a/b/c/d", 0, NULL },
	{ "depth above", "a/b/c/d/e", NULL, -E2BIG,
	  "entry 'a/b/c/d/e': more than 4 components" },
	{ "path at the limit", "12345/12345/12345/12", "12345/12345/12345/12", 0,
	  NULL },
	{ "path above", "12345/12345/12345/123", NULL, -E2BIG,
	  "entry '12345/12345/12345/123': more than 20 bytes" },
	{ "escaped in messages", "\x1b/..", NULL, -EINVAL,
	  "entry '\\x1b/..': has a '..' component" },
};

static void clean(const void *p)
{
	const struct row *row = p;
	char got[ENTRY_PATH] = "untouched";
	struct err e = ERR_NONE;

	assert_int_equal(entry_path_clean(row->raw, &small, got, &e), row->code);
	if (row->code)
		unit_err(&e, row->code, row->msg);
	assert_string_equal(got, row->code ? "untouched" : row->clean);
}

static const struct white {
	const char *name, *last;
	enum entry_whiteout want;
	const char *removed;
} whites[] = {
	{ "plain name", "wh.x", ENTRY_PLAIN, NULL },
	{ "removal", ".wh.x", ENTRY_REMOVE, "x" },
	{ "removal of a dotted name", ".wh..x", ENTRY_REMOVE, ".x" },
	{ "opaque", ".wh..wh..opq", ENTRY_OPAQUE, NULL },
	{ "metadata", ".wh..wh.aufs", ENTRY_METADATA, NULL },
	{ "no name", ".wh.", ENTRY_MALFORMED, NULL },
	{ "of .", ".wh..", ENTRY_MALFORMED, NULL },
	{ "of ..", ".wh...", ENTRY_MALFORMED, NULL },
};

static void whiteout(const void *p)
{
	const struct white *row = p;
	const char *removed = NULL;

	assert_int_equal(entry_path_whiteout(row->last, &removed), row->want);
	if (row->removed)
		assert_string_equal(removed, row->removed);
	else
		assert_null(removed);
}

int main(void)
{
	return unit_rows("entry_path_clean", rows, clean) +
	       unit_rows("entry_path_whiteout", whites, whiteout);
}
