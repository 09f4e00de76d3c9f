#include "tests/unit/unit.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/scope.h"
#include "rootfs/store/hardlinks.h"

/* TMP/project is the tree, TMP/store is elsewhere. */
static int open_dir(const char *name)
{
	char path[4096];

	snprintf(path, sizeof(path), "%s/%s", unit_tmpdir(), name);
	(void)mkdir(path, 0755);
	return open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

static void link_into(int from, const char *a, int to, const char *b)
{
	assert_int_equal(linkat(from, a, to, b, 0), 0);
}

static struct stat stat_of(int dir, const char *name)
{
	struct stat st;

	assert_int_equal(fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW), 0);
	return st;
}

static void has_text(int dir, const char *name, const char *want)
{
	_cleanup_close_ int fd = openat(dir, name, O_RDONLY | O_CLOEXEC);
	char text[64] = { 0 };

	assert_true(read(fd, text, sizeof(text) - 1) >= 0);
	assert_string_equal(text, want);
}

static void breaks_what_leads_out(void)
{
	_cleanup_close_ int p = open_dir("project"), store = open_dir("store");
	const struct timespec old[2] = { { 1000, 5 }, { 2000, 500 } };
	struct stat before, after, twin;
	struct hardlinks h = { 0 };
	struct err e = ERR_NONE;

	unit_put(store, "a", "from the store", 0640);
	assert_int_equal(utimensat(store, "a", old, 0), 0);
	assert_int_equal(mkdirat(p, "deep", 0755), 0);
	link_into(store, "a", p, "a");
	link_into(store, "a", p, "deep/b");
	unit_put(p, "own", "own", 0644);
	link_into(p, "own", p, "deep/own");
	unit_put(p, "single", "single", 0644);
	assert_int_equal(symlinkat("a", p, "link"), 0);
	unit_put(p, ".cubby-unlink-0123456789abcdef", "left", 0600);
	before = stat_of(p, "a");
	twin = stat_of(p, "own");

	unit_ok(hardlinks_find(p, false, &h, &e), &e);
	assert_int_equal(h.files, 1);
	assert_string_equal(h.path, "a");
	unit_ok(hardlinks_break(p, false, &h, &e), &e);
	assert_int_equal(h.files, 1);
	assert_int_equal(h.kept, 0);
	assert_int_equal(h.bytes, 14);
	assert_false(h.incomplete);

	after = stat_of(p, "a");
	assert_int_not_equal(after.st_ino, before.st_ino);
	assert_int_equal(after.st_nlink, 2);
	assert_int_equal(after.st_ino, stat_of(p, "deep/b").st_ino);
	assert_int_equal(after.st_mode, before.st_mode);
	assert_int_equal(after.st_uid, before.st_uid);
	assert_int_equal(after.st_mtim.tv_sec, 2000);
	assert_int_equal(after.st_mtim.tv_nsec, 500);
	has_text(p, "a", "from the store");
	has_text(store, "a", "from the store");
	assert_int_equal(stat_of(store, "a").st_nlink, 1);
	assert_int_equal(stat_of(p, "own").st_ino, twin.st_ino);
	assert_int_equal(faccessat(p, ".cubby-unlink-0123456789abcdef", F_OK, 0), -1);
	unit_ok(hardlinks_find(p, false, &h, &e), &e);
	assert_int_equal(h.files, 0);
}

static void keeps_attributes(void)
{
	_cleanup_close_ int p = open_dir("project"), store = open_dir("store"), fd = -1;
	struct hardlinks h = { 0 };
	struct err e = ERR_NONE;
	char value[8] = { 0 };

	unit_put(store, "a", "x", 0600);
	fd = openat(store, "a", O_RDONLY | O_CLOEXEC);
	if (fsetxattr(fd, "user.cubby", "kept", 4, 0) < 0)
		unit_skip("no user attributes on this filesystem");
	assert_int_equal(fchmod(fd, 04751), 0);
	if (getuid() == 0)
		assert_int_equal(fchown(fd, 12, 34), 0);
	assert_int_equal(fchmod(fd, 04751), 0);
	link_into(store, "a", p, "a");
	unit_ok(hardlinks_break(p, false, &h, &e), &e);
	assert_int_equal(h.kept, 0);
	scope_close(&fd);
	fd = openat(p, "a", O_RDONLY | O_CLOEXEC);
	assert_int_equal(fgetxattr(fd, "user.cubby", value, sizeof(value)), 4);
	assert_string_equal(value, "kept");
	assert_int_equal(stat_of(p, "a").st_mode & 07777, 04751);
	assert_int_equal(stat_of(p, "a").st_nlink, 1);
	assert_int_equal(stat_of(p, "a").st_gid, stat_of(store, "a").st_gid);
	assert_int_equal(stat_of(p, "a").st_uid, stat_of(store, "a").st_uid);
}

static void git_is_told(void)
{
	_cleanup_close_ int p = open_dir("project"), store = open_dir("store");
	struct hardlinks h = { 0 };
	struct err e = ERR_NONE;

	assert_int_equal(mkdirat(p, ".git", 0755), 0);
	unit_put(store, "a", "x", 0444);
	link_into(store, "a", p, ".git/a");
	assert_false(hardlinks_likely(p));
	unit_ok(hardlinks_find(p, false, &h, &e), &e);
	assert_int_equal(h.files, 0);
	unit_ok(hardlinks_find(p, true, &h, &e), &e);
	assert_int_equal(h.files, 1);
	unit_ok(hardlinks_break(p, true, &h, &e), &e);
	assert_int_equal(stat_of(store, "a").st_nlink, 1);
}

static void likely_places(void)
{
	_cleanup_close_ int p = open_dir("project"), store = open_dir("store");
	char name[32];

	unit_put(store, "a", "x", 0644);
	for (int i = 0; i < 200; i++) { /* more than it looks at */
		snprintf(name, sizeof(name), "f%d", i);
		unit_put(p, name, "", 0644);
	}
	assert_false(hardlinks_likely(p));
	assert_int_equal(mkdirat(p, ".venv", 0755), 0);
	assert_int_equal(mkdirat(p, ".venv/lib", 0755), 0);
	assert_int_equal(symlinkat("../store", p, "node_modules"), 0);
	assert_false(hardlinks_likely(p));
	link_into(store, "a", p, ".venv/lib/a");
	assert_true(hardlinks_likely(p));
}

/* Many names and files, and not a trace of the work. */
static void many(void)
{
	_cleanup_close_ int p = open_dir("project"), store = open_dir("store");
	struct hardlinks h = { 0 };
	struct err e = ERR_NONE;
	char name[32], twin[32];

	for (int i = 0; i < 300; i++) {
		snprintf(name, sizeof(name), "f%d", i);
		snprintf(twin, sizeof(twin), "g%d", i);
		unit_put(store, name, name, 0644);
		link_into(store, name, p, name);
		link_into(store, name, p, twin);
	}
	unit_ok(hardlinks_break(p, false, &h, &e), &e);
	assert_int_equal(h.files, 300);
	for (int i = 0; i < 300; i++) {
		snprintf(name, sizeof(name), "f%d", i);
		snprintf(twin, sizeof(twin), "g%d", i);
		has_text(p, twin, name);
		assert_int_equal(stat_of(p, name).st_nlink, 2);
		assert_int_equal(stat_of(p, name).st_ino, stat_of(p, twin).st_ino);
		assert_int_equal(stat_of(store, name).st_nlink, 1);
	}
}

static void one_name(void)
{
	_cleanup_close_ int p = open_dir("one");
	ino_t before;

	unit_put(p, "a", "text", 0750);
	before = stat_of(p, "a").st_ino;
	assert_int_equal(hardlinks_break_one(p, "a"), 0);
	assert_int_equal(stat_of(p, "a").st_ino, before);
	link_into(p, "a", p, "b");
	assert_int_equal(symlinkat("b", p, "link"), 0);
	assert_int_equal(hardlinks_break_one(p, "link"), 0);
	assert_int_equal(stat_of(p, "b").st_nlink, 2);
	assert_int_equal(hardlinks_break_one(p, "a"), 0);
	assert_int_equal(stat_of(p, "b").st_ino, before);
	assert_int_not_equal(stat_of(p, "a").st_ino, before);
	assert_int_equal(stat_of(p, "a").st_mode, S_IFREG | 0750);
	has_text(p, "a", "text");
	assert_int_equal(hardlinks_break_one(p, "none"), -ENOENT);
}

/* A box makes them as deep and as many as it likes: the memory for them has a limit. */
static void long_paths(void)
{
	enum { DEEP = 14, NAMES = 25000, KIB_MOST = 100 << 10 };
	_cleanup_close_ int p = open_dir("long");
	char part[251] = "", name[64];
	int at = dup(p), next;
	struct hardlinks h = { 0 };
	struct err e = ERR_NONE;
	struct rusage before, after;

	memset(part, 'x', sizeof(part) - 1);
	for (int i = 0; i < DEEP; i++, at = next) {
		assert_int_equal(mkdirat(at, part, 0755), 0);
		next = openat(at, part, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		close(at);
	}
	unit_put(at, "a", "text", 0644);
	for (int i = 0; i < NAMES; i++) {
		snprintf(name, sizeof(name), "%d", i);
		link_into(at, "a", at, name);
	}
	close(at);
	getrusage(RUSAGE_SELF, &before);
	assert_int_equal(hardlinks_find(p, false, &h, &e), 0);
	getrusage(RUSAGE_SELF, &after);
	assert_true(h.incomplete);
	assert_true(after.ru_maxrss - before.ru_maxrss < KIB_MOST);
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "one name, wherever the others are", one_name },
		{ "breaks what leads out, keeps the rest", breaks_what_leads_out },
		{ "keeps attributes", keeps_attributes },
		{ "git's own only when told", git_is_told },
		{ "likely places, links not followed", likely_places },
		{ "many", many },
		{ "long paths", long_paths },
	};

	return unit_cases("hardlinks", cases);
}
