#include "tests/unit/unit.h"

#include <stdio.h>

#include "base/file.h"
#include "base/scope.h"
#include "base/sys/sys.h"

static int replace(void *ctx, struct err *e)
{
	const struct file_data d = { "new", 3, 0600 };
	char text[8] = "", path[128];
	FILE *f;
	int r;

	r = file_replace(*(int *)ctx, "f", &d, e);
	snprintf(path, sizeof(path), "%s/f", unit_tmpdir());
	f = fopen(path, "r");
	assert_non_null(f);
	assert_int_equal(fread(text, 1, sizeof(text) - 1, f), 3);
	fclose(f);
	assert_true(strcmp(text, "new") == 0 || (r < 0 && strcmp(text, "old") == 0));
	return r;
}

static void the_file_is_old_or_new(void)
{
	_cleanup_close_ int dir = unit_top();
	struct err e = ERR_NONE;

	unit_ok(file_replace(dir, "f", &(struct file_data){ "old", 3, 0600 }, &e), &e);
	unit_faults(replace, &dir);
}

static int replace_and_read(void *ctx, struct err *e)
{
	_cleanup_buf_ struct buf b = BUF_INIT(16);
	int dir = *(int *)ctx;
	int r = file_replace(dir, "f", &(struct file_data){ "new", 3, 0600 }, e);

	return r < 0 ? r : file_read(dir, "f", &b, e);
}

static void reading_leaks_nothing(void)
{
	_cleanup_close_ int dir = unit_top();

	unit_faults(replace_and_read, &dir);
}

static int make_dirs(void *ctx, struct err *e)
{
	(void)sys_unlinkat(*(int *)ctx, "a/b", AT_REMOVEDIR);
	(void)sys_unlinkat(*(int *)ctx, "a", AT_REMOVEDIR);
	return file_mkdirs(*(int *)ctx, "a/b", 0700, e);
}

static void mkdirs(void)
{
	_cleanup_close_ int dir = unit_top();

	unit_faults(make_dirs, &dir);
}

static int lock(void *ctx, struct err *e)
{
	_cleanup_close_ int fd = file_lock(*(int *)ctx, "lock", false, e);

	return fd < 0 ? fd : 0;
}

static void locks(void)
{
	_cleanup_close_ int dir = unit_top();

	unit_faults(lock, &dir);
}

/* While it is held, so that the wait is reached: its end is a failure as well. */
static int wait_lock(void *ctx, struct err *e)
{
	_cleanup_close_ int fd = file_lock_within(*(int *)ctx, "lock", 1, e);

	return fd < 0 && fd != -EWOULDBLOCK ? fd : 0;
}

static void waits_for_a_lock(void)
{
	_cleanup_close_ int dir = unit_top();
	struct err e = ERR_NONE;
	_cleanup_close_ int held = file_lock(dir, "lock", false, &e);

	unit_ok(held, &e);
	unit_faults(wait_lock, &dir);
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "file_replace", the_file_is_old_or_new },
		{ "file_replace, file_read", reading_leaks_nothing },
		{ "file_mkdirs", mkdirs },
		{ "file_lock", locks },
		{ "file_lock_within", waits_for_a_lock },
	};

	return unit_cases("faults of file", cases);
}
