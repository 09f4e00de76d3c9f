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

static void put(int dir, const char *name, const char *text)
{
	struct err e = ERR_NONE;
	_cleanup_close_ int fd =
		sys_openat(dir, name, O_CREAT | O_TRUNC | O_WRONLY, 0600);

	assert_true(fd >= 0);
	assert_int_equal(file_write_fd(fd, text, strlen(text), &e), 0);
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
	_cleanup_close_ int top = sys_open(unit_tmpdir(), O_RDONLY | O_DIRECTORY);
	_cleanup_close_ int dir = -1;

	for (size_t i = 0; i < ARRAY_SIZE(dirs); i++)
		assert_int_equal(sys_mkdirat(top, dirs[i], 0700), 0);
	dir = sys_openat(top, "p", O_RDONLY | O_DIRECTORY, 0);
	assert_true(dir >= 0);
	/* A submodule: relative to its worktree, includes and links to where they stand. */
	put(dir, ".git/modules/s/config",
	    "[core]\n\thooksPath = h\n[include]\n\tpath = ../../../more\n");
	put(dir, "more", "[pager]\n\tlog = tools/p\n");
	assert_int_equal(sys_symlinkat("../../../../k", dir, ".git/modules/s/hooks/a"),
			 0);
	assert_int_equal(sys_symlinkat("b", dir, ".git/modules/s/hooks/c"), 0);
	put(dir, "s/.git", "gitdir: ../.git/modules/s\n");
	look(dir, "s/.git", "s/h\nmore\ns/tools/p\nk\n");
	/* A worktree: its own settings, then its repository's, not the main worktree's. */
	put(dir, "w/.git", "gitdir: ../.git/worktrees/w\n");
	look(dir, "w/.git", "");
	put(dir, ".git/worktrees/w/commondir", "../..\n");
	put(dir, ".git/worktrees/w/config.worktree", "[core]\n\tfsmonitor = ./f\n");
	put(dir, ".git/config", "[core]\n\teditor = ./e\n");
	put(dir, ".git/config.worktree", "[core]\n\tpager = ./main\n");
	look(dir, "w/.git", "w/f\nw/e\n");
	/* Of one outside, and what leads nowhere. */
	put(top, "out/config", "[core]\n\teditor = ./e\n[old.way]\n");
	put(dir, "o/.git", "gitdir: ../../out\n");
	look(dir, "o/.git", "o/e\n?\n");
	put(dir, "o/.git", "gitdir: ../none\n");
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
