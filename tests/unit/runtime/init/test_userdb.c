#include "tests/unit/unit.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/scope.h"
#include "runtime/init/userdb.h"

static const char passwd[] = "root:x:0:0:root:/root:/bin/bash\n"
			     "daemon:x:1:1::/usr/sbin:/usr/sbin/nologin\n"
			     "broken\n"
			     "negative:x:-5:7::/x:/bin/sh\n"
			     "huge:x:4294967296:1::/x:/bin/sh\n"
			     "::::::\n"
			     "nohome:x:50:60:::\n"
			     "app:x:1000:1000:App,,,:/home/app:/bin/zsh\n"
			     "1234:x:77:77::/digits:/bin/sh\n"
			     "last:x:99:99::/last:/bin/last";
static const char group[] = "root:x:0:\n"
			    "adm:x:4:app,daemon\n"
			    "sudo:x:27:apple,app\n"
			    "none:x:28:apple\n"
			    "app:x:1000:app\n";

static int make_root(const char *pw, const char *gr)
{
	int root = unit_top();
	int fd;

	assert_int_equal(mkdirat(root, "etc", 0755), 0);
	if (pw) {
		fd = openat(root, "etc/passwd", O_CREAT | O_WRONLY | O_CLOEXEC, 0644);
		assert_int_equal(write(fd, pw, strlen(pw)), strlen(pw));
		close(fd);
	}
	if (gr) {
		fd = openat(root, "etc/group", O_CREAT | O_WRONLY | O_CLOEXEC, 0644);
		assert_int_equal(write(fd, gr, strlen(gr)), strlen(gr));
		close(fd);
	}
	return root;
}

/* clang-format off */
static const struct row {
	const char *name, *spec;
	int want;
	uid_t uid;
	gid_t gid;
	const char *user, *home; /* or the message */
} rows[] = {
	{ "root", "root", 0, 0, 0, "root", "/root" },
	{ "0 is root", "0", 0, 0, 0, "root", "/root" },
	{ "a name", "app", 0, 1000, 1000, "app", "/home/app" },
	{ "a known number", "1", 0, 1, 1, "daemon", "/usr/sbin" },
	{ "an unknown number", "4242", 0, 4242, 0, "4242", "/" },
	{ "uid:gid", "1:2", 0, 1, 2, "daemon", "/usr/sbin" },
	{ "name:group", "app:adm", 0, 1000, 4, "app", "/home/app" },
	{ "digits are a number, never a name", "1234", 0, 1234, 0, "1234", "/" },
	{ "no home", "nohome", 0, 50, 60, "nohome", "/" },
	{ "last line without newline", "last", 0, 99, 99, "last", "/last" },
	{ "the largest id", "4294967294", 0, 4294967294, 0, "4294967294", "/" },
	{ "the id that means none", "4294967295", -EINVAL, 0, 0,
	  "bad user '4294967295'; say NAME, UID, NAME:GROUP or UID:GID", NULL },
	{ "too large", "4294967296", -EINVAL, 0, 0,
	  "bad user '4294967296'; say NAME, UID, NAME:GROUP or UID:GID", NULL },
	{ "plus", "+1", -EINVAL, 0, 0,
	  "bad user '+1'; say NAME, UID, NAME:GROUP or UID:GID", NULL },
	{ "minus", "-1", -EINVAL, 0, 0,
	  "bad user '-1'; say NAME, UID, NAME:GROUP or UID:GID", NULL },
	{ "empty", "", -EINVAL, 0, 0,
	  "bad user ''; say NAME, UID, NAME:GROUP or UID:GID", NULL },
	{ "empty group", "1:", -EINVAL, 0, 0,
	  "bad user '1:'; say NAME, UID, NAME:GROUP or UID:GID", NULL },
	{ "empty user", ":1", -EINVAL, 0, 0,
	  "bad user ':1'; say NAME, UID, NAME:GROUP or UID:GID", NULL },
	{ "unknown name", "nobody2", -EINVAL, 0, 0, "no user 'nobody2' in the box; a number needs no account", NULL },
	{ "unknown group", "app:nogroup2", -EINVAL, 0, 0, "no group 'nogroup2' in the box",
	  NULL },
	{ "a negative id in the file is no user", "negative", -EINVAL, 0, 0,
	  "no user 'negative' in the box; a number needs no account", NULL },
	{ "an id that overflows is no user", "huge", -EINVAL, 0, 0,
	  "no user 'huge' in the box; a number needs no account", NULL },
	{ "escapes in the message", "a\x1b[2J", -EINVAL, 0, 0,
	  "no user 'a\\x1b[2J' in the box; a number needs no account", NULL },
};
/* clang-format on */

static void test_find(const void *p)
{
	const struct row *row = p;
	_cleanup_close_ int root = make_root(passwd, group);
	struct userdb_user u = { 0 };
	struct err e = ERR_NONE;
	int r = userdb_find(root, row->spec, &u, &e);

	if (row->want) {
		assert_int_equal(r, row->want);
		unit_err(&e, row->want, row->user);
		return;
	}
	unit_ok(r, &e);
	assert_int_equal(u.uid, row->uid);
	assert_int_equal(u.gid, row->gid);
	assert_string_equal(u.name, row->user);
	assert_string_equal(u.home, row->home);
}

static void memberships(void)
{
	_cleanup_close_ int root = make_root(passwd, group);
	struct userdb_user u = { 0 };
	struct err e = ERR_NONE;

	unit_ok(userdb_find(root, "app", &u, &e), &e);
	assert_int_equal(u.n_groups, 2);
	assert_int_equal(u.groups[0], 4);
	assert_int_equal(u.groups[1], 27);
	unit_ok(userdb_find(root, "app:27", &u, &e), &e);
	assert_int_equal(u.gid, 27);
	assert_int_equal(u.n_groups, 0);
}

static void no_passwd_knows_numbers(void)
{
	_cleanup_close_ int root = make_root(NULL, NULL);
	struct userdb_user u = { 0 };
	struct err e = ERR_NONE;

	unit_ok(userdb_find(root, "5:6", &u, &e), &e);
	assert_int_equal(u.uid, 5);
	assert_int_equal(u.gid, 6);
	assert_int_equal(userdb_find(root, "root", &u, &e), -EINVAL);
}

/* Both files of the host were written long ago. */
static void old_files_are_read_once(void)
{
	_cleanup_close_ int root = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	struct userdb_last last = { .spec = "" };
	const struct userdb_user *u = NULL;
	struct err e = ERR_NONE;

	unit_ok(userdb_again(root, "0", &last, &u, &e), &e);
	assert_string_equal(u->name, "root");
	assert_true(last.passwd.settled && last.group.settled);
	strcpy(last.user.name, "kept");
	unit_ok(userdb_again(root, "0", &last, &u, &e), &e);
	assert_string_equal(u->name, "kept");

	unit_ok(userdb_again(root, "root", &last, &u, &e), &e); /* another question */
	assert_string_equal(u->name, "root");
	assert_true(userdb_again(root, "no-such-user", &last, &u, &e) < 0);
	unit_ok(userdb_again(root, "root", &last, &u, &e), &e);
	assert_string_equal(u->name, "root");
}

/* What a stamp says, one member at a time. */
static void other_files_are_read_again(void)
{
	_cleanup_close_ int root = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);

	for (int i = 0; i < 10; i++) {
		struct userdb_last last = { .spec = "" };
		struct userdb_stamp *was = i & 1 ? &last.passwd : &last.group;
		const struct userdb_user *u = NULL;
		struct err e = ERR_NONE;

		unit_ok(userdb_again(root, "0", &last, &u, &e), &e);
		strcpy(last.user.name, "kept");
		was->settled = i / 2 != 0;
		was->ino += i / 2 == 1;
		was->size += i / 2 == 2;
		was->changed.tv_nsec += i / 2 == 3;
		was->dev += i / 2 == 4;
		unit_ok(userdb_again(root, "0", &last, &u, &e), &e);
		assert_string_equal(u->name, "root");
	}
}

static void files_just_written_are_read_again(void)
{
	_cleanup_close_ int root = make_root(passwd, group);
	struct userdb_last last = { .spec = "" };
	const struct userdb_user *u = NULL;
	struct err e = ERR_NONE;

	unit_ok(userdb_again(root, "app", &last, &u, &e), &e);
	assert_false(last.passwd.settled || last.group.settled);
	assert_int_equal(u->uid, 1000);
	assert_int_equal(unlinkat(root, "etc/passwd", 0), 0);
	assert_true(userdb_again(root, "app", &last, &u, &e) < 0);
}

static void a_fifo_is_refused_at_once(void)
{
	_cleanup_close_ int root = make_root(NULL, group);
	struct userdb_user u = { 0 };
	struct err e = ERR_NONE;

	assert_int_equal(mkfifoat(root, "etc/passwd", 0644), 0);
	assert_int_equal(userdb_find(root, "root", &u, &e), -EINVAL);
	unit_err(&e, -EINVAL, "'/etc/passwd' of the box is not a regular file");
}

static void a_number_needs_no_file(void)
{
	_cleanup_close_ int root = make_root(NULL, NULL);
	struct userdb_user u = { 0 };
	struct err e = ERR_NONE;

	assert_int_equal(mkdirat(root, "etc/passwd", 0755), 0);
	assert_int_equal(mkfifoat(root, "etc/group", 0644), 0);
	unit_ok(userdb_find(root, "0", &u, &e), &e);
	assert_int_equal(u.uid + u.gid, 0);
	assert_string_equal(u.home, "/root");
	assert_int_equal(u.n_groups, 0);
	unit_ok(userdb_find(root, "7:8", &u, &e), &e);
	assert_int_equal(u.uid, 7);
	assert_int_equal(u.gid, 8);
	assert_string_equal(u.home, "/");
	assert_int_equal(userdb_find(root, "0:adm", &u, &e), -EINVAL);
	unit_err(&e, -EINVAL, "'/etc/group' of the box is not a regular file");
}

static void a_huge_file_is_refused(void)
{
	_cleanup_close_ int root = make_root(passwd, NULL);
	_cleanup_close_ int fd =
		openat(root, "etc/group", O_CREAT | O_WRONLY | O_CLOEXEC, 0644);
	struct userdb_user u = { 0 };
	struct err e = ERR_NONE;

	assert_int_equal(ftruncate(fd, 1 << 30), 0);
	assert_int_equal(userdb_find(root, "root", &u, &e), -EFBIG);
	unit_err(&e, -EFBIG, "'/etc/group' of the box is larger than 1048576 bytes");
}

static void a_link_stays_inside(void)
{
	_cleanup_close_ int root = make_root(NULL, NULL);
	struct userdb_user u = { 0 };
	struct err e = ERR_NONE;

	assert_int_equal(symlinkat("../../../../etc/passwd", root, "etc/passwd"), 0);
	assert_int_equal(userdb_find(root, "root", &u, &e), -ELOOP);
}

static void very_many_groups_are_bounded(void)
{
	static char many[USERDB_FILE];
	_cleanup_close_ int root = -1;
	struct userdb_user u = { 0 };
	struct err e = ERR_NONE;
	size_t at = 0;

	for (int i = 1; i < 20000; i++)
		at += (size_t)snprintf(many + at, sizeof(many) - at, "g%d:x:%d:app\n",
				       i, i);
	root = make_root(passwd, many);
	unit_ok(userdb_find(root, "app", &u, &e), &e);
	assert_int_equal(u.n_groups, USERDB_GROUPS);
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "memberships", memberships },
		{ "old files are read once", old_files_are_read_once },
		{ "other files are read again", other_files_are_read_again },
		{ "files just written are read again",
		  files_just_written_are_read_again },
		{ "no passwd knows numbers", no_passwd_knows_numbers },
		{ "a FIFO is refused at once", a_fifo_is_refused_at_once },
		{ "a number needs no file", a_number_needs_no_file },
		{ "a huge file is refused", a_huge_file_is_refused },
		{ "a link stays inside", a_link_stays_inside },
		{ "very many groups are bounded", very_many_groups_are_bounded },
	};

	return unit_rows("userdb_find", rows, test_find) + unit_cases("userdb", cases);
}
