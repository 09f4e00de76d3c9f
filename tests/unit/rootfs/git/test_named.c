#include "rootfs/git/named.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/scope.h"
#include "base/sys/sys.h"
#include "tests/unit/unit.h"

static void named(void)
{
	static const struct {
		const char *section, *key, *value, *git;
		const char *paths[6]; /* of the words; NULL = there is no more */
	} rows[] = {
		{ "core", "hookspath", ".husky", ".git", { ".husky" } },
		{ "core", "hookspath", "/p/hooks", ".git", { "hooks" } },
		{ "core", "hookspath", "/p//hooks", ".git", { "hooks" } },
		{ "core", "hookspath", "/p/", ".git", { GIT_NAMED_PROJECT } },
		{ "core", "hookspath", ".//./h", ".git", { "h" } },
		{ "include", "path", "..//s", ".git", { "s" } },
		{ "core", "hookspath", "/q/hooks", ".git", { "" } },
		{ "core", "hookspath", "h", "sub/.git", { "sub/h" } },
		{ "core", "hookspath", "my hooks", ".git", { "my hooks" } },
		{ "include", "path", "../s", ".git", { "s" } },
		{ "includeif", "path", "s", "a/.git", { "a/.git/s" } },
		{ "filter", "clean", "tools/x %f", ".git", { "tools/x", "%f" } },
		{ "filter", "clean", "sh /p/a\tb", "s/.git", { "", "a", "s/b" } },
		{ "filter", "clean", "/p c /p", ".git", { ".", "c", "." } },
		{ "diff", "external", "'./d'", ".git", { "d" } },
		{ "diff",
		  "textconv",
		  "sh -c \"a/b <$1\"",
		  ".git",
		  { "", "-c", "a/b", "$1" } },
		{ "filter", "clean", "a && ( ./b )", ".git", { "", "b" } },
		{ "filter",
		  "smudge",
		  "sh -c ' x/y;z'",
		  ".git",
		  { "", "-c", "x/y", "z" } },
		{ "filter",
		  "process",
		  "V=1 p --rc=d/e",
		  ".git",
		  { "", "1", "p", "--rc", "d/e" } },
		{ "pager", "log", "./p", ".git", { "p" } },
		{ "credential", "helper", "!./c get", ".git", { "c", "get" } },
		{ "submodule", "update", "!u/x", ".git", { "u/x" } },
		{ "core", "pager", "less", ".git", { "" } },
		{ "core", "editor", "!vi", ".git", { "" } },
		{ "core", "editor", "", ".git", { NULL } },
		{ "core", "hookspath", "~/h/p", ".git", { "" } },
		{ "core", "hookspath", ".", ".git", { "" } },
		{ "core", "hookspath", "../p/h", "s/.git", { "p/h" } },
		{ "core", "hookspath", "../p/h", ".git", { "" } },
		{ "core", "hookspath", "/q/../p/./h", ".git", { "" } },
		{ "core", "hookspath", "~/p/h", ".git", { "h" } },
		{ "filter", "clean", "sh ~/p/h", ".git", { "", "h" } },
		{ "core", "hookspath", "/p", ".git", { GIT_NAMED_PROJECT } },
		{ "core", "fsmonitor", "~p/h", ".git", { "~p/h" } },
		{ "new", "thing", "sh a/b", ".git", { "", "a/b" } },
		{ "lfs", "path", "./d", ".git", { "d" } },
		{ "blame", "ignorerevsfile", "d/x", ".git", { NULL } },
		{ "user", "name", "x", ".git", { NULL } },
		{ "alias", "x", "!./x", ".git", { NULL } },
	};

	setenv("HOME", "", 1);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct git_config_item *it = calloc(1, sizeof(*it));
		const struct git_named_at at = { .root = "/p",
						 .git = rows[i].git,
						 .project = -1 };
		char path[PATH_MAX], from[64];
		size_t n = 0;

		assert_non_null(it);
		snprintf(it->section, sizeof(it->section), "%s", rows[i].section);
		snprintf(it->key, sizeof(it->key), "%s", rows[i].key);
		snprintf(it->value, sizeof(it->value), "%s", rows[i].value);
		snprintf(from, sizeof(from), "/p/%s", rows[i].git);
		for (; git_named_path(it, n, &at, from, path); n++) {
			assert_non_null(rows[i].paths[n]);
			assert_string_equal(path, rows[i].paths[n]);
		}
		assert_null(rows[i].paths[n]);
		free(it);
	}
}

static void tell(void *ctx, const char *path)
{
	buf_addf(ctx, "%s\n", path);
}

/* "/p" is the project, whose ".git" is the test's directory. */
static void links(void)
{
	static const char *const rows[][2] = {
		{ "config", "../conf/./x" },   { "info", "/q/info" },
		{ "hooks/a", "../../d/../e" }, { "hooks/b", "../../../out" },
		{ "hooks/c", "/p/tools//c" },  { "hooks/d", "a" },
		{ "hooks/e", "../config" },    { "hooks/f", "/p" },
		{ "hooks/g", "/p/.gitx" },
	};
	_cleanup_buf_ struct buf told = BUF_INIT(4096);
	_cleanup_close_ int dir = unit_top();
	struct git_named_at at = { "/p", ".git", false, dir, dir, NULL };
	static const char *const want[] = { "conf/x\n", "e\n", "tools/c\n", ".gitx\n" };
	size_t len = 0;

	assert_int_equal(sys_mkdirat(dir, "hooks", 0700), 0);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		assert_int_equal(sys_symlinkat(rows[i][1], dir, rows[i][0]), 0);
	git_named_in(&at, tell, &told);
	for (size_t i = 0; i < ARRAY_SIZE(want); i++, len += strlen(want[i - 1]))
		if (!strstr(buf_cstr(&told), want[i]))
			fail_msg("no %s in %s", want[i], buf_cstr(&told));
	assert_int_equal(told.len, len);
	buf_truncate(&told, 0);
	at.place = "/q/.git";
	git_named_in(&at, tell, &told);
	assert_null(strstr(buf_cstr(&told), "conf/x"));
	assert_non_null(strstr(buf_cstr(&told), "tools/c\n"));
}

/* The project itself is the directory of hooks, by its path and by a link. */
static void hooks(void)
{
	static const char setting[] =
		"[core]\n\thooksPath = ..\n[init]\n\ttemplateDir = x\n";
	_cleanup_close_ int dir = unit_top();
	const char *root = unit_tmpdir(), *end = "\nupdate\n";
	_cleanup_buf_ struct buf told = BUF_INIT(4096);

	assert_int_equal(sys_mkdirat(dir, "g", 0700), 0);
	_cleanup_close_ int git = sys_openat(dir, "g", O_RDONLY | O_DIRECTORY, 0);
	const struct git_named_at at = { root, "y/.git", false, dir, git, false };

	assert_int_equal(sys_mkdirat(dir, "y", 0700), 0);
	_cleanup_close_ int config =
		sys_openat(git, "config", O_WRONLY | O_CREAT | O_EXCL, 0600);
	assert_int_equal(file_write_fd(config, setting, strlen(setting), NULL), 0);
	git_named_in(&at, tell, &told);
	assert_non_null(strstr(buf_cstr(&told), "pre-commit\n"));
	assert_non_null(strstr(buf_cstr(&told), "\nhooks\n"));
	assert_string_equal(strstr(buf_cstr(&told), end) + strlen(end), "y/x\n");

	buf_truncate(&told, 0);
	assert_int_equal(sys_unlinkat(git, "config", 0), 0);
	assert_int_equal(sys_symlinkat(root, git, "hooks"), 0);
	git_named_in(&at, tell, &told);
	assert_non_null(strstr(buf_cstr(&told), "pre-commit\n"));
	assert_null(strstr(buf_cstr(&told), ".\n"));
}

/* What only the shell knows: a directory that the command goes to, and variables. */
static void shell_words(void)
{
	static const struct {
		const char *value, *want;
	} rows[] = {
		{ "cd tools && sh x.sh", "tools/x.sh\n" },
		{ "cd tools && cd deep; ./y ../x.sh", "tools/deep/y\ntools/x.sh\n" },
		{ "make -C tools x.sh none", "tools/x.sh\n" },
		{ "sh -c 'cd tools/deep; y'", "tools/deep/y\n" },
		{ "sh $PWD/tools/x.sh", "tools/x.sh\n" },
		{ "sh ${PWD}/tools/x.sh %f", "tools/x.sh\n" },
		{ "sh $(git rev-parse --show-toplevel)/tools/x.sh", "tools/x.sh\n" },
		{ "cd $(pwd)/tools && sh x.sh", "tools/x.sh\n" },
		{ "sh $HOME", "" },
		{ "sh tools/x.sh", "tools/x.sh\n" },
		{ "sh x.sh; cd tools", "" },
		{ "cd tools; sh ../../x.sh", "" },
	};
	_cleanup_close_ int dir = unit_top();
	const struct git_named_at at = { unit_tmpdir(), ".git", false, dir, dir, NULL };
	char text[256];

	assert_int_equal(sys_mkdirat(dir, "tools", 0700), 0);
	assert_int_equal(sys_mkdirat(dir, "tools/deep", 0700), 0);
	close(sys_openat(dir, "tools/x.sh", O_CREAT | O_WRONLY, 0600));
	close(sys_openat(dir, "tools/deep/y", O_CREAT | O_WRONLY, 0600));
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		_cleanup_buf_ struct buf told = BUF_INIT(4096);
		_cleanup_close_ int fd =
			sys_openat(dir, "config", O_CREAT | O_TRUNC | O_WRONLY, 0600);
		int n = snprintf(text, sizeof(text),
				 "[filter \"f\"]\n\tclean = \"%s\"\n", rows[i].value);

		assert_int_equal(sys_write(fd, text, (size_t)n), n);
		git_named_in(&at, tell, &told);
		if (strcmp(buf_cstr(&told), rows[i].want) != 0)
			fail_msg("'%s': %s", rows[i].value, buf_cstr(&told));
	}
}

/* Links outside of the project that lead into it, to what is there and what is not yet. */
static void dotfiles(void)
{
	static const char *const links[][2] = {
		{ "home/.gitconfig", "../p/conf" }, { "home/way", "../p/deep" },
		{ "home/.config", "way/none" },	    { "home/round", "round" },
		{ "home/out", "../elsewhere" },
	};
	_cleanup_close_ int top = unit_top();
	_cleanup_buf_ struct buf told = BUF_INIT(4096);
	_cleanup_close_ int dir = -1;
	static const char text[] = "[core]\n\thooksPath = ~/way/hooks\n"
				   "[init]\n\ttemplateDir = ~/round/x\n"
				   "[diff]\n\texternal = ~/out/x\n";
	char root[PATH_MAX], home[PATH_MAX];
	struct git_named_at at = { root, ".git", false, -1, -1, NULL };
	struct err e = ERR_NONE;

	assert_int_equal(sys_mkdirat(top, "p", 0700), 0);
	assert_int_equal(sys_mkdirat(top, "p/deep", 0700), 0);
	assert_int_equal(sys_mkdirat(top, "home", 0700), 0);
	for (size_t i = 0; i < ARRAY_SIZE(links); i++)
		assert_int_equal(sys_symlinkat(links[i][1], top, links[i][0]), 0);
	snprintf(root, sizeof(root), "%s/p", unit_tmpdir());
	snprintf(home, sizeof(home), "%s/home", unit_tmpdir());
	setenv("HOME", home, 1);
	setenv("GIT_CONFIG_SYSTEM", "/nonexistent", 1);
	unsetenv("XDG_CONFIG_HOME");
	unsetenv("GIT_CONFIG_GLOBAL");
	dir = sys_openat(top, "p", O_RDONLY | O_DIRECTORY, 0);
	unit_ok(file_replace(dir, "conf",
			     &(struct file_data){ text, strlen(text), 0600 }, &e),
		&e);
	at.project = dir;
	assert_true(git_named_user(&at, tell, &told));
	assert_string_equal(
		buf_cstr(&told),
		"deep/none/git/attributes\ndeep/none/git/config\nconf\ndeep/hooks\n");
	setenv("HOME", "", 1);
}

static void changed(void)
{
	int dir = unit_top();
	char path[PATH_MAX];
	struct stat st;

	assert_true(dir >= 0);
	assert_false(git_named_changed(dir, "a/b", 0, path));
	assert_int_equal(sys_mkdirat(dir, "a", 0700), 0);
	assert_false(git_named_changed(dir, "a/b", 0, path));
	assert_int_equal(sys_mkdirat(dir, "a/b", 0700), 0);
	assert_true(git_named_changed(dir, "a/b", 0, path));
	assert_string_equal(path, "a/b");
	assert_int_equal(sys_fstatat(dir, "a/b", &st, 0), 0);
	assert_false(git_named_changed(dir, "a/b", st.st_ino, path));
	assert_int_equal(sys_symlinkat("a", dir, "l"), 0);
	assert_true(git_named_changed(dir, "l/b", st.st_ino, path));
	assert_string_equal(path, "l");
	scope_close(&dir);
}

static const struct unit_case cases[] = {
	{ "what settings name", named },
	{ "what is a link into the tree", links },
	{ "the project as the directory of hooks", hooks },
	{ "words of a shell", shell_words },
	{ "links from the home", dotfiles },
	{ "what is another than it was", changed },
};

int main(void)
{
	return unit_cases("git_named", cases);
}
