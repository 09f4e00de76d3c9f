#include "rootfs/git/above.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/scope.h"
#include "base/sys/sys.h"
#include "tests/unit/unit.h"

static void tell(void *ctx, const char *path)
{
	buf_addf(ctx, "%s\n", path);
}

static void look(const char *project, const char *want)
{
	_cleanup_buf_ struct buf told = BUF_INIT(4096);
	char root[PATH_MAX];

	snprintf(root, sizeof(root), "%s/%s", unit_tmpdir(), project);
	git_above_each(root, false, tell, &told);
	assert_string_equal(buf_cstr(&told), want);
}

static void above(void)
{
	static const char *const dirs[] = { "a",
					    "a/.git",
					    "a/.git/hooks",
					    "a/.git/worktrees",
					    "a/.git/worktrees/w",
					    "a/b",
					    "a/b/c",
					    "w",
					    "w/b" };
	int dir = unit_top();
	char path[PATH_MAX];

	setenv("GIT_CONFIG_SYSTEM", "/dev/null", 1);
	setenv("GIT_CONFIG_GLOBAL", "/dev/null", 1);
	for (size_t i = 0; i < ARRAY_SIZE(dirs); i++)
		assert_int_equal(sys_mkdirat(dir, dirs[i], 0700), 0);
	unit_put(dir, "a/.git/config",
		 "[core]\n\thooksPath = b/hooks\n[diff]\n\texternal = ./bb/x\n"
		 "[filter \"f\"]\n\tclean = sh b/f none b/g\n",
		 0600);
	unit_put(dir, "a/b/f", "", 0600);
	assert_int_equal(sys_symlinkat("../../b/c/h", dir, "a/.git/hooks/x"), 0);
	look("a/b", "hooks\nf\nc/h\n");
	look("a/b/c", "h\n");
	look("a", "");
	look("w/b", "");
	/* A worktree has its repository's settings, and some of its own. */
	unit_put(dir, "w/.git", "gitdir: ../a/.git/worktrees/w\n", 0600);
	unit_put(dir, "a/.git/worktrees/w/commondir", "../..\n", 0600);
	unit_put(dir, "a/.git/worktrees/w/config.worktree", "[core]\n\tpager = b/p\n",
		 0600);
	look("w/b", "p\nhooks\n");
	unit_put(dir, "w/.git", "gitdir: nowhere\n", 0600);
	look("w/b", "");
	/* What the user says counts there, too. */
	unit_put(dir, "user", "[core]\n\teditor = b/e\n", 0600);
	snprintf(path, sizeof(path), "%s/user", unit_tmpdir());
	setenv("GIT_CONFIG_GLOBAL", path, 1);
	look("w/b", "e\n");
	scope_close(&dir);
}

static const struct unit_case cases[] = {
	{ "what repositories above the project name in it", above }
};

int main(void)
{
	return unit_cases("git_above_each", cases);
}
