#include "agent/task/changes.h"

#include "base/file.h"
#include "base/sys/sys.h"
#include "tests/unit/unit.h"

static void put(int dir, const char *name, const char *text, mode_t mode)
{
	struct file_data d = { .data = text, .len = strlen(text), .mode = mode };
	struct err e = ERR_NONE;

	unit_ok(file_replace(dir, name, &d, &e), &e);
}

static const struct changes_item *find(const struct changes *c, const char *path)
{
	for (size_t i = 0; i < c->n; i++)
		if (strcmp(c->items[i].path, path) == 0)
			return &c->items[i];
	fail_msg("'%s' is not among the changes", path);
	return NULL;
}

static void check(const struct changes *c, const char *path, enum changes_kind kind,
		  unsigned flags)
{
	const struct changes_item *x = find(c, path);

	assert_int_equal(x->kind, kind);
	assert_int_equal(x->flags, flags);
}

static void all_kinds(void)
{
	_cleanup_changes_snapshot_ struct changes_snapshot *before = NULL;
	_cleanup_close_ int dir = unit_top();
	_cleanup_(changes_done) struct changes c = { 0 };
	struct timespec old[2] = { { 1000, 0 }, { 1000, 0 } };
	struct err e = ERR_NONE;

	put(dir, "same", "x", 0644);
	put(dir, "edited", "x", 0644);
	put(dir, "hidden", "x", 0644);
	put(dir, "gone", "x", 0644);
	assert_int_equal(sys_utimensat(dir, "hidden", old, 0), 0);
	assert_int_equal(sys_mkdirat(dir, ".git", 0755), 0);
	assert_int_equal(sys_mkdirat(dir, "sub", 0755), 0);
	unit_ok(changes_snapshot(dir, &before, &e), &e);

	put(dir, "edited", "longer", 0644);
	put(dir, "hidden", "y", 0644); /* the same size and time: the inode tells */
	assert_int_equal(sys_utimensat(dir, "hidden", old, 0), 0);
	put(dir, "sub/new\n", "x", 0755);
	put(dir, ".git/hook", "x", 0644);
	assert_int_equal(sys_unlinkat(dir, "gone", 0), 0);
	assert_int_equal(sys_symlinkat("/etc", dir, "link"), 0);
	unit_ok(changes_since(before, dir, &c, &e), &e);

	check(&c, "edited", CHANGES_MODIFIED, 0);
	assert_int_equal(find(&c, "edited")->added, 1);
	assert_int_equal(find(&c, "edited")->removed, 1);
	assert_int_equal(find(&c, "gone")->removed, 1);
	assert_int_equal(find(&c, "sub/new\n")->added, 1);
	assert_int_equal(find(&c, ".git/hook")->added, 1);
	assert_int_equal(find(&c, "link")->added, 0);
	check(&c, "hidden", CHANGES_MODIFIED, 0);
	check(&c, "sub/new\n", CHANGES_CREATED, CHANGES_EXECUTABLE);
	check(&c, ".git/hook", CHANGES_CREATED, CHANGES_GIT);
	check(&c, "gone", CHANGES_DELETED, 0);
	check(&c, "link", CHANGES_CREATED, CHANGES_SYMLINK | CHANGES_LEAVES);
	assert_int_equal(c.n, 6);
	assert_int_equal(c.created, 3);
	assert_int_equal(c.modified, 2);
	assert_int_equal(c.deleted, 1);
	assert_false(c.incomplete);
}

/* What is no text, large, or a pipe by now is not read, nor what a link leads to. */
static void not_counted(void)
{
	_cleanup_changes_snapshot_ struct changes_snapshot *before = NULL;
	_cleanup_close_ int dir = unit_top();
	_cleanup_(changes_done) struct changes c = { 0 };
	_cleanup_free_ char *big = calloc(1, 300000);
	struct err e = ERR_NONE;

	memset(big, '\n', 299999);
	put(dir, "pipe", "x", 0644);
	put(dir, "link", "x", 0644);
	put(dir, "grows", "x", 0644);
	put(dir, "empty", "", 0644);
	put(dir, "large", big, 0644);
	unit_ok(changes_snapshot(dir, &before, &e), &e);
	assert_int_equal(sys_unlinkat(dir, "pipe", 0), 0);
	assert_int_equal(sys_mknodat(dir, "pipe", S_IFIFO | 0600, 0), 0);
	assert_int_equal(sys_unlinkat(dir, "link", 0), 0);
	assert_int_equal(sys_symlinkat("grows", dir, "link"), 0);
	put(dir, "grows", big, 0644);
	put(dir, "large", "x", 0644);
	put(dir, "empty", "1\n2\n3", 0644);
	unit_ok(changes_since(before, dir, &c, &e), &e);
	assert_int_equal(c.n, 5);
	assert_int_equal(find(&c, "empty")->added, 3);
	for (size_t i = 0; i < c.n; i++) {
		bool counted = strcmp(c.items[i].path, "empty") == 0;

		assert_int_equal(c.items[i].added, counted ? 3 : 0);
		assert_int_equal(c.items[i].removed, 0);
	}
}

/* However many names somebody makes, what acts on the host is listed, and first. */
static void acting_comes_first(void)
{
	static const struct {
		const char *path, *why;
	} want[] = {
		{ ".vscode", "an editor's settings and tasks" },
		{ ".vscode/tasks.json", "an editor's settings and tasks" },
		{ "away", "a link that points out of the project" },
		{ "script", "can be run now" },
		{ "Makefile", "runs when the project is built or tested" },
		{ "program", "a new program" },
	};
	_cleanup_changes_snapshot_ struct changes_snapshot *before = NULL;
	_cleanup_close_ int dir = unit_top();
	_cleanup_(changes_done) struct changes c = { 0 };
	struct err e = ERR_NONE;
	char name[32];

	put(dir, "script", "x", 0644);
	put(dir, ".envrc", "x", 0644);
	unit_ok(changes_snapshot(dir, &before, &e), &e);
	for (int i = 0; i < 2 * CHANGES_MAX_LISTED; i++) {
		snprintf(name, sizeof(name), "!%d", i);
		put(dir, name, "x", 0644);
	}
	assert_int_equal(sys_mkdirat(dir, ".vscode", 0755), 0);
	put(dir, ".vscode/tasks.json", "{}", 0644);
	put(dir, "Makefile", "x", 0644);
	put(dir, "program", "x", 0755);
	assert_int_equal(sys_fchmodat(dir, "script", 0755, 0), 0);
	assert_int_equal(sys_symlinkat("../outside", dir, "away"), 0);
	assert_int_equal(sys_symlinkat("program", dir, "here"), 0);
	assert_int_equal(sys_unlinkat(dir, ".envrc", 0), 0);
	unit_ok(changes_since(before, dir, &c, &e), &e);

	assert_int_equal(c.n, CHANGES_MAX_LISTED);
	for (size_t i = 0; i < ARRAY_SIZE(want); i++) {
		assert_string_equal(c.items[i].path, want[i].path);
		assert_string_equal(c.items[i].effect.why, want[i].why);
	}
	assert_null(c.items[ARRAY_SIZE(want)].effect.why);
	assert_int_equal(c.held, 4);
	assert_int_equal(c.created, 2 * CHANGES_MAX_LISTED + 6);
	assert_int_equal(c.deleted, 1);
}

static void nothing(void)
{
	_cleanup_changes_snapshot_ struct changes_snapshot *before = NULL;
	_cleanup_close_ int dir = unit_top();
	_cleanup_(changes_done) struct changes c = { 0 };
	struct err e = ERR_NONE;

	unit_ok(changes_snapshot(dir, &before, &e), &e);
	unit_ok(changes_since(before, dir, &c, &e), &e);
	assert_int_equal(c.n, 0);
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "every kind of change", all_kinds },
		{ "what is not counted", not_counted },
		{ "an empty directory", nothing },
		{ "what acts comes first", acting_comes_first },
	};

	return unit_cases("changes", cases);
}
