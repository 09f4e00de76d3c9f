#include "rootfs/git/takeover.h"

#include "base/scope.h"
#include "base/sys/sys.h"
#include "tests/unit/unit.h"

static int put(int dir, const char *path, const char *text, struct err *e)
{
	struct takeover_file f = {
		.path = path, .data = text, .len = strlen(text), .mode = 06755
	};

	return takeover_put(dir, &f, e);
}

static void is(int dir, const char *path, const char *text)
{
	_cleanup_buf_ struct buf b = BUF_INIT(100);

	assert_int_equal(takeover_read(dir, path, &b), 0);
	assert_string_equal(buf_cstr(&b), text);
}

static void replaces(void)
{
	_cleanup_close_ int dir = unit_top();
	struct err e = ERR_NONE;
	struct stat st;

	assert_int_equal(put(dir, "a/b/c", "one", &e), 0);
	assert_int_equal(put(dir, "a/b/c", "two", &e), 0);
	is(dir, "a/b/c", "two");
	assert_int_equal(sys_fstatat(dir, "a/b/c", &st, 0), 0);
	assert_int_equal(st.st_mode & 07000, 0);
	assert_int_equal(sys_fstatat(dir, "a/b/c.lock", &st, 0), -ENOENT);
	assert_int_equal(sys_fstatat(dir, "a/b/c.cubby", &st, 0), -ENOENT);
	assert_int_equal(takeover_remove(dir, "a/b/c", &e), 0);
	assert_int_equal(takeover_remove(dir, "a/b/c", &e), 0);
}

static void links(void)
{
	_cleanup_close_ int dir = unit_top();
	_cleanup_buf_ struct buf b = BUF_INIT(100);
	struct err e = ERR_NONE;

	assert_int_equal(sys_mkdirat(dir, "real", 0700), 0);
	assert_int_equal(sys_symlinkat("real", dir, "link"), 0);
	assert_int_equal(put(dir, "link/x", "x", &e), -ENOTDIR);
	unit_err(&e, -ENOTDIR, "cannot take over 'link/x': Not a directory");
	assert_int_equal(put(dir, "../x", "x", &e), -EXDEV);
	assert_int_equal(takeover_read(dir, "link", &b), -ELOOP);
	assert_int_equal(takeover_read(dir, "real", &b), -EINVAL);
	assert_int_equal(sys_symlinkat("elsewhere", dir, "real/y"), 0);
	assert_int_equal(put(dir, "real/y", "x", &e), -EISDIR);
}

/* A kill between the link and the rename. */
static void left_lock(void)
{
	_cleanup_close_ int dir = unit_top();
	_cleanup_close_ int fd = sys_openat(dir, "f.cubby", O_CREAT | O_WRONLY, 0600);
	struct err e = ERR_NONE;

	assert_int_equal(sys_linkat(dir, "f.cubby", dir, "f.lock", 0), 0);
	assert_int_equal(put(dir, "f", "new", &e), 0);
	is(dir, "f", "new");
	assert_int_equal(sys_faccessat(dir, "f.lock", F_OK, 0), -ENOENT);
}

static void others_lock(void)
{
	_cleanup_close_ int dir = unit_top();
	_cleanup_close_ int fd = sys_openat(dir, "f.lock", O_CREAT | O_WRONLY, 0600);
	struct err e = ERR_NONE;

	assert_int_equal(put(dir, "f", "new", &e), -EEXIST);
	assert_int_equal(sys_faccessat(dir, "f", F_OK, 0), -ENOENT);
	assert_int_equal(sys_faccessat(dir, "f.lock", F_OK, 0), 0);
}

/* Of a record that is damaged: no filesystem has such. */
static void long_part(void)
{
	_cleanup_close_ int dir = unit_top();
	char path[3 * PATH_MAX] = "";
	const char *name = NULL;

	memset(path, 'a', 2 * PATH_MAX);
	memcpy(path + 2 * PATH_MAX, "/x", sizeof("/x"));
	assert_int_equal(takeover_parent(dir, path, false, &name), -ENAMETOOLONG);
}

static const struct unit_case cases[] = {
	{ "replaces and makes directories", replaces },
	{ "follows no link", links },
	{ "a part of a path that is longer than any", long_part },
	{ "a lock that a kill left", left_lock },
	{ "somebody else's lock", others_lock },
};

int main(void)
{
	return unit_cases("takeover", cases);
}
