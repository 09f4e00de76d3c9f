#include "runtime/box/project_dir.h"

#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "tests/unit/unit.h"

/* A host of its own: $T stands for the test's directory. */
static const char *const made[] = {
	"home/u/project",
	"home/u/.ssh/keys",
	"home/u/.config/nvim/.git",
	"home/u/.cache/x/.git",
	"home/u/.cache/y/z",
	"home/u/.cache/x/deep/er",
	"home/u/.local/src/new",
	"home/u/.local/share/x",
	"home/u/.ci/builds/a/b/.git",
	"home/u/.ci/builds/c",
	"home/u/.ci/.git",
	"home/u/.cache/pre-commit/r/.git",
	"home/u/.Project",
	"home/other/work",
	"home/other/.mozilla/x",
	"data/cubby/boxes/k",
	"run/cubby/k",
	"run/x",
	"srv/x",
	"accounts/deep/svc/app",
	"lone/.gnupg/private",
	"agent/inner",
};

static char host[PATH_MAX];

static void make_host(void)
{
	_cleanup_buf_ struct buf passwd = BUF_INIT(4096);
	struct err e = ERR_NONE;
	char path[2 * PATH_MAX];

	assert_non_null(realpath(unit_tmpdir(), host));
	for (size_t i = 0; i < ARRAY_SIZE(made); i++) {
		snprintf(path, sizeof(path), "%s/%s", host, made[i]);
		unit_ok(file_mkdirs(AT_FDCWD, path, 0755, &e), &e);
	}
	snprintf(path, sizeof(path), "%s/home/u", host);
	setenv("HOME", path, 1);
	snprintf(path, sizeof(path), "%s/run", host);
	setenv("XDG_RUNTIME_DIR", path, 1);
	snprintf(path, sizeof(path), "%s/agent/inner/socket", host);
	setenv("SSH_AUTH_SOCK", path, 1);
	unit_ok(file_mkdirs(AT_FDCWD, path, 0755, &e), &e);
	unsetenv("TMUX");
	snprintf(path, sizeof(path), "%s/link", host);
	assert_int_equal(symlink("home/other", path), 0);
	snprintf(path, sizeof(path), "%s/passwd", host);
	assert_int_equal(buf_addf(&passwd,
				  "root:x:0:0::/:/bin/sh\nshort:line\n"
				  "other:x:1:1::%s/link:/bin/sh\n"
				  "svc:x:2:2:,,,:%s/accounts/deep/svc:/bin/false\n",
				  host, host),
			 0);
	unit_ok(file_replace(AT_FDCWD, path,
			     &(struct file_data){ passwd.data, passwd.len, 0644 }, &e),
		&e);
}

static int check(const char *dir, bool home, bool any, struct err *e)
{
	char path[2 * PATH_MAX], store[2 * PATH_MAX], passwd[2 * PATH_MAX];
	struct project_dir d = { .path = path,
				 .store = store,
				 .passwd = passwd,
				 .allow_home = home,
				 .any = any };

	snprintf(path, sizeof(path), "%s%s", *dir == '/' ? "" : host,
		 *dir == '/' ? dir : dir + 2);
	snprintf(store, sizeof(store), "%s/data/cubby", host);
	snprintf(passwd, sizeof(passwd), "%s/passwd", host);
	return project_dir_check(&d, e);
}

static const struct row {
	const char *name; /* the directory: absolute, or "$T/…" */
	const char *why;  /* part of the message; NULL = it may be a project */
	bool never;	  /* whatever is permitted */
} rows[] = {
	{ "/", "the root directory cannot be a project", true },
	{ "/proc", "it is '/proc', the kernel's", true },
	{ "/proc/self", "it lies in '/proc', the kernel's", true },
	{ "/dev/shm", "it lies in '/dev', the kernel's", true },
	{ "/etc", "it is '/etc', a system directory", false },
	{ "/etc/ssl", "it lies in '/etc', a system directory", false },
	{ "/usr", "it is '/usr', a system directory", false },
	{ "/usr/local", "it is '/usr/local', a system directory", false },
	{ "/usr/bin", "it is '/", false }, /* "/bin", where that is a link to it */
	{ "/var", "it is '/var', a system directory", false },
	{ "/var/lib/dpkg/info", "it lies in '/var/lib/dpkg'", false },
	{ "/home", "it is '/home', the directory of homes", false },
	{ "/tmp", "it is '/tmp', a directory that programs share", false },
	{ "/var/tmp", "it is '/var/tmp', a directory that programs share", false },
	{ "/run", "it is '/run', a runtime directory", false },
	{ "/run/lock", "it lies in '/run', a runtime directory", false },
	{ "$T/home/u",
	  "your home directory; run cubby in a directory of its own, or "
	  "say --allow-home",
	  false },
	{ "$T/home", "it contains '", false },
	{ "$T/home/other", "link', a home directory", false },
	{ "$T/accounts", "it contains '", false },
	{ "$T/accounts/deep", "it contains '", false },
	{ "$T/accounts/deep/svc", "svc', a home directory", false },
	{ "$T/home/u/.ssh", "/home/u/.ssh', which is private to a home", false },
	{ "$T/home/u/.ssh/keys", "/home/u/.ssh', which is private to a home", false },
	{ "$T/home/u/.config/nvim", "/home/u/.config', which is private", false },
	{ "$T/home/u/.cache", "/home/u/.cache', which is private", false },
	{ "$T/home/u/.cache/y/z", "/home/u/.cache', which is private", false },
	{ "$T/home/u/.cache/pre-commit/r", "/home/u/.cache', which is private", false },
	{ "$T/home/u/.local/src", "/home/u/.local', which is private", false },
	{ "$T/home/u/.local/share/x", "/home/u/.local', which is private", false },
	{ "$T/home/u/.ci", "/home/u/.ci', which is private", false },
	{ "$T/home/u/.ci/builds", "/home/u/.ci', which is private", false },
	{ "$T/home/u/.ci/builds/c", "/home/u/.ci', which is private", false },
	{ "$T/home/other/.mozilla/x", "/home/other/.mozilla', which is private",
	  false },
	{ "$T/lone/.gnupg/private", "a directory of keys", false },
	{ "$T/data", "it contains '", false },
	{ "$T/data/cubby",
	  "the store of the boxes; run cubby in a directory of its own", true },
	{ "$T/data/cubby/boxes/k", "the store of the boxes", true },
	{ "$T/run", "where the boxes' sockets are", false },
	{ "$T/run/x", "a runtime directory", false },
	{ "$T/run/cubby", "where the boxes' sockets are", true },
	{ "$T/run/cubby/k", "where the boxes' sockets are", true },
	{ "$T/agent", "a socket of yours", false },
	{ "$T/agent/inner", "a socket of yours", false },
	{ "$T/home/u/project", NULL, false },
	{ "$T/home/u/.cache/x", NULL, false },
	{ "$T/home/u/.cache/x/deep/er", NULL, false },
	{ "$T/home/u/.local/src/new", NULL, false },
	{ "$T/home/u/.ci/builds/a/b", NULL, false },
	{ "$T/home/other/work", NULL, false },
	{ "$T/accounts/deep/svc/app", NULL, false },
	{ "$T/srv/x", NULL, false },
	/* names alone are enough here, whether they are there or not */
	{ "/root/project", NULL, false },
	{ "/var/lib/ci/builds/x", NULL, false },
	{ "/var/www/x", NULL, false },
	{ "/opt/x", NULL, false },
	{ "/builds/x", NULL, false },
	{ "/github/workspace", NULL, false },
	{ "/usr/src/app", NULL, false },
	{ "/tmp/x", NULL, false },
	{ "/mnt", NULL, false },
};

static void test_row(const void *p)
{
	const struct row *row = p;
	struct err e = ERR_NONE;
	int r;

	make_host();
	if (*row->name == '/' && row->why && access(row->name, F_OK) < 0)
		unit_skip("this host has no such directory");
	r = check(row->name, false, false, &e);
	if (!row->why) {
		unit_ok(r, &e);
		return;
	}
	assert_int_equal(r, -EPERM);
	if (!strstr(e.msg, row->why))
		fail_msg("%s", e.msg);
	assert_null(strchr(e.msg, '\n'));
	assert_int_equal(!strstr(e.msg, "say --"), row->never);
	e = ERR_NONE;
	r = check(row->name, false, true, &e);
	assert_int_equal(r, row->never ? -EPERM : 0);
}

static void home_by_its_own_word(void)
{
	struct err e = ERR_NONE;

	make_host();
	unit_ok(check("$T/home/u", true, false, &e), &e);
	assert_int_equal(check("$T/home/other", true, false, &e), -EPERM);
	assert_int_equal(check("$T/home/u/.ssh", true, false, &e), -EPERM);
	assert_int_equal(check("$T/home", true, false, &e), -EPERM);
}

static void bind(const char *from, const char *to)
{
	char a[2 * PATH_MAX], b[2 * PATH_MAX];

	snprintf(a, sizeof(a), "%s/%s", host, from);
	snprintf(b, sizeof(b), "%s/%s", host, to);
	assert_int_equal(mkdir(b, 0755), 0);
	assert_int_equal(mount(a, b, NULL, MS_BIND, NULL), 0);
}

static void bind_mounts(void)
{
	struct err e = ERR_NONE;

	make_host();
	if (unshare(CLONE_NEWNS) < 0 ||
	    mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0)
		unit_skip("no mount namespace of its own: not root");
	bind("home/u/.ssh", "keys");
	bind("home/u/.ssh/keys", "inside");
	bind("data/cubby/boxes/k", "box");
	bind("srv", "served");
	assert_int_equal(check("$T/keys", false, false, &e), -EPERM);
	assert_int_equal(check("$T/inside", false, false, &e), -EPERM);
	assert_non_null(
		strstr(e.msg, "/inside' is not shared with a box: it lies in '"));
	assert_non_null(strstr(e.msg, "/home/u/.ssh', which is private"));
	assert_int_equal(check("$T/box", false, true, &e), -EPERM);
	e = ERR_NONE;
	unit_ok(check("$T/served", false, false, &e), &e);
	unit_ok(check("$T/served/x", false, false, &e), &e);
	for (const char *const *m =
		     (const char *const[]){ "keys", "inside", "box", "served", NULL };
	     *m; m++) {
		char path[2 * PATH_MAX];

		snprintf(path, sizeof(path), "%s/%s", host, *m);
		assert_int_equal(umount2(path, MNT_DETACH), 0);
	}
}

static void tmux_and_shared_runtime(void)
{
	struct err e = ERR_NONE;
	char path[2 * PATH_MAX];

	make_host();
	snprintf(path, sizeof(path), "%s/agent/inner,77,0", host);
	setenv("TMUX", path, 1);
	unsetenv("SSH_AUTH_SOCK");
	assert_int_equal(check("$T/agent", false, false, &e), -EPERM);
	e = ERR_NONE;
	unit_ok(check("$T/agent/inner/socket", false, false, &e), &e);
	/* A runtime directory that everybody shares is no private place. */
	snprintf(path, sizeof(path), "%s/run", host);
	assert_int_equal(chmod(path, 01777), 0);
	unit_ok(check("$T/run/x", false, false, &e), &e);
	assert_int_equal(check("$T/run", false, false, &e), -EPERM);
	assert_int_equal(check("$T/run/cubby", false, true, &e), -EPERM);
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "home by its own word", home_by_its_own_word },
		{ "tmux and shared runtime", tmux_and_shared_runtime },
		{ "bind mounts", bind_mounts },
	};

	return unit_rows("project_dir_check", rows, test_row) +
	       unit_cases("project_dir", cases);
}
