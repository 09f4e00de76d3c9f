/* What comes along when a tree is moved to another file system; tests/box/serve.bats has the
 * other file systems. */
#include "runtime/init/trees.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/scope.h"
#include "base/sys/sys.h"
#include "tests/unit/unit.h"

static const struct timespec then[2] = { { 1000000000, 5 }, { 1100000000, 7 } };

static const char *at(char path[PATH_MAX], const char *name)
{
	snprintf(path, PATH_MAX, "%s/%s", unit_tmpdir(), name);
	return path;
}

static int move(const char *from, const char *to, struct err *e)
{
	char a[PATH_MAX], b[PATH_MAX];

	return trees_move(at(a, from), at(b, to), e);
}

static void put(int dir, const char *name, const char *text, mode_t mode)
{
	_cleanup_close_ int fd =
		openat(dir, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	assert_int_equal(fchmod(fd, mode), 0);
	assert_int_equal(futimens(fd, then), 0);
}

static struct stat look(int dir, const char *name)
{
	struct stat st;

	assert_int_equal(fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW), 0);
	return st;
}

static bool is_there(int dir, const char *name)
{
	struct stat st;

	return fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) == 0;
}

static void make(int dir)
{
	assert_int_equal(mkdirat(dir, "a", 0700), 0);
	put(dir, "a/file", "text", 0640);
	put(dir, "a/program", "#!", 06755);
	assert_int_equal(mkdirat(dir, "a/sub", 0700), 0);
	put(dir, "a/sub/deep\nname", "", 0600);
	assert_int_equal(symlinkat("none/at all", dir, "a/link"), 0);
	assert_int_equal(utimensat(dir, "a/link", then, AT_SYMLINK_NOFOLLOW), 0);
	assert_int_equal(mkfifoat(dir, "a/pipe", 0620), 0);
	assert_int_equal(fchmodat(dir, "a/pipe", 0620, 0), 0);
	assert_int_equal(fchmodat(dir, "a/sub", 0751, 0), 0);
	assert_int_equal(utimensat(dir, "a/sub", then, 0), 0);
}

static void expect(int dir, const char *name, mode_t mode, off_t size)
{
	struct stat st = look(dir, name);

	assert_int_equal(st.st_mode, mode);
	assert_int_equal(st.st_size, size);
	assert_int_equal(st.st_mtim.tv_sec, then[1].tv_sec);
	assert_int_equal(st.st_mtim.tv_nsec, then[1].tv_nsec);
}

static void whole(void)
{
	_cleanup_close_ int dir = unit_top();
	struct err e = ERR_NONE;
	char target[64] = "";

	make(dir);
	unit_ok(move("a", "b", &e), &e);
	assert_false(is_there(dir, "a"));
	expect(dir, "b/file", S_IFREG | 0640, 4);
	expect(dir, "b/program", S_IFREG | 06755, 2);
	expect(dir, "b/sub/deep\nname", S_IFREG | 0600, 0);
	expect(dir, "b/sub", S_IFDIR | 0751, look(dir, "b/sub").st_size);
	expect(dir, "b/link", S_IFLNK | 0777, 11);
	assert_int_equal(readlinkat(dir, "b/link", target, sizeof(target)), 11);
	assert_string_equal(target, "none/at all");
	assert_int_equal(look(dir, "b/pipe").st_mode, S_IFIFO | 0620);
}

static void a_hole(void)
{
	_cleanup_close_ int dir = unit_top();
	struct err e = ERR_NONE;

	put(dir, "a", "x", 0600);
	assert_int_equal(truncate(at((char[PATH_MAX]){ 0 }, "a"), 64 << 20), 0);
	unit_ok(move("a", "b", &e), &e);
	assert_int_equal(look(dir, "b").st_size, 64 << 20);
	assert_true(look(dir, "b").st_blocks < 4096);
}

/* What one that was killed has left goes; what another is at, or only looks like it, stays. */
static void remains_go(void)
{
	_cleanup_close_ int dir = unit_top(), held = -1;
	struct err e = ERR_NONE;

	put(dir, "a", "x", 0600);
	put(dir, ".b.cubby-7", "half", 0600);
	assert_int_equal(mkdirat(dir, ".b.cubby-8", 0700), 0);
	put(dir, ".b.cubby-8/in", "half", 0600);
	put(dir, ".b.cubby-9", "somebody's", 0600);
	put(dir, ".b.cubby-9x", "", 0600);
	put(dir, ".c.cubby-7", "", 0600);
	held = openat(dir, ".b.cubby-9", O_RDONLY | O_CLOEXEC);
	assert_int_equal(flock(held, LOCK_EX), 0);
	unit_ok(move("a", "b", &e), &e);
	assert_false(is_there(dir, ".b.cubby-7"));
	assert_false(is_there(dir, ".b.cubby-8"));
	assert_true(is_there(dir, ".b.cubby-9"));
	assert_true(is_there(dir, ".b.cubby-9x"));
	assert_true(is_there(dir, ".c.cubby-7"));
	assert_true(is_there(dir, "b"));
}

static void nothing_is_replaced(void)
{
	_cleanup_close_ int dir = unit_top();
	struct err e = ERR_NONE;

	put(dir, "a", "x", 0600);
	put(dir, "b", "other", 0600);
	assert_int_equal(move("a", "b", &e), -EEXIST);
	assert_int_equal(look(dir, "b").st_size, 5);
	assert_true(is_there(dir, "a"));
}

static void no_place_for_it(void)
{
	_cleanup_close_ int dir = unit_top();
	struct err e = ERR_NONE;

	put(dir, "a", "x", 0600);
	assert_int_equal(move("a", "none/b", &e), -ENOENT);
	assert_true(is_there(dir, "a"));
}

/* In a process with mounts of its own: "kept" is mounted at "t/m". */
static int beside_a_mount(void)
{
	_cleanup_close_ int dir = -1;
	char from[PATH_MAX], to[PATH_MAX];
	struct err e = ERR_NONE;

	if (sys_unshare(CLONE_NEWUSER | CLONE_NEWNS) ||
	    sys_mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	    sys_mount(at(from, "kept"), at(to, "t/m"), NULL, MS_BIND, NULL))
		return 77;
	dir = unit_top();
	if (trees_remove(dir, "t", &e) != -EBUSY ||
	    strcmp(e.msg, "'m' is mounted, and cannot be removed") != 0)
		return 1;
	if (trees_remove(dir, "t/m", &e) != -EBUSY ||
	    trees_move(to, at(from, "elsewhere"), &e) != -EBUSY)
		return 2;
	return is_there(dir, "t/m/f") && !is_there(dir, "t/a") ? 0 : 3;
}

static void mounts_are_not_entered(void)
{
	_cleanup_close_ int dir = unit_top();
	siginfo_t si;
	pid_t pid;

	assert_int_equal(mkdirat(dir, "t", 0755), 0);
	assert_int_equal(mkdirat(dir, "t/m", 0755), 0);
	assert_int_equal(mkdirat(dir, "kept", 0755), 0);
	put(dir, "t/a", "", 0644);
	put(dir, "kept/f", "", 0644);
	pid = sys_fork();
	if (!pid)
		_exit(beside_a_mount());
	assert_true(pid > 0);
	assert_int_equal(sys_waitid(P_PID, (id_t)pid, &si, WEXITED), 0);
	if (si.si_status == 77)
		unit_skip("no user namespaces here");
	assert_int_equal(si.si_status, 0);
	assert_true(is_there(dir, "kept/f"));
}

static const struct unit_case cases[] = {
	{ "all of a tree, as it was", whole },
	{ "a file that has nothing in most of it", a_hole },
	{ "what an earlier one has left goes", remains_go },
	{ "what is there is not replaced", nothing_is_replaced },
	{ "a directory that is not there", no_place_for_it },
	{ "what is mounted in it stays, and is not entered", mounts_are_not_entered },
};

int main(void)
{
	return unit_cases("trees", cases);
}
