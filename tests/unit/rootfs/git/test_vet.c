#include "rootfs/git/vet.h"

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
	_cleanup_close_ int dir = sys_open(unit_tmpdir(), O_RDONLY | O_DIRECTORY);
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

static const struct unit_case cases[] = { { "set aside, twice", aside } };

int main(void)
{
	return unit_rows("git_vet_link", rows, test_row) +
	       unit_cases("git_vet_aside", cases);
}
