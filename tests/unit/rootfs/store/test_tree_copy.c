#include "tests/unit/unit.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <time.h>
#include <unistd.h>

#include "base/scope.h"
#include "rootfs/store/tree.h"
#include "rootfs/store/tree_copy.h"

static int make_dir(const char *name)
{
	_cleanup_close_ int top = unit_top();

	assert_int_equal(mkdirat(top, name, 0755), 0);
	return openat(top, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

static int copy(int from, struct tree_copied *ret)
{
	_cleanup_close_ int top = unit_top();
	struct err e = ERR_NONE;

	unit_ok(tree_copy(from, top, "to", ret, &e), &e);
	return openat(top, "to", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

static void keeps_what_it_should(void)
{
	_cleanup_close_ int from = make_dir("from"), to = -1;
	struct tree_copied copied;
	const struct timespec old[2] = { { 1000, 0 }, { 2000, 500 } };
	struct stat st, other;
	char text[64] = { 0 };

	unit_put(from, "file", "content", 04751);
	assert_int_equal(mkdirat(from, "dir", 0700), 0);
	assert_int_equal(mkdirat(from, "dir/deep", 0750), 0);
	unit_put(from, "dir/deep/a", "hello", 0640);
	assert_int_equal(linkat(from, "dir/deep/a", from, "b", 0), 0);
	assert_int_equal(symlinkat("/etc/passwd", from, "link"), 0);
	assert_int_equal(mkfifoat(from, "fifo", 0600), 0);
	assert_int_equal(utimensat(from, "dir", old, 0), 0);
	to = copy(from, &copied);

	assert_int_equal(fstatat(to, "file", &st, 0), 0);
	assert_int_equal(st.st_mode & 07777, 04751);
	assert_int_equal(readlinkat(to, "link", text, sizeof(text)), 11);
	assert_string_equal(text, "/etc/passwd");
	assert_int_equal(fstatat(to, "fifo", &st, AT_SYMLINK_NOFOLLOW), 0);
	assert_true(S_ISFIFO(st.st_mode));
	assert_int_equal(fstatat(to, "dir", &st, 0), 0);
	assert_int_equal(st.st_mtim.tv_sec, 2000);
	assert_int_equal(st.st_mtim.tv_nsec, 500);
	assert_int_equal(fstatat(to, "dir/deep/a", &st, 0), 0);
	assert_int_equal(fstatat(to, "b", &other, 0), 0);
	assert_int_equal(st.st_ino, other.st_ino);
	assert_int_equal(st.st_size, 5);
	assert_int_equal(fstatat(from, "b", &other, 0), 0);
	assert_int_not_equal(st.st_ino, other.st_ino);
}

static void many_links_and_files(void)
{
	_cleanup_close_ int from = make_dir("from"), to = -1;
	struct tree_copied copied;
	struct stat a, b;
	char name[32];

	for (int i = 0; i < 600; i++) {
		char twin[32];

		snprintf(name, sizeof(name), "f%d", i);
		snprintf(twin, sizeof(twin), "g%d", i);
		unit_put(from, name, name, 0644);
		assert_int_equal(linkat(from, name, from, twin, 0), 0);
	}
	to = copy(from, &copied);
	for (int i = 0; i < 600; i++) {
		snprintf(name, sizeof(name), "f%d", i);
		assert_int_equal(fstatat(to, name, &a, 0), 0);
		snprintf(name, sizeof(name), "g%d", i);
		assert_int_equal(fstatat(to, name, &b, 0), 0);
		assert_int_equal(a.st_ino, b.st_ino);
		assert_int_equal(a.st_nlink, 2);
	}
}

/* Which a box can make of any size. */
static void holes_take_no_room(void)
{
	_cleanup_close_ int from = make_dir("from"), to = -1, fd = -1;
	struct tree_copied copied;
	char text[8] = { 0 };
	struct stat st;

	unit_put(from, "holes", "begin", 0644);
	fd = openat(from, "holes", O_WRONLY | O_CLOEXEC);
	assert_int_equal(pwrite(fd, "middle", 6, (off_t)1 << 32), 6);
	assert_int_equal(ftruncate(fd, (off_t)1 << 40), 0);
	to = copy(from, &copied);

	assert_int_equal(fstatat(to, "holes", &st, 0), 0);
	assert_int_equal(st.st_size, (off_t)1 << 40);
	assert_in_range(st.st_blocks, 1, 1024);
	close(fd);
	fd = openat(to, "holes", O_RDONLY | O_CLOEXEC);
	assert_int_equal(pread(fd, text, 6, (off_t)1 << 32), 6);
	assert_string_equal(text, "middle");
	assert_int_equal(pread(fd, text, 6, 0), 6);
	assert_memory_equal(text, "begin", 6);
}

/* An overlay's are one file, of which a filesystem allows only so many names. */
static void a_whiteout_too_many(void)
{
	_cleanup_close_ int from = make_dir("from"), more = make_dir("more"), to = -1;
	_cleanup_close_ int top = unit_top();
	struct tree_copied copied;
	struct err e = ERR_NONE;
	struct stat st;
	char name[32];
	int r = 0;

	if (mknodat(from, "gone", S_IFCHR, 0) < 0)
		unit_skip("no whiteout can be made here");
	for (int i = 0; r == 0 && i < 70000; i++) {
		snprintf(name, sizeof(name), "%d", i);
		r = linkat(from, "gone", more, name, 0);
	}
	if (r == 0)
		unit_skip("a file may have any number of names here");
	unit_ok(tree_copy_layer(from, top, "to", &copied, &e), &e);
	to = openat(top, "to", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert_int_equal(fstatat(to, "gone", &st, AT_SYMLINK_NOFOLLOW), 0);
	assert_true(S_ISCHR(st.st_mode) && st.st_rdev == 0);
}

static void exchange_for_ever(int dir)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
	while (renameat2(dir, "gone", dir, "text", RENAME_EXCHANGE) == 0)
		;
	_exit(0);
}

/* A box that goes on puts a file in its place between the look and the copy: of that no name
 * may come to the copy, which the box could change afterwards. */
static void a_whiteout_that_is_exchanged(void)
{
	_cleanup_close_ int from = make_dir("from"), top = unit_top();
	struct tree_copied copied;
	struct err e = ERR_NONE;
	struct stat st;
	char name[32];
	pid_t pid;

	if (mknodat(from, "gone", S_IFCHR, 0) < 0)
		unit_skip("no whiteout can be made here");
	unit_put(from, "text", "live", 0644);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid)
		exchange_for_ever(from);
	for (int i = 0; i < 500; i++) {
		snprintf(name, sizeof(name), "%d", i);
		(void)tree_copy_layer(from, top, name, &copied, &e); /* or it fails */
		e = ERR_NONE;
	}
	assert_int_equal(kill(pid, SIGKILL), 0);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	if (fstatat(from, "text", &st, AT_SYMLINK_NOFOLLOW) < 0 || !S_ISREG(st.st_mode))
		assert_int_equal(fstatat(from, "gone", &st, AT_SYMLINK_NOFOLLOW), 0);
	assert_true(S_ISREG(st.st_mode));
	assert_int_equal(st.st_nlink, 1);
}

static int copy_into(int from, const char *name, struct tree_room room)
{
	_cleanup_close_ int top = unit_top();
	struct tree_copied copied;
	struct err e = ERR_NONE;

	return tree_copy_within(from, top, name, &room, &copied, &e);
}

static void ends_with_its_room(void)
{
	_cleanup_close_ int from = make_dir("from"), top = unit_top(), hole = -1;
	struct tree_room room = { 10, 16, -1 };
	struct tree_copied copied;
	struct err e = ERR_NONE;

	unit_put(from, "a", "12345678", 0644);
	unit_put(from, "b", "12345678", 0644);
	hole = openat(from, "hole", O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
	assert_int_equal(ftruncate(hole, 1 << 20), 0);
	unit_ok(tree_copy_within(from, top, "all", &room, &copied, &e), &e);
	assert_int_equal(room.entries, 7);
	assert_int_equal(copied.entries, 3);
	assert_int_equal(copy_into(from, "names", (struct tree_room){ 2, 16, -1 }),
			 -EDQUOT);
	if (room.bytes)
		unit_skip("this filesystem shares contents, which takes no room");
	assert_int_equal(copy_into(from, "bytes", (struct tree_room){ 10, 15, -1 }),
			 -EDQUOT);
}

/* As programs of a box do that goes on: files come and go, directories are removed and moved
 * with what is in them, and a name is of another kind the next time. */
static void change_for_ever(int dir)
{
	int ignored;

	prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
	for (;;) {
		(void)mkdirat(dir, "a", 0755);
		(void)mkdirat(dir, "a/b", 0755);
		(void)mkdirat(dir, "a/b/c", 0755);
		for (int i = 0; i < 3; i++)
			close(openat(dir, i ? "a/b/c/f" : "f", O_CREAT | O_RDWR, 0644));
		ignored = linkat(dir, "f", dir, "a/b/g", 0);
		(void)renameat(dir, "a/b", dir, "moved");
		ignored = symlinkat("f", dir, "a/b");
		(void)unlinkat(dir, "f", 0);
		(void)unlinkat(dir, "moved/c/f", 0);
		(void)unlinkat(dir, "moved/g", 0);
		(void)unlinkat(dir, "moved/c", AT_REMOVEDIR);
		(void)unlinkat(dir, "moved", AT_REMOVEDIR);
		(void)unlinkat(dir, "a/b", 0);
		(void)unlinkat(dir, "a", AT_REMOVEDIR);
		(void)ignored;
	}
}

static void what_vanishes_is_left_out(void)
{
	_cleanup_close_ int from = make_dir("from"), top = unit_top();
	struct err e = ERR_NONE;
	pid_t pid;

	assert_int_equal(mkdirat(from, "stays", 0755), 0);
	unit_put(from, "stays/text", "text", 0644);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid)
		change_for_ever(from);
	for (int i = 0; i < 3000; i++) {
		struct tree_room room = { 1000, 1 << 20, -1 };
		struct tree_copied copied;
		struct stat st;

		unit_ok(tree_copy_within(from, top, "to", &room, &copied, &e), &e);
		assert_int_equal(fstatat(top, "to/stays/text", &st, 0), 0);
		unit_ok(tree_remove(top, "to", &e), &e);
	}
	assert_int_equal(kill(pid, SIGKILL), 0);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
}

/* Until @name has been as it is for two seconds: what is younger is not noted. */
static void age(int dir, const char *name)
{
	struct timespec now;
	struct stat st;

	assert_int_equal(fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW), 0);
	do {
		usleep(50000);
		assert_int_equal(clock_gettime(CLOCK_REALTIME, &now), 0);
	} while (now.tv_sec < st.st_ctim.tv_sec + 2);
}

static int copy_after(int from, const char *name, const char *earlier)
{
	_cleanup_close_ int top = unit_top();
	_cleanup_close_ int then =
		earlier ? openat(top, earlier, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;

	assert_int_equal(
		copy_into(from, name, (struct tree_room){ 100, 1 << 20, then }), 0);
	return openat(top, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

static bool is_shared(int a, const char *name, int b, const char *other)
{
	struct stat x, y;

	assert_int_equal(fstatat(a, name, &x, AT_SYMLINK_NOFOLLOW), 0);
	assert_int_equal(fstatat(b, other, &y, AT_SYMLINK_NOFOLLOW), 0);
	return x.st_ino == y.st_ino;
}

static bool is_noted(int dir, const char *name)
{
	_cleanup_close_ int fd = openat(dir, name, O_RDONLY | O_CLOEXEC);

	return fgetxattr(fd, TREE_NOTED, NULL, 0) > 0;
}

static void shares_what_has_not_changed(void)
{
	_cleanup_close_ int from = make_dir("from"), first = -1, second = -1,
			    third = -1;
	_cleanup_close_ int back = -1;

	assert_int_equal(mkdirat(from, "a", 0755), 0);
	assert_int_equal(mkdirat(from, "a/in", 0755), 0);
	assert_int_equal(mkdirat(from, "b", 0755), 0);
	unit_put(from, "a/in/same", "same", 0640);
	unit_put(from, "a/text", "12345678", 0644);
	unit_put(from, "b/text", "abcdefgh", 0644);
	unit_put(from, "mode", "mode", 0644);
	unit_put(from, "two", "two", 0644);
	assert_int_equal(linkat(from, "two", from, "names", 0), 0);
	if (fsetxattr(from, "user.test", "", 0, 0) < 0)
		unit_skip("no user xattrs here");
	age(from, "two");
	unit_put(from, "young", "12345678", 0644);
	first = copy_after(from, "first", NULL);

	assert_int_equal(mkdirat(from, "a/new", 0755), 0);
	unit_put(from, "a/new/same", "same", 0640);
	assert_int_equal(fchmodat(from, "mode", 0600, 0), 0);
	/* two of one size that stand in each other's place: their inodes tell */
	assert_int_equal(renameat2(from, "a/text", from, "b/text", RENAME_EXCHANGE), 0);
	second = copy_after(from, "second", "first");
	assert_true(is_shared(first, "two", second, "two"));
	assert_true(is_shared(second, "two", second, "names"));
	assert_true(is_shared(first, "a/in/same", second, "a/in/same"));
	assert_false(is_shared(first, "young", second, "young"));
	assert_false(is_shared(first, "mode", second, "mode"));
	assert_false(is_shared(first, "a/text", second, "a/text"));
	assert_false(is_shared(first, "b/text", second, "a/text"));

	/* one that is a directory now stands for none of the earlier copy */
	assert_int_equal(unlinkat(from, "mode", 0), 0);
	assert_int_equal(renameat(from, "a/in", from, "mode"), 0);
	third = copy_after(from, "third", "second");
	assert_false(is_shared(second, "a/in/same", third, "mode/same"));
	assert_true(is_shared(first, "two", third, "two"));
	assert_true(is_noted(third, "two"));
	back = copy(third, &(struct tree_copied){ 0 });
	assert_false(is_shared(third, "two", back, "two"));
	assert_false(is_noted(back, "two"));
}

static void ends_at_a_depth(void)
{
	_cleanup_close_ int from = make_dir("from"), top = unit_top();
	struct tree_copied copied;
	struct err e = ERR_NONE;
	int at = openat(from, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	for (int i = 0, down; i < 4096; i++) {
		assert_int_equal(mkdirat(at, "d", 0755), 0);
		down = openat(at, "d", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		close(at);
		at = down;
	}
	close(at);
	assert_int_equal(tree_copy(from, top, "to", &copied, &e), -ELOOP);
	unit_err(&e, -ELOOP, "its directories are nested more than 4096 deep");
	e = ERR_NONE;
	unit_ok(tree_remove(top, "from", &e), &e);
	unit_ok(tree_remove(top, "to", &e), &e);
}

/* Writes to the file from the moment that its copy has begun. */
static void go_on_writing(int from)
{
	_cleanup_close_ int top = unit_top();
	_cleanup_close_ int fd = openat(from, "f", O_WRONLY | O_APPEND | O_CLOEXEC);
	static char piece[1 << 20];
	struct stat st;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	memset(piece, 'x', sizeof(piece));
	while (fstatat(top, "to/f", &st, 0) || !st.st_size)
		;
	for (int i = 0; i < 64; i++)
		if (write(fd, piece, sizeof(piece)) < 0)
			_exit(1);
	_exit(0);
}

static void is_not_led_on_by_a_file_that_grows(void)
{
	enum { SIZE = 32 << 20 };
	_cleanup_close_ int from = make_dir("from"), to = -1, fd = -1;
	_cleanup_free_ char *text = calloc(1, SIZE);
	struct tree_copied copied;
	struct stat st;
	pid_t pid;

	fd = openat(from, "f", O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
	assert_non_null(text);
	memset(text, 'x', SIZE);
	assert_int_equal(write(fd, text, SIZE), SIZE);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid)
		go_on_writing(from);
	to = copy(from, &copied);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	assert_int_equal(fstatat(to, "f", &st, 0), 0);
	assert_int_equal(st.st_size, SIZE);
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "keeps what it should", keeps_what_it_should },
		{ "many links and files", many_links_and_files },
		{ "holes take no room", holes_take_no_room },
		{ "a whiteout too many", a_whiteout_too_many },
		{ "a whiteout that is exchanged", a_whiteout_that_is_exchanged },
		{ "ends with its room", ends_with_its_room },
		{ "what vanishes is left out", what_vanishes_is_left_out },
		{ "ends at a depth", ends_at_a_depth },
		{ "shares what has not changed since an earlier copy",
		  shares_what_has_not_changed },
		{ "is not led on by a file that grows",
		  is_not_led_on_by_a_file_that_grows },
	};

	return unit_cases("tree_copy", cases);
}
