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

static void put(int dir, const char *name, const char *text)
{
	struct err e = ERR_NONE;
	_cleanup_close_ int fd =
		sys_openat(dir, name, O_CREAT | O_TRUNC | O_WRONLY, 0600);

	assert_true(fd >= 0);
	assert_int_equal(file_write_fd(fd, text, strlen(text), &e), 0);
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
	int dir = sys_open(unit_tmpdir(), O_RDONLY | O_DIRECTORY);
	char path[PATH_MAX];

	setenv("GIT_CONFIG_SYSTEM", "/dev/null", 1);
	setenv("GIT_CONFIG_GLOBAL", "/dev/null", 1);
	for (size_t i = 0; i < ARRAY_SIZE(dirs); i++)
		assert_int_equal(sys_mkdirat(dir, dirs[i], 0700), 0);
	put(dir, "a/.git/config",
	    "[core]\n\thooksPath = b/hooks\n[diff]\n\texternal = ./bb/x\n"
	    "[filter \"f\"]\n\tclean = sh b/f none b/g\n");
	put(dir, "a/b/f", "");
	assert_int_equal(sys_symlinkat("../../b/c/h", dir, "a/.git/hooks/x"), 0);
	look("a/b", "hooks\nf\nc/h\n");
	look("a/b/c", "h\n");
	look("a", "");
	look("w/b", "");
	/* A worktree has its repository's settings, and some of its own. */
	put(dir, "w/.git", "gitdir: ../a/.git/worktrees/w\n");
	put(dir, "a/.git/worktrees/w/commondir", "../..\n");
	put(dir, "a/.git/worktrees/w/config.worktree", "[core]\n\tpager = b/p\n");
	look("w/b", "p\nhooks\n");
	put(dir, "w/.git", "gitdir: nowhere\n");
	look("w/b", "");
	/* What the user says counts there, too. */
	put(dir, "user", "[core]\n\teditor = b/e\n");
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
