#include "runtime/init/movedir.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/scope.h"
#include "base/sys/sys.h"
#include "tests/unit/unit.h"

/* What the kernel says of directories of a view, and so how the move goes down into them, is
 * in tests/box/review.bats. */

static void make(int dir)
{
	assert_int_equal(sys_mkdirat(dir, "a", 0750), 0);
	unit_put(dir, "a/file", "", 0640);
	unit_put(dir, "a/new\nline", "", 0640);
	assert_int_equal(sys_mkdirat(dir, "a/sub", 0755), 0);
	unit_put(dir, "a/sub/deep", "", 0640);
	assert_int_equal(sys_symlinkat("/etc", dir, "a/link"), 0);
	assert_int_equal(sys_mknodat(dir, "a/fifo", S_IFIFO | 0600, 0), 0);
}

static bool is_there(int dir, const char *name)
{
	struct stat st;

	return sys_fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) == 0;
}

static int move(int dir, const char *from, const char *to)
{
	static const uint64_t words[2] = { 0, 0 };

	return movedir(&(struct movedir){ words, dir, dir, from, to });
}

static void expect_whole(int dir, const char *name)
{
	static const char *const all[] = { "file",     "new\nline", "sub",
					   "sub/deep", "link",	    "fifo" };
	char path[64];

	for (size_t i = 0; i < ARRAY_SIZE(all); i++) {
		snprintf(path, sizeof(path), "%s/%s", name, all[i]);
		assert_true(is_there(dir, path));
	}
}

static void moves_all_kinds(void)
{
	const struct timespec times[2] = { { .tv_sec = 1 }, { .tv_sec = 5 } };
	_cleanup_close_ int dir = unit_top();
	struct stat st;

	make(dir);
	assert_int_equal(sys_utimensat(dir, "a", times, 0), 0);
	assert_int_equal(move(dir, "a", "b/"), 0);
	expect_whole(dir, "b");
	assert_false(is_there(dir, "a"));
	assert_int_equal(sys_fstatat(dir, "b", &st, 0), 0);
	assert_int_equal(st.st_mode & 07777, 0750);
	assert_int_equal(st.st_mtim.tv_sec, 5);
}

static const struct row {
	const char *name, *to;
	int want;
} rows[] = {
	{ "an empty directory is replaced", "empty", 0 },
	{ "one that is not empty stays", "full", -ENOTEMPTY },
	{ "a file in the way stays", "plain", -ENOTDIR },
	{ "no such place", "none/x", -ENOENT },
};

static void meets(const void *p)
{
	const struct row *row = p;
	_cleanup_close_ int dir = unit_top();

	make(dir);
	unit_put(dir, "plain", "", 0640);
	assert_int_equal(sys_mkdirat(dir, "empty", 0755), 0);
	assert_int_equal(sys_mkdirat(dir, "full", 0755), 0);
	unit_put(dir, "full/x", "", 0640);
	assert_int_equal(move(dir, "a", row->to), row->want);
	expect_whole(dir, row->want ? "a" : row->to);
	assert_true(is_there(dir, "full/x") && is_there(dir, "plain"));
}

static void a_link_or_a_file_is_none(void)
{
	_cleanup_close_ int dir = unit_top();

	unit_put(dir, "plain", "", 0640);
	assert_int_equal(sys_symlinkat(".", dir, "link"), 0);
	assert_int_equal(move(dir, "plain", "x"), -EXDEV);
	assert_int_equal(move(dir, "link", "x"), -EXDEV);
	assert_false(is_there(dir, "x"));
}

/* A rename that is refused as the kernel refused it: nothing is another. */
static void two_mounts_are_left_alone(void)
{
	_cleanup_close_ int dir = unit_top(),
			    proc = sys_open("/proc", O_RDONLY | O_DIRECTORY);
	static const uint64_t words[2] = { 0, 0 };
	struct stat st, now;

	assert_true(proc >= 0);
	make(dir);
	assert_int_equal(sys_fchmodat(dir, "a", 0555, 0), 0);
	assert_int_equal(sys_fstatat(dir, "a", &st, 0), 0);
	assert_int_equal(move(dir, "a", "/proc/none"), -EXDEV);
	assert_int_equal(movedir(&(struct movedir){ words, dir, proc, "a", "none/" }),
			 -EXDEV);
	assert_int_equal(sys_fstatat(dir, "a", &now, 0), 0);
	assert_memory_equal(&st.st_ctim, &now.st_ctim, sizeof(now.st_ctim));
	assert_int_equal(now.st_mode, st.st_mode);
	expect_whole(dir, "a");
	assert_int_equal(sys_fchmodat(dir, "a", 0755, 0), 0); /* else it stays */
}

static void bits_of_a_directory_stay(void)
{
	_cleanup_close_ int dir = unit_top();
	struct stat st;

	make(dir);
	assert_int_equal(sys_fchmodat(dir, "a", 03750, 0), 0);
	assert_int_equal(move(dir, "a", "b"), 0);
	assert_int_equal(sys_fstatat(dir, "b", &st, 0), 0);
	assert_int_equal(st.st_mode & 07777, 03750);
}

/* Where attributes may be large: few filesystems let them. */
static int make_memory(char path[32])
{
	int dir;

	snprintf(path, 32, "/dev/shm/cubby-unit-XXXXXX");
	if (!mkdtemp(path))
		unit_skip("nothing can be made in /dev/shm");
	dir = sys_open(path, O_RDONLY | O_DIRECTORY);
	assert_true(dir >= 0);
	assert_int_equal(sys_mkdirat(dir, "a", 0750), 0);
	unit_put(dir, "a/file", "", 0640);
	return dir;
}

static void remove_memory(int dir, const char *path)
{
	(void)sys_unlinkat(dir, "a/file", 0);
	(void)sys_unlinkat(dir, "b/file", 0);
	(void)sys_unlinkat(dir, "a", AT_REMOVEDIR);
	(void)sys_unlinkat(dir, "b", AT_REMOVEDIR);
	(void)sys_unlinkat(AT_FDCWD, path, AT_REMOVEDIR);
}

/* @n attributes with names of 200 letters and more, and one of @size bytes; skips. */
static void note(int dir, const char *path, unsigned n, size_t size)
{
	_cleanup_close_ int fd = sys_openat(dir, "a", O_RDONLY | O_DIRECTORY, 0);
	_cleanup_free_ char *value = calloc(1, size);
	char name[256];
	int r;

	assert_true(fd >= 0 && value);
	r = sys_fsetxattr(fd, "user.large", value, size, 0);
	for (unsigned i = 0; r == 0 && i < n; i++) {
		snprintf(name, sizeof(name), "user.%0200u", i);
		r = sys_fsetxattr(fd, name, "x", 1, 0);
	}
	if (r < 0) {
		remove_memory(dir, path);
		unit_skip("/dev/shm has no large attributes");
	}
}

static void large_attributes_go_along(void)
{
	char path[32], name[256];
	_cleanup_close_ int dir = make_memory(path), to = -1;
	ssize_t large, last;
	int r;

	note(dir, path, 300, 60000);
	r = move(dir, "a", "b");
	to = sys_openat(dir, "b", O_RDONLY | O_DIRECTORY, 0);
	large = sys_fgetxattr(to, "user.large", NULL, 0);
	snprintf(name, sizeof(name), "user.%0200u", 299);
	last = sys_fgetxattr(to, name, NULL, 0);
	remove_memory(dir, path);
	assert_int_equal(r, 0);
	assert_int_equal(large, 60000);
	assert_int_equal(last, 1);
}

/* More than the kernel lists. */
static void it_stays_when_attributes_do_not_go_along(void)
{
	char path[32];
	_cleanup_close_ int dir = make_memory(path), from = -1;
	ssize_t large;
	bool whole;
	int r;

	note(dir, path, 400, 60000);
	r = move(dir, "a", "b");
	from = sys_openat(dir, "a", O_RDONLY | O_DIRECTORY, 0);
	large = sys_fgetxattr(from, "user.large", NULL, 0);
	whole = is_there(dir, "a/file") && !is_there(dir, "b");
	remove_memory(dir, path);
	assert_int_equal(r, -EXDEV);
	assert_int_equal(large, 60000);
	assert_true(whole);
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "all kinds of entries", moves_all_kinds },
		{ "two mounts are left alone", two_mounts_are_left_alone },
		{ "bits of a directory stay", bits_of_a_directory_stay },
		{ "large attributes go along", large_attributes_go_along },
		{ "it stays when they do not",
		  it_stays_when_attributes_do_not_go_along },
		{ "a link or a file is no directory", a_link_or_a_file_is_none },
	};

	return unit_cases("movedir", cases) + unit_rows("movedir meets", rows, meets);
}
