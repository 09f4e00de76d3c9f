#include "rootfs/git/linked.h"

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
	buf_addf(ctx, "%s\n", path ?: "?");
}

/* @want: NULL = it leads nowhere */
static void look(int project, const char *git, const char *want)
{
	_cleanup_buf_ struct buf told = BUF_INIT(4096);
	char root[PATH_MAX];
	const struct git_named_at at = { root, git, true, project, -1, NULL };

	snprintf(root, sizeof(root), "%s/p", unit_tmpdir());
	assert_int_equal(git_linked_each(&at, tell, &told), want != NULL);
	assert_string_equal(buf_cstr(&told), want ?: "");
}

static void linked(void)
{
	static const char *const dirs[] = { "p",
					    "p/.git",
					    "p/.git/modules",
					    "p/.git/modules/s",
					    "p/.git/modules/s/hooks",
					    "p/.git/worktrees",
					    "p/.git/worktrees/w",
					    "p/s",
					    "p/w",
					    "p/o",
					    "out" };
	_cleanup_close_ int top = unit_top();
	_cleanup_close_ int dir = -1;

	for (size_t i = 0; i < ARRAY_SIZE(dirs); i++)
		assert_int_equal(sys_mkdirat(top, dirs[i], 0700), 0);
	dir = sys_openat(top, "p", O_RDONLY | O_DIRECTORY, 0);
	assert_true(dir >= 0);
	/* A submodule: relative to its worktree, includes and links to where they stand. */
	unit_put(dir, ".git/modules/s/config",
		 "[core]\n\thooksPath = h\n[include]\n\tpath = ../../../more\n", 0600);
	unit_put(dir, "more", "[pager]\n\tlog = tools/p\n", 0600);
	assert_int_equal(sys_symlinkat("../../../../k", dir, ".git/modules/s/hooks/a"),
			 0);
	assert_int_equal(sys_symlinkat("b", dir, ".git/modules/s/hooks/c"), 0);
	unit_put(dir, "s/.git", "gitdir: ../.git/modules/s\n", 0600);
	look(dir, "s/.git", "s/h\nmore\ns/tools/p\nk\n");
	/* A worktree: its own settings, then its repository's, not the main worktree's. */
	unit_put(dir, "w/.git", "gitdir: ../.git/worktrees/w\n", 0600);
	look(dir, "w/.git", "");
	unit_put(dir, ".git/worktrees/w/commondir", "../..\n", 0600);
	unit_put(dir, ".git/worktrees/w/config.worktree", "[core]\n\tfsmonitor = ./f\n",
		 0600);
	unit_put(dir, ".git/config", "[core]\n\teditor = ./e\n", 0600);
	unit_put(dir, ".git/config.worktree", "[core]\n\tpager = ./main\n", 0600);
	look(dir, "w/.git", "w/f\nw/e\n");
	/* Of one outside, and what leads nowhere. */
	unit_put(top, "out/config", "[core]\n\teditor = ./e\n[old.way]\n", 0600);
	unit_put(dir, "o/.git", "gitdir: ../../out\n", 0600);
	look(dir, "o/.git", "o/e\n?\n");
	unit_put(dir, "o/.git", "gitdir: ../none\n", 0600);
	look(dir, "o/.git", NULL);
	look(dir, ".git", NULL);
	look(dir, "none/.git", NULL);
}

static const struct unit_case cases[] = {
	{ "what a submodule's and a worktree's settings name", linked }
};

int main(void)
{
	return unit_cases("git_linked_each", cases);
}
