#include "rootfs/store/tree.h"

#include <stdio.h>
#include <sys/inotify.h>
#include <unistd.h>

#include "base/procfs.h"
#include "base/scope.h"
#include "base/sys/sys.h"
#include "tests/unit/unit.h"

static bool exists(int dirfd, const char *name)
{
	struct stat st;

	return sys_fstatat(dirfd, name, &st, AT_SYMLINK_NOFOLLOW) == 0;
}

static void removes_every_kind(void)
{
	_cleanup_close_ int dir = unit_top();
	struct err e = ERR_NONE;

	assert_int_equal(sys_mkdirat(dir, "t", 0755), 0);
	assert_int_equal(sys_mkdirat(dir, "t/empty", 0755), 0);
	assert_int_equal(sys_mkdirat(dir, "t/d", 0755), 0);
	unit_put(dir, "t/d/f", "", 0644);
	unit_put(dir, "outside", "", 0644);
	assert_int_equal(sys_symlinkat("../outside", dir, "t/link"), 0);
	assert_int_equal(sys_symlinkat("../..", dir, "t/d/up"), 0);
	assert_int_equal(sys_mknodat(dir, "t/fifo", S_IFIFO | 0600, 0), 0);
	unit_ok(tree_remove(dir, "t", &e), &e);
	assert_false(exists(dir, "t"));
	assert_true(exists(dir, "outside"));
}

static void nothing_there_is_success(void)
{
	_cleanup_close_ int dir = unit_top();
	struct err e = ERR_NONE;

	unit_ok(tree_remove(dir, "none", &e), &e);
}

static void a_link_goes_not_its_target(void)
{
	_cleanup_close_ int dir = unit_top();
	struct err e = ERR_NONE;

	assert_int_equal(sys_mkdirat(dir, "kept", 0755), 0);
	unit_put(dir, "kept/f", "", 0644);
	assert_int_equal(sys_symlinkat("kept", dir, "l"), 0);
	unit_ok(tree_remove(dir, "l", &e), &e);
	assert_false(exists(dir, "l"));
	assert_true(exists(dir, "kept/f"));
}

/* In a child as an ordinary user: root may do everything anyway. */
static void mode_0000_does_not_stop_it(void)
{
	_cleanup_close_ int dir = unit_top();
	struct err e = ERR_NONE;
	siginfo_t si;
	pid_t pid;

	assert_int_equal(sys_fchmod(dir, 0777), 0);
	pid = sys_fork();
	if (!pid) {
		if (!sys_geteuid() && sys_setresuid(65534, 65534, 65534))
			_exit(2);
		if (sys_mkdirat(dir, "t", 0755) || sys_mkdirat(dir, "t/a", 0755) ||
		    sys_mkdirat(dir, "t/a/b", 0755) ||
		    sys_fchmodat(dir, "t/a/b", 0, 0) || sys_fchmodat(dir, "t/a", 0, 0))
			_exit(3);
		_exit(tree_remove(dir, "t", &e) ? 1 : 0);
	}
	assert_true(pid > 0);
	assert_int_equal(sys_waitid(P_PID, (id_t)pid, &si, WEXITED), 0);
	assert_int_equal(si.si_status, 0);
	assert_false(exists(dir, "t"));
}

/* Deeper than PATH_MAX, than any stack of descriptors and than recursion would like. */
static void nest(int dir, int deep)
{
	int at = sys_dup(dir, 3);

	for (int i = 0; i < deep; i++) {
		int next;

		assert_int_equal(sys_mkdirat(at, "d", 0755), 0);
		next = sys_openat(at, "d", O_PATH | O_DIRECTORY, 0);
		assert_true(next >= 0);
		close(at);
		at = next;
	}
	close(at);
}

static void depth_has_no_limit(void)
{
	_cleanup_close_ int dir = unit_top();
	struct err e = ERR_NONE;

	nest(dir, 3000);
	unit_ok(tree_remove(dir, "d", &e), &e);
	assert_false(exists(dir, "d"));
}

/* Each ".." takes as long as the way to the top of the mount. */
static void what_lies_deep_is_moved_up(void)
{
	_cleanup_close_ int dir = unit_top(), seen = sys_inotify_init(), top = -1;
	char events[4096];
	struct err e = ERR_NONE;

	nest(dir, 3000);
	top = sys_openat(dir, "d", O_RDONLY | O_DIRECTORY, 0);
	assert_int_equal(sys_mkdirat(top, "0", 0755), 0); /* its name is taken */
	unit_put(top, "0/f", "", 0644);
	assert_true(sys_inotify_add(seen, procfs_fd(top), IN_MOVED_TO) >= 0);
	unit_ok(tree_remove(dir, "d", &e), &e);
	assert_false(exists(dir, "d"));
	assert_true(sys_read(seen, events, sizeof(events)) > 0);
}

static void many_in_one_directory(void)
{
	_cleanup_close_ int dir = unit_top();
	struct err e = ERR_NONE;
	char name[32];

	assert_int_equal(sys_mkdirat(dir, "t", 0755), 0);
	for (int i = 0; i < 3000; i++) {
		snprintf(name, sizeof(name), "t/%d", i);
		if (i % 3)
			unit_put(dir, name, "", 0644);
		else
			assert_int_equal(sys_mkdirat(dir, name, 0700), 0);
	}
	unit_ok(tree_remove(dir, "t", &e), &e);
	assert_false(exists(dir, "t"));
}

static void mounts_are_not_crossed(void)
{
	_cleanup_close_ int dir = unit_top();
	struct err e = ERR_NONE;
	siginfo_t si;
	pid_t pid;

	assert_int_equal(sys_mkdirat(dir, "t", 0755), 0);
	assert_int_equal(sys_mkdirat(dir, "t/m", 0755), 0);
	assert_int_equal(sys_mkdirat(dir, "kept", 0755), 0);
	unit_put(dir, "kept/f", "", 0644);
	pid = sys_fork();
	if (!pid) {
		char from[128], to[128];

		snprintf(from, sizeof(from), "%s/kept", unit_tmpdir());
		snprintf(to, sizeof(to), "%s/t/m", unit_tmpdir());
		if (sys_unshare(CLONE_NEWUSER | CLONE_NEWNS) ||
		    sys_mount(NULL, "/", NULL, 0x4000 | 0x40000, NULL) ||
		    sys_mount(from, to, NULL, 0x1000, NULL))
			_exit(77);
		close(dir);
		dir = unit_top();
		_exit(tree_remove(dir, "t", &e) == -EBUSY || e.code == -EXDEV ? 0 : 1);
	}
	assert_true(pid > 0);
	assert_int_equal(sys_waitid(P_PID, (id_t)pid, &si, WEXITED), 0);
	if (si.si_status == 77)
		unit_skip("no user namespaces here");
	assert_int_equal(si.si_status, 0);
	assert_true(exists(dir, "kept/f"));
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "every kind of file", removes_every_kind },
		{ "nothing there is success", nothing_there_is_success },
		{ "a link goes, not its target", a_link_goes_not_its_target },
		{ "mode 0000 does not stop it", mode_0000_does_not_stop_it },
		{ "depth has no limit", depth_has_no_limit },
		{ "what lies deep is moved up", what_lies_deep_is_moved_up },
		{ "many in one directory", many_in_one_directory },
		{ "mounts are not crossed", mounts_are_not_crossed },
	};

	return unit_cases("tree", cases);
}
