#include "rootfs/store/store.h"

#include <stdio.h>

#include "base/sys/sys.h"
#include "tests/unit/unit.h"

static char path[256]; /* one test at a time */

static const char *below(const char *name)
{
	snprintf(path, sizeof(path), "%s/%s", unit_tmpdir(), name);
	return path;
}

static void made_with_its_parents(void)
{
	_cleanup_store_ struct store s = STORE_NONE;
	struct err e = ERR_NONE;
	struct stat st;

	setenv("XDG_DATA_HOME", below("a/b"), 1);
	unit_ok(store_open(&s, &e), &e);
	assert_string_equal(s.path, below("a/b/cubby"));
	assert_int_equal(sys_fstat(s.dirfd, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0700);
	assert_int_equal(sys_fstat(s.images, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0700);
	store_close(&s);
	unit_ok(store_open(&s, &e), &e); /* and opened again */
}

static void home_is_the_other_place(void)
{
	_cleanup_store_ struct store s = STORE_NONE;
	struct err e = ERR_NONE;

	unsetenv("XDG_DATA_HOME");
	setenv("HOME", unit_tmpdir(), 1);
	unit_ok(store_open(&s, &e), &e);
	assert_string_equal(s.path, below(".local/share/cubby"));
	store_close(&s);
	setenv("XDG_DATA_HOME", "relative", 1); /* is to be ignored */
	unit_ok(store_open(&s, &e), &e);
	assert_string_equal(s.path, below(".local/share/cubby"));
}

static void no_place_at_all(void)
{
	struct store s = STORE_NONE;
	struct err e = ERR_NONE;

	unsetenv("XDG_DATA_HOME");
	unsetenv("HOME");
	assert_int_equal(store_open(&s, &e), -ENOENT);
	unit_err(
		&e, -ENOENT,
		"no place for the store: neither XDG_DATA_HOME nor HOME is an absolute "
		"path; set one of them");
	assert_int_equal(s.dirfd, -1);
}

static void others_may_not_enter(void)
{
	struct store s = STORE_NONE;
	struct err e = ERR_NONE;
	char msg[600];

	setenv("XDG_DATA_HOME", unit_tmpdir(), 1);
	assert_int_equal(sys_mkdirat(AT_FDCWD, below("cubby"), 0755), 0);
	snprintf(msg, sizeof(msg),
		 "others may enter store '%s' (mode 0755); run: chmod 700 '%s'", path,
		 path);
	assert_int_equal(store_open(&s, &e), -EPERM);
	unit_err(&e, -EPERM, msg);
}

static void not_ours(void)
{
	struct store s = STORE_NONE;
	struct err e = ERR_NONE;
	char msg[600];

	if (sys_geteuid() != 0)
		unit_skip("only root can give a directory away");
	setenv("XDG_DATA_HOME", unit_tmpdir(), 1);
	assert_int_equal(sys_mkdirat(AT_FDCWD, below("cubby"), 0700), 0);
	assert_int_equal(sys_fchownat(AT_FDCWD, path, 12345, 12345, 0), 0);
	snprintf(msg, sizeof(msg),
		 "store '%s' belongs to uid 12345, not to uid 0; set XDG_DATA_HOME "
		 "(under sudo: sudo -H)",
		 path);
	assert_int_equal(store_open(&s, &e), -EPERM);
	unit_err(&e, -EPERM, msg);
}

static void a_file_in_the_way(void)
{
	struct store s = STORE_NONE;
	struct err e = ERR_NONE;
	char msg[600];

	setenv("XDG_DATA_HOME", unit_tmpdir(), 1);
	close(sys_openat(AT_FDCWD, below("cubby"), O_WRONLY | O_CREAT, 0600));
	snprintf(msg, sizeof(msg),
		 "cannot make store '%s': Not a directory; set XDG_DATA_HOME to a "
		 "directory that you can write to",
		 path);
	assert_int_equal(store_open(&s, &e), -ENOTDIR);
	unit_err(&e, -ENOTDIR, msg);
}

enum { MS_RDONLY_ = 1, MS_REMOUNT_ = 32, MS_REC_ = 0x4000, MS_PRIVATE_ = 0x40000 };

/* In a mount namespace of its own: a tmpfs, full or read-only, is the data directory. */
static int on_tmpfs(const char *options, unsigned long flags, bool make_before,
		    int want, const char *msg)
{
	struct store s = STORE_NONE;
	struct err e = ERR_NONE;
	siginfo_t si;
	pid_t pid = sys_fork();

	if (pid == 0) {
		if (sys_unshare(CLONE_NEWNS) ||
		    sys_mount(NULL, "/", NULL, MS_REC_ | MS_PRIVATE_, NULL) ||
		    sys_mount("t", unit_tmpdir(), "tmpfs", 0, options))
			_exit(77);
		setenv("XDG_DATA_HOME", unit_tmpdir(), 1);
		if (make_before && store_open(&s, &e) < 0)
			_exit(78);
		if (flags && sys_mount(NULL, unit_tmpdir(), NULL, flags, NULL))
			_exit(79);
		if (store_open(&s, &e) == want && strcmp(e.msg, msg) == 0)
			_exit(0);
		fprintf(stderr, "%d: %s\n", e.code, e.msg);
		_exit(1);
	}
	assert_int_equal(sys_waitid(P_PID, (id_t)pid, &si, WEXITED), 0);
	return si.si_status;
}

static void read_only(void)
{
	char msg[600];
	int r;

	snprintf(
		msg, sizeof(msg),
		"cannot make store '%s': Read-only file system; set XDG_DATA_HOME to a "
		"directory that you can write to",
		below("cubby"));
	r = on_tmpfs("mode=700", MS_RDONLY_ | MS_REMOUNT_, false, -EROFS, msg);
	if (r == 77)
		unit_skip("only root can mount a filesystem for this");
	assert_int_equal(r, 0);
}

static void no_space(void)
{
	char msg[600];
	int r;

	snprintf(msg, sizeof(msg), "cannot make store '%s': No space left on device",
		 below("cubby"));
	r = on_tmpfs("mode=700,nr_inodes=1", 0, false, -ENOSPC, msg);
	if (r == 77)
		unit_skip("only root can mount a filesystem for this");
	assert_int_equal(r, 0);
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "made with its parents", made_with_its_parents },
		{ "HOME is the other place", home_is_the_other_place },
		{ "no place at all", no_place_at_all },
		{ "others may not enter", others_may_not_enter },
		{ "not ours", not_ours },
		{ "a file in the way", a_file_in_the_way },
		{ "read-only", read_only },
		{ "no space", no_space },
	};

	return unit_cases("store", cases);
}
