#include "rootfs/store/boxmark.h"

#include <stdio.h>

#include "base/sys/sys.h"
#include "tests/unit/unit.h"

#define KEY "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define OTHER "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"

static void open_store(struct store *s)
{
	struct err e = ERR_NONE;

	setenv("XDG_DATA_HOME", unit_tmpdir(), 1);
	unit_ok(store_open(s, &e), &e);
}

static void name_of(const char *path, const char *name, char id[BOXMARK_ID])
{
	int r = boxmark_id(path, name, id);

	if (r == -ENODATA)
		unit_skip("this filesystem tells no birth of a file");
	assert_int_equal(r, 0);
}

static void a_renamed_directory_is_the_same(void)
{
	char a[256], b[256], before[BOXMARK_ID], after[BOXMARK_ID], other[BOXMARK_ID];

	snprintf(a, sizeof(a), "%s/a", unit_tmpdir());
	snprintf(b, sizeof(b), "%s/b", unit_tmpdir());
	assert_int_equal(sys_mkdirat(AT_FDCWD, a, 0700), 0);
	name_of(a, "", before);
	assert_int_equal(sys_renameat(AT_FDCWD, a, AT_FDCWD, b), 0);
	assert_int_equal(sys_mkdirat(AT_FDCWD, a, 0700), 0);
	name_of(b, "", after);
	name_of(a, "", other);
	assert_string_equal(before, after);
	assert_string_not_equal(before, other);
	name_of(b, "two", other);
	assert_string_not_equal(before, other);
	assert_int_equal(boxmark_id("/nonexistent", "", other), -ENOENT);
	assert_int_equal(boxmark_id("/etc/passwd", "", other), -ENOTDIR);
}

static void what_is_set_is_found(void)
{
	_cleanup_store_ struct store s = STORE_NONE;
	struct err e = ERR_NONE;
	char key[HASH_HEX];

	open_store(&s);
	assert_int_equal(boxmark_get(&s, "1-2-3", key), -ENOENT);
	unit_ok(boxmark_set(&s, "1-2-3", KEY, &e), &e);
	assert_int_equal(boxmark_get(&s, "1-2-3", key), 0);
	assert_string_equal(key, KEY);
	unit_ok(boxmark_set(&s, "1-2-3", OTHER, &e), &e);
	boxmark_drop(&s, "1-2-3", KEY);
	assert_int_equal(boxmark_get(&s, "1-2-3", key), 0);
	assert_string_equal(key, OTHER);
	boxmark_drop(&s, "1-2-3", OTHER);
	assert_int_equal(boxmark_get(&s, "1-2-3", key), -ENOENT);
}

static void what_is_no_mark_is_refused(void)
{
	_cleanup_store_ struct store s = STORE_NONE;
	struct err e = ERR_NONE;
	char key[HASH_HEX];

	open_store(&s);
	assert_int_equal(boxmark_set(&s, "../boxes", KEY, &e), -EINVAL);
	unit_err(&e, -EINVAL, "bad mark of a directory");
	assert_int_equal(boxmark_get(&s, "../boxes", key), -ENOENT);
	unit_ok(boxmark_set(&s, "1-2-3", KEY, &e), &e);
	assert_int_equal(sys_unlinkat(s.dirfd, "marks/1-2-3", 0), 0);
	assert_int_equal(sys_symlinkat("../..", s.dirfd, "marks/1-2-3"), 0);
	assert_int_equal(boxmark_get(&s, "1-2-3", key), -ENOENT);
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "a renamed directory is the same", a_renamed_directory_is_the_same },
		{ "what is set is found", what_is_set_is_found },
		{ "what is no mark is refused", what_is_no_mark_is_refused },
	};

	return unit_cases("boxmark", cases);
}
