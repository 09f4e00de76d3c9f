#include "rootfs/git/vet.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/scope.h"
#include "base/sys/sys.h"
#include "tests/unit/unit.h"

static const struct row {
	const char *name, *path, *text;
	bool want;
} rows[] = {
	{ "submodule", "sm/.git", "gitdir: ../.git/modules/sm\n", true },
	{ "worktree", "wt/.git", "gitdir: /p/.git/worktrees/wt\n", true },
	{ "deep", "a/b/.git", "gitdir: ../../.git/modules/b\n", true },
	{ "another directory", "sm/.git", "gitdir: ../fake\n", false },
	{ "a name that begins alike", "sm/.git", "gitdir: ../.gitx/y\n", false },
	{ "outside", "sm/.git", "gitdir: ../../x/.git\n", false },
	{ "absolute outside", "sm/.git", "gitdir: /etc\n", false },
	{ "through a link", "sm/.git", "gitdir: ../link/../.git/x\n", false },
	{ "up again", "sm/.git", "gitdir: ../.git/../fake\n", false },
	{ "absolute and up", "sm/.git", "gitdir: /p/.git/../fake\n", false },
	{ "no link", "sm/.git", "hello\n", false },
};

static void test_row(const void *p)
{
	static const char *const guarded[] = { ".git", NULL };
	const struct row *row = p;
	struct git_vet v = { .root = "/p", .path = row->path, .guarded = guarded };

	assert_int_equal(git_vet_link(&v, row->text, strlen(row->text)), row->want);
}

static void aside(void)
{
	_cleanup_close_ int dir = unit_top();
	struct git_vet v = { .project = dir, .root = unit_tmpdir(), .path = "a/.git" };
	struct err e = ERR_NONE;
	char to[PATH_MAX];

	assert_int_equal(sys_mkdirat(dir, "a", 0700), 0);
	assert_int_equal(sys_mkdirat(dir, "a/.git", 0700), 0);
	assert_null(git_vet_look(&v));
	assert_int_equal(sys_mkdirat(dir, "a/.git/modules", 0700), 0);
	assert_string_equal(git_vet_look(&v),
			    "it holds more than a plain repository does");
	assert_int_equal(git_vet_aside(&v, to, &e), 0);
	assert_string_equal(to, "a/.git.from-box");
	assert_int_equal(sys_symlinkat("x", dir, "a/.git"), 0);
	assert_string_equal(git_vet_look(&v), "it is a link");
	assert_int_equal(git_vet_aside(&v, to, &e), 0);
	assert_string_equal(to, "a/.git.from-box.2");
	assert_int_equal(git_vet_aside(&v, to, &e), -ENOENT);
	unit_err(&e, -ENOENT, "cannot set 'a/.git' aside: No such file or directory");
}

/* What is beside it is what the settings name there, of the repository and of the user. */
static void beside(void)
{
	static const char *const guarded[] = { ".git", NULL };
	static const char *const known[] = { "a/watch", "a/hooks", NULL };
	static const char why[] =
		"settings of git's on this machine name what is beside it";
	_cleanup_close_ int dir = unit_top();
	struct git_vet v = { .project = dir,
			     .root = unit_tmpdir(),
			     .path = "a/.git",
			     .guarded = guarded };
	char path[PATH_MAX];

	setenv("GIT_CONFIG_GLOBAL", "/dev/null", 1);
	setenv("GIT_CONFIG_SYSTEM", "/dev/null", 1);
	assert_int_equal(sys_mkdirat(dir, "a", 0700), 0);
	assert_int_equal(sys_mkdirat(dir, ".git", 0700), 0);
	unit_put(dir, ".git/config", "[core]\n\tfsmonitor = ./watch\n", 0600);
	unit_put(dir, "a/.git", "gitdir: ../.git\n", 0600);
	assert_null(git_vet_look(&v));
	unit_put(dir, "a/watch", "", 0600);
	assert_string_equal(git_vet_look(&v), why);
	v.named = known;
	assert_null(git_vet_look(&v));
	/* One that is not understood may name more. */
	unit_put(dir, ".git/config", "[old.way]\n", 0600);
	assert_string_equal(git_vet_look(&v), why);
	/* A repository of its own has the user's alone. */
	assert_int_equal(sys_unlinkat(dir, "a/.git", 0), 0);
	assert_int_equal(sys_mkdirat(dir, "a/.git", 0700), 0);
	v.named = NULL;
	unit_put(dir, "user", "[core]\n\thooksPath = hooks\n", 0600);
	snprintf(path, sizeof(path), "%s/user", unit_tmpdir());
	setenv("GIT_CONFIG_GLOBAL", path, 1);
	assert_null(git_vet_look(&v));
	assert_int_equal(sys_mkdirat(dir, "a/hooks", 0700), 0);
	assert_string_equal(git_vet_look(&v), why);
	v.named = known;
	assert_null(git_vet_look(&v));
	v.path = "a/x.git";
	assert_null(git_vet_look(&v));
}

static const struct unit_case cases[] = { { "set aside, twice", aside },
					  { "what settings name beside it", beside } };

int main(void)
{
	return unit_rows("git_vet_link", rows, test_row) +
	       unit_cases("git_vet_look", cases);
}
