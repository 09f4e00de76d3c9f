#include "rootfs/git/outside.h"

#include "base/file.h"
#include "base/sys/sys.h"
#include "tests/unit/unit.h"

static const struct path_row {
	const char *name, *from, *to, *want;
} path_rows[] = {
	{ "absolute", "/p", "/m/.git/worktrees/p", "/m/.git/worktrees/p" },
	{ "beside", "/a/p", "../m/.git", "/a/m/.git" },
	{ "further up", "/a/b/p", "../../.git/modules/p", "/a/.git/modules/p" },
	{ "below", "/p", "x/.git", "/p/x/.git" },
	{ "up alone", "/a/b", "..", "/a" },
	{ "up twice, no slash", "/a/b/c", "../..", "/a" },
	{ "to the root", "/a", "..", NULL },
	{ "beyond the root", "/a", "../../m", NULL },
	{ "up later", "/p", "/m/../x", NULL },
	{ "up after a name", "/a/p", "x/../y", NULL },
	{ "here", "/p", ".", NULL },
	{ "a point within", "/p", "/m/./x", NULL },
	{ "two slashes", "/p", "/m//x", NULL },
	{ "a slash behind", "/p", "/m/", NULL },
	{ "the root", "/p", "/", NULL },
	{ "nothing", "/p", "", "/p" },
	{ "dots that are a name", "/a/p", "../...", "/a/..." },
};

static void test_path(const void *p)
{
	const struct path_row *row = p;
	char ret[PATH_MAX];

	assert_int_equal(git_outside_path(row->from, row->to, ret),
			 row->want ? 0 : -EBADMSG);
	if (row->want)
		assert_string_equal(ret, row->want);
}

/* "%" is the temporary directory, which holds "p" (the project) and "m" (a repository with
 * a worktree and a submodule). */
static void put(int dir, const char *path, const char *text)
{
	_cleanup_close_ int fd =
		sys_openat(dir, path, O_CREAT | O_TRUNC | O_WRONLY, 0600);
	_cleanup_buf_ struct buf all = BUF_INIT(4096);
	struct err e = ERR_NONE;

	for (; *text; text++)
		assert_true(*text == '%' ? buf_adds(&all, unit_tmpdir()) == 0
					 : buf_addc(&all, *text) == 0);
	assert_int_equal(file_write_fd(fd, buf_cstr(&all), all.len, &e), 0);
}

static const struct row {
	const char *name;
	const char *file, *text; /* put there before */
	int want;
	const char *why;  /* begins behind the temporary directory */
	const char *link; /* ".git" of the project */
} rows[] = {
	{ "a worktree", NULL, NULL, 1, NULL, "gitdir: %/m/.git/worktrees/p\n" },
	{ "by relative paths", "m/.git/worktrees/p/gitdir", "../../../../p/.git\n", 1,
	  NULL, "gitdir: ../m/.git/worktrees/p\n" },
	{ "a submodule", NULL, NULL, 1, NULL, "gitdir: ../m/.git/modules/p\n" },
	{ "another's worktree", "m/.git/worktrees/p/gitdir", "%/q/.git\n", -EPERM,
	  "is another worktree's; after a move 'git worktree repair' mends that",
	  "gitdir: %/m/.git/worktrees/p\n" },
	{ "no way back", "m/.git/worktrees/p/gitdir", "", -EPERM,
	  "is another worktree's; after a move 'git worktree repair' mends that",
	  "gitdir: %/m/.git/worktrees/p\n" },
	{ "another common directory", "m/.git/worktrees/p/commondir", "../../../x\n",
	  -EINVAL, "is not where git keeps a worktree's",
	  "gitdir: %/m/.git/worktrees/p\n" },
	{ "an empty common directory", "m/.git/worktrees/p/commondir", "\n", -EINVAL,
	  "cannot be read", "gitdir: %/m/.git/worktrees/p\n" },
	{ "a plain repository", NULL, NULL, -EPERM, "does not lead back here",
	  "gitdir: %/m/.git\n" },
	{ "another's submodule", "m/.git/modules/p/config",
	  "[core]\n\tworktree = ../../../q\n", -EPERM, "does not lead back here",
	  "gitdir: ../m/.git/modules/p\n" },
	{ "the first of two", "m/.git/modules/p/config",
	  "[core]\n\tworktree = ../../../../p\n\tworktree = /x\n", -EPERM,
	  "does not lead back here", "gitdir: ../m/.git/modules/p\n" },
	{ "through a link", NULL, NULL, -ELOOP, "is reached through a link",
	  "gitdir: %/link/.git/worktrees/p\n" },
	{ "up again", NULL, NULL, -EINVAL, "is not where git keeps one",
	  "gitdir: %/m/.git/modules/../worktrees/p\n" },
	{ "in the project", NULL, NULL, 0, NULL, "gitdir: %/p/.bare\n" },
	{ "the project itself", NULL, NULL, 0, NULL, "gitdir: %/p\n" },
	{ "no such file", NULL, NULL, 0, NULL, NULL },
	{ "no link", NULL, NULL, 0, NULL, "hello\n" },
};

static int make(void)
{
	static const char *const dirs[] = {
		"p",
		"m",
		"m/.git",
		"m/.git/objects",
		"m/.git/refs",
		"m/.git/worktrees",
		"m/.git/worktrees/p",
		"m/.git/modules",
		"m/.git/modules/p",
		"m/.git/modules/p/objects",
		"m/.git/modules/p/refs",
	};
	int dir = unit_top();

	for (size_t i = 0; i < ARRAY_SIZE(dirs); i++)
		assert_int_equal(sys_mkdirat(dir, dirs[i], 0755), 0);
	put(dir, "m/.git/worktrees/p/commondir", "../..\n");
	put(dir, "m/.git/worktrees/p/gitdir", "%/p/.git\n");
	put(dir, "m/.git/modules/p/config", "[core]\n\tworktree = ../../../../p\n");
	assert_int_equal(sys_symlinkat("m", dir, "link"), 0);
	return dir;
}

static int open_it(int dir, struct git_outside *o, struct err *e)
{
	_cleanup_close_ int p = sys_openat(dir, "p", O_RDONLY | O_DIRECTORY, 0);
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/p", unit_tmpdir());
	return git_outside_open(p, path, o, e);
}

static void test_row(const void *ptr)
{
	const struct row *row = ptr;
	_cleanup_close_ int dir = make();
	_cleanup_git_outside_ struct git_outside o = GIT_OUTSIDE_NONE;
	struct err e = ERR_NONE;

	if (row->file)
		put(dir, row->file, row->text);
	if (row->link)
		put(dir, "p/.git", row->link);
	assert_int_equal(open_it(dir, &o, &e), row->want);
	assert_int_equal(e.code, MIN(row->want, 0));
	if (row->why)
		assert_non_null(strstr(e.msg, row->why));
	assert_int_equal(o.common >= 0, row->want == 1);
	if (row->want == 1 && strstr(row->link, "worktrees")) {
		assert_string_equal(o.common_path + strlen(unit_tmpdir()), "/m/.git");
		assert_string_equal(o.tree_path + strlen(unit_tmpdir()),
				    "/m/.git/worktrees/p");
		assert_true(o.tree >= 0);
	} else if (row->want == 1) {
		assert_string_equal(o.common_path + strlen(unit_tmpdir()),
				    "/m/.git/modules/p");
		assert_string_equal(o.tree_path, "");
		assert_int_equal(o.tree, -1);
	}
}

static void refused(int dir, const char *why)
{
	_cleanup_git_outside_ struct git_outside o = GIT_OUTSIDE_NONE;
	struct err e = ERR_NONE;

	assert_true(open_it(dir, &o, &e) < 0);
	assert_non_null(strstr(e.msg, why));
}

static void owners(void)
{
	_cleanup_close_ int dir = make();

	put(dir, "p/.git", "gitdir: %/m/.git/worktrees/p\n");
	assert_int_equal(sys_fchmodat(dir, "m/.git", 0777, 0), 0);
	refused(dir, "/m/.git' can be written by every user");
	assert_int_equal(sys_fchmodat(dir, "m/.git", 0755, 0), 0);
	if (sys_geteuid() == 0) {
		assert_int_equal(sys_fchownat(dir, "m/.git", 12345, 0, 0), 0);
		refused(dir, "/m/.git' is another user's");
	}
}

static void within(void)
{
	_cleanup_close_ int dir = make();
	_cleanup_close_ int p = -1;
	_cleanup_git_outside_ struct git_outside o = GIT_OUTSIDE_NONE;
	struct err e = ERR_NONE;
	char path[PATH_MAX];

	assert_int_equal(sys_mkdirat(dir, "m/.git/x", 0755), 0);
	put(dir, "m/.git/x/.git", "gitdir: %/m/.git/worktrees/p\n");
	put(dir, "m/.git/worktrees/p/gitdir", "%/m/.git/x/.git\n");
	p = sys_openat(dir, "m/.git/x", O_RDONLY | O_DIRECTORY, 0);
	snprintf(path, sizeof(path), "%s/m/.git/x", unit_tmpdir());
	assert_int_equal(git_outside_open(p, path, &o, &e), -EINVAL);
	assert_non_null(strstr(e.msg, "has this directory in it"));
}

static const struct unit_case cases[] = {
	{ "whose it is", owners },
	{ "a project in its repository", within },
};

int main(void)
{
	return unit_rows("git_outside_path", path_rows, test_path) +
	       unit_rows("git_outside_open", rows, test_row) +
	       unit_cases("git_outside", cases);
}
