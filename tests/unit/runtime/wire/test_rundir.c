#include "tests/unit/unit.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/scope.h"
#include "runtime/wire/rundir.h"

static const char key[] = "k";

static void use_tmpdir(void)
{
	assert_int_equal(setenv("XDG_RUNTIME_DIR", unit_tmpdir(), 1), 0);
}

static void listen_and_connect(void)
{
	_cleanup_close_ int dir = -1, l = -1, c = -1, l2 = -1;
	struct err e = ERR_NONE;
	struct stat st;
	char path[256];

	use_tmpdir();
	assert_int_equal(rundir_find(key, &e), -ENOENT);
	dir = rundir_open(key, &e);
	unit_ok(dir, &e);
	assert_int_equal(rundir_connect(dir, &e), -ENOENT);
	l = rundir_find(key, &e);
	unit_ok(l, &e);
	close(l);
	l = rundir_bind(dir, &e);
	assert_int_equal(rundir_connect(dir, &e), -ECONNREFUSED);
	unit_ok(rundir_listen(l, &e), &e);
	unit_ok(l, &e);
	c = rundir_connect(dir, &e);
	unit_ok(c, &e);
	assert_int_equal(fstatat(dir, "ctl", &st, 0), 0);
	assert_int_equal(st.st_mode & 07777, 0600);
	assert_int_equal(fstat(dir, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0700);
	close(l);
	l = -1;
	assert_int_equal(rundir_connect(dir, &e), -ECONNREFUSED);
	l2 = rundir_bind(dir, &e); /* over the dead socket */
	unit_ok(rundir_listen(l2, &e), &e);
	unit_ok(l2, &e);
	rundir_remove(key);
	snprintf(path, sizeof(path), "%s/cubby/%s", unit_tmpdir(), key);
	assert_int_equal(access(path, F_OK), -1);
	rundir_remove(key); /* twice is harmless */
}

static void others_may_not_enter(void)
{
	struct err e = ERR_NONE;
	char path[256], want[512];

	use_tmpdir();
	snprintf(path, sizeof(path), "%s/cubby", unit_tmpdir());
	assert_int_equal(mkdir(path, 0755), 0);
	assert_int_equal(chmod(path, 0755), 0);
	assert_int_equal(rundir_open(key, &e), -EPERM);
	snprintf(want, sizeof(want),
		 "'cubby' belongs to somebody else or others may enter it; set "
		 "XDG_RUNTIME_DIR to a directory of your own");
	unit_err(&e, -EPERM, want);
}

static void a_link_is_not_followed(void)
{
	struct err e = ERR_NONE;
	char path[256];

	use_tmpdir();
	snprintf(path, sizeof(path), "%s/cubby", unit_tmpdir());
	assert_int_equal(symlink("/tmp", path), 0);
	assert_true(rundir_open(key, &e) < 0);
	unit_err(&e, -ENOTDIR,
		 "cannot open runtime directory 'cubby': Not a directory; set "
		 "XDG_RUNTIME_DIR to a directory of your own");
	assert_int_equal(unlink(path), 0);
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "listen and connect", listen_and_connect },
		{ "others may not enter", others_may_not_enter },
		{ "a link is not followed", a_link_is_not_followed },
	};

	return unit_cases("rundir", cases);
}
