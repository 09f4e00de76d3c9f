#include "tests/unit/unit.h"

#include <fcntl.h>
#include <sys/stat.h>

#include "base/inroot.h"
#include "base/scope.h"
#include "base/sys/sys.h"

/* A tree with links that lead out of it, opened by rows of paths. */
static int make_tree(void)
{
	int root = unit_top();

	assert_true(root >= 0);
	assert_int_equal(mkdirat(root, "etc", 0755), 0);
	assert_int_equal(mkdirat(root, "usr", 0755), 0);
	assert_int_equal(mkdirat(root, "usr/lib", 0755), 0);
	assert_int_equal(symlinkat("/usr/lib", root, "lib"), 0);
	assert_int_equal(symlinkat("../../../../etc", root, "usr/up"), 0);
	assert_int_equal(symlinkat("loop2", root, "loop1"), 0);
	assert_int_equal(symlinkat("loop1", root, "loop2"), 0);
	assert_int_equal(symlinkat("/nowhere/else", root, "dangling"), 0);
	close(openat(root, "etc/inside", O_CREAT | O_WRONLY | O_CLOEXEC, 0644));
	return root;
}

static const struct row {
	const char *name, *path;
	int want;	     /* 0 or the errno */
	const char *same_as; /* what it must be */
} rows[] = {
	{ "plain", "etc/inside", 0, "etc/inside" },
	{ "absolute is the tree's root", "/etc/inside", 0, "etc/inside" },
	{ "absolute link", "lib", 0, "usr/lib" },
	{ "dots clamp at the root", "../../../etc/inside", 0, "etc/inside" },
	{ "a link with too many dots clamps", "usr/up/inside", 0, "etc/inside" },
	{ "loop", "loop1", -ELOOP, NULL },
	{ "dangling", "dangling", -ENOENT, NULL },
	{ "the host's files are not there", "etc/passwd", -ENOENT, NULL },
	{ "empty is the root", "", 0, "." },
};

static void test_open(const void *p)
{
	const struct row *row = p;
	_cleanup_close_ int root = make_tree();
	_cleanup_close_ int fd = inroot_open(root, row->path, O_PATH);
	struct stat a, b;

	if (row->want) {
		assert_int_equal(fd, row->want);
		return;
	}
	assert_true(fd >= 0);
	assert_int_equal(fstat(fd, &a), 0);
	assert_int_equal(fstatat(root, row->same_as, &b, 0), 0);
	assert_int_equal(a.st_ino, b.st_ino);
}

static const struct mkrow {
	const char *name, *path;
	int want;
	const char *made;
} mkrows[] = {
	{ "mkdirs: all missing", "a/b/c", 0, "a/b/c" },
	{ "mkdirs: through a link", "lib/x/y", 0, "usr/lib/x/y" },
	{ "mkdirs: exists", "usr/lib", 0, "usr/lib" },
	{ "mkdirs: a file in the way", "etc/inside/x", -ENOTDIR, NULL },
	{ "mkdirs: a dangling link in the way", "dangling/x", -ENOENT, NULL },
};

static void test_mkdirs(const void *p)
{
	const struct mkrow *row = p;
	_cleanup_close_ int root = make_tree();
	_cleanup_close_ int fd = inroot_mkdirs(root, row->path, 0755);
	struct stat st;

	if (row->want) {
		assert_int_equal(fd, row->want);
		return;
	}
	assert_true(fd >= 0);
	assert_int_equal(fstatat(root, row->made, &st, AT_SYMLINK_NOFOLLOW), 0);
	assert_true(S_ISDIR(st.st_mode));
}

static const struct realrow {
	const char *name, *path;
	int want;
} realrows[] = {
	{ "real: a directory", "usr/lib", 0 },
	{ "real: a file", "etc/inside", 0 },
	{ "real: a link at the end", "lib", -ELOOP },
	{ "real: a link on the way", "lib/.", -ELOOP },
	{ "real: not there", "usr/absent/x", -ENOENT },
};

static void test_real(const void *p)
{
	const struct realrow *row = p;
	_cleanup_close_ int root = make_tree();
	_cleanup_close_ int fd = -1;
	char from[64], path[PATH_MAX];
	ssize_t n;

	snprintf(from, sizeof(from), "/proc/self/fd/%d", root);
	n = readlink(from, path, PATH_MAX / 2);
	assert_true(n > 0);
	snprintf(path + n, PATH_MAX / 2, "/%s", row->path);
	fd = inroot_open_real(path, O_PATH);
	if (row->want)
		assert_int_equal(fd, row->want);
	else
		assert_true(fd >= 0);
}

static const struct beneath {
	const char *name, *path;
	bool want;
} beneath[] = {
	{ "beneath: a name", "a", true },
	{ "beneath: a path", "a/.b/..c/c../...", true },
	{ "beneath: a blank end", "a//b/", true },
	{ "beneath: nothing", "", false },
	{ "beneath: the root", "/", false },
	{ "beneath: absolute", "/a", false },
	{ "beneath: up", "..", false },
	{ "beneath: up on the way", "a/../b", false },
	{ "beneath: up at the end", "a/..", false },
	{ "beneath: up and an end", "a/../", false },
};

static void test_beneath(const void *p)
{
	const struct beneath *row = p;

	assert_int_equal(inroot_is_beneath(row->path), row->want);
}

static const struct absrow {
	const char *name, *path, *want;
} absolutes[] = {
	{ "absolute: as it is", "/a/../b", "/a/../b" },
	{ "absolute: a name", "a", "/usr/lib/a" },
	{ "absolute: here", ".", "/usr/lib" },
	{ "absolute: up", "../a", "/usr/a" },
	{ "absolute: up, with more slashes", ".//..//./a/", "/usr/a/" },
	{ "absolute: up to the root and above", "../../../..", "/" },
	{ "absolute: from the root", "../../a", "/a" },
	{ "absolute: up on the way", "a/../b", "/usr/lib/a/../b" },
	{ "absolute: a name that begins with dots", "..a/.b", "/usr/lib/..a/.b" },
};

static void test_absolute(const void *p)
{
	const struct absrow *row = p;
	char cwd[PATH_MAX], got[PATH_MAX];

	assert_true(sys_getcwd(cwd, sizeof(cwd)) > 0);
	assert_int_equal(sys_chdir("/usr/lib"), 0);
	assert_int_equal(inroot_absolute(row->path, got), 0);
	assert_int_equal(sys_chdir(cwd), 0);
	assert_string_equal(got, row->want);
}

static const struct settled {
	const char *name, *path, *want; /* want: NULL = it leads nowhere below */
} settled[] = {
	{ "settle: a path", "a/b", "a/b" },
	{ "settle: blanks and points", "./a//./b/", "a/b" },
	{ "settle: up again", "a/../b/c/../d", "b/d" },
	{ "settle: names with points", "..a/.b/...", "..a/.b/..." },
	{ "settle: nothing", "", NULL },
	{ "settle: where it begins", "a/..", NULL },
	{ "settle: above", "a/../../b", NULL },
};

static void test_settle(const void *p)
{
	const struct settled *row = p;
	char long_path[PATH_MAX + 8], got[PATH_MAX];

	assert_int_equal(inroot_settle(row->path, got), row->want != NULL);
	if (row->want)
		assert_string_equal(got, row->want);
	memset(long_path, 'a', sizeof(long_path) - 1);
	long_path[sizeof(long_path) - 1] = '\0';
	assert_false(inroot_settle(long_path, got));
}

int main(void)
{
	return unit_rows("inroot_open", rows, test_open) +
	       unit_rows("inroot_mkdirs", mkrows, test_mkdirs) +
	       unit_rows("inroot_open_real", realrows, test_real) +
	       unit_rows("inroot_is_beneath", beneath, test_beneath) +
	       unit_rows("inroot_settle", settled, test_settle) +
	       unit_rows("inroot_absolute", absolutes, test_absolute);
}
