#include "runtime/spec/effects.h"

#include "tests/unit/unit.h"

static const struct row {
	const char *name; /* the path */
	enum effects_class want;
} rows[] = {
	{ ".git/hooks/pre-commit", EFFECTS_HELD },
	{ ".git", EFFECTS_HELD },
	{ "sub/.git/config", EFFECTS_HELD },
	{ ".GIT/config", EFFECTS_HELD },
	{ ".git/config.worktree", EFFECTS_HELD },
	{ ".git/objects/ab/cdef", EFFECTS_PLAIN },
	{ ".git/HEAD", EFFECTS_PLAIN },
	{ ".git/objects.d/x", EFFECTS_HELD },
	{ "sub/.git/objects/ab", EFFECTS_PLAIN },
	{ ".git/objects/.git/hooks/x", EFFECTS_HELD },
	{ "sub/.git/objects/.git", EFFECTS_HELD },
	{ ".gitignore", EFFECTS_PLAIN },
	{ ".github/workflows/ci.yml", EFFECTS_HELD },
	{ ".github/README.md", EFFECTS_PLAIN },
	{ "a/.github/workflows/ci.yml", EFFECTS_PLAIN },
	{ ".husky/pre-push", EFFECTS_HELD },
	{ ".pre-commit-config.yaml", EFFECTS_HELD },
	{ ".gdbinit", EFFECTS_HELD },
	{ "deep/down/.lldbinit", EFFECTS_HELD },
	{ ".vscode/tasks.json", EFFECTS_HELD },
	{ "web/.vscode/tasks.json", EFFECTS_HELD },
	{ "x.code-workspace", EFFECTS_HELD },
	{ ".envrc", EFFECTS_HELD },
	{ ".cargo/config.toml", EFFECTS_HELD },
	{ "pkg/.npmrc", EFFECTS_HELD },
	{ "CLAUDE.md", EFFECTS_HELD },
	{ "docs/AGENTS.md", EFFECTS_HELD },
	{ "docs/CUBBY.md", EFFECTS_HELD },
	{ ".cubby/box.json", EFFECTS_HELD },
	{ ".cubby/tools/deploy", EFFECTS_HELD },
	{ ".agents/skills/x/SKILL.md", EFFECTS_HELD },
	{ ".cubby-1-0.tmp", EFFECTS_PLAIN },
	{ ".mcp.json", EFFECTS_HELD },
	{ "random.py", EFFECTS_HELD },
	{ "Random.py", EFFECTS_HELD },
	{ "zoneinfo.py", EFFECTS_HELD },
	{ "abc.py", EFFECTS_HELD },
	{ "ando.py", EFFECTS_PLAIN },
	{ "random abc.py", EFFECTS_PLAIN },
	{ ".py", EFFECTS_PLAIN },
	{ "src/types.py", EFFECTS_PLAIN },
	{ "test.py", EFFECTS_PLAIN },
	{ "src/sitecustomize.py", EFFECTS_HELD },
	{ "x.pth", EFFECTS_HELD },
	{ "Makefile", EFFECTS_MARKED },
	{ "src/package.json", EFFECTS_MARKED },
	{ "tests/conftest.py", EFFECTS_MARKED },
	{ "main.c", EFFECTS_PLAIN },
	{ "", EFFECTS_PLAIN },
	{ "/", EFFECTS_PLAIN },
	{ "//.git", EFFECTS_HELD },
	{ "\xff\xfe/.git\n/x", EFFECTS_PLAIN },
	/* One file for a filesystem that folds case, or passes over what nobody sees. */
	{ ".v\xc5\xbf"
	  "code/tasks.json",
	  EFFECTS_HELD },
	{ ".hus\xe2\x84\xaay/pre-push", EFFECTS_HELD },
	{ ".pro\xef\xac\x81le", EFFECTS_HELD },
	{ "sub/.g\xe2\x80\x8cit/config", EFFECTS_HELD },
	{ ".envrc.", EFFECTS_HELD },
	{ ".vscode. ./tasks.json", EFFECTS_HELD },
	{ "\xc3\x9f\xff\xe2\x80", EFFECTS_PLAIN },
	{ "...", EFFECTS_PLAIN },
	/* Other ways to be a module of python. */
	{ "random/__init__.py", EFFECTS_HELD },
	{ "json/__init__.pyc", EFFECTS_HELD },
	{ "random.pyc", EFFECTS_HELD },
	{ "random.abi3.so", EFFECTS_HELD },
	{ "random.cpython-311-x86_64-linux-gnu.so", EFFECTS_HELD },
	{ "random/x.py", EFFECTS_PLAIN },
	{ "random.md", EFFECTS_PLAIN },
	{ "random/x.so", EFFECTS_PLAIN },
	{ "src/json/__init__.py", EFFECTS_PLAIN },
	/* Other version controls, hooks, shells, editors, interpreters, tools, agents. */
	{ ".jj/repo/config.toml", EFFECTS_HELD },
	{ "_darcs/prefs/defaults", EFFECTS_HELD },
	{ ".gitconfig", EFFECTS_HELD },
	{ ".lfsconfig", EFFECTS_HELD },
	{ "lefthook.yaml", EFFECTS_HELD },
	{ "lefthook-local.yml", EFFECTS_HELD },
	{ ".lintstagedrc.js", EFFECTS_HELD },
	{ ".env", EFFECTS_HELD },
	{ ".env.local", EFFECTS_HELD },
	{ ".env.example", EFFECTS_PLAIN },
	{ ".direnv/flake-profile.rc", EFFECTS_HELD },
	{ "flake.nix", EFFECTS_HELD },
	{ ".helix/languages.toml", EFFECTS_HELD },
	{ "hie.yaml", EFFECTS_HELD },
	{ ".luarc.json", EFFECTS_HELD },
	{ ".dir-locals-2.el", EFFECTS_HELD },
	{ ".Rprofile", EFFECTS_HELD },
	{ "sub/.ghci", EFFECTS_HELD },
	{ ".iex.exs", EFFECTS_HELD },
	{ "rust-toolchain.toml", EFFECTS_HELD },
	{ "mise.local.toml", EFFECTS_HELD },
	{ ".config/mise/config.toml", EFFECTS_HELD },
	{ ".bazelrc", EFFECTS_HELD },
	{ "tools/bazel", EFFECTS_HELD },
	{ "a/tools/bazel", EFFECTS_PLAIN },
	{ "tools/bazel.md", EFFECTS_PLAIN },
	{ ".aws/config", EFFECTS_HELD },
	{ ".venv/bin/activate", EFFECTS_HELD },
	{ ".forgejo/workflows/x.yml", EFFECTS_HELD },
	{ "Jenkinsfile.release", EFFECTS_HELD },
	{ ".aider.conf.yml", EFFECTS_HELD },
	{ ".github/prompts/x.md", EFFECTS_HELD },
	{ ".opencode/agent/x.md", EFFECTS_HELD },
	{ "opencode.json", EFFECTS_HELD },
	{ "skills/x/SKILL.md", EFFECTS_HELD },
	{ ".lite_project.lua", EFFECTS_HELD },
	{ "app.pro.user", EFFECTS_HELD },
	{ "users.c", EFFECTS_PLAIN },
	{ "bin/prog-gdb.py", EFFECTS_HELD },
	{ ".qoder/rules/x.md", EFFECTS_HELD },
	{ ".github/dependabot.yml", EFFECTS_HELD },
	{ "docker-compose.override.yml", EFFECTS_MARKED },
	{ "data/x.desktop", EFFECTS_MARKED },
	{ "wdio.conf.ts", EFFECTS_MARKED },
	{ "config.nims", EFFECTS_MARKED },
	{ "netlify.toml", EFFECTS_MARKED },
	{ "Cargo.toml", EFFECTS_MARKED },
	{ "eslint.config.mjs", EFFECTS_MARKED },
	{ ".pylintrc", EFFECTS_MARKED },
	{ "environment.md", EFFECTS_PLAIN },
};

static void test_path(const void *p)
{
	const struct row *row = p;
	struct effect x = effects_of_path(row->name, strlen(row->name));

	assert_string_equal(effects_name(x.class), effects_name(row->want));
	assert_int_equal(!x.why, x.class == EFFECTS_PLAIN);
}

static const struct link {
	const char *name, *path, *target;
	bool leaves;
} links[] = {
	{ "beside", "a", "b", false },
	{ "absolute", "a", "/etc/passwd", true },
	{ "up from the top", "a", "../b", true },
	{ "up from below", "d/a", "../b", false },
	{ "up too far", "d/a", "../../b", true },
	{ "down and up, where the name may be a link", "a", "d/./../b", true },
	{ "up and down", "d/e/a", "../../b/c", false },
	{ "down and out", "a", "d/../../b", true },
	{ "slashes count once", "a", "d////../../b", true },
	{ "a name that begins with dots", "a", "..b/...", false },
	{ "empty", "a", "", false },
};

static void test_link(const void *p)
{
	const struct link *l = p;

	assert_int_equal(
		effects_leaves(l->path, strlen(l->path), l->target, strlen(l->target)),
		l->leaves);
}

static void bounds(void)
{
	static char path[2 * EFFECTS_PATH];

	memset(path, 'x', sizeof(path));
	assert_int_equal(effects_of_path(path, EFFECTS_PATH).class, EFFECTS_PLAIN);
	assert_int_equal(effects_of_path(path, EFFECTS_PATH + 1).class, EFFECTS_HELD);
	assert_int_equal(effects_of_path(".git\0x", 6).class, EFFECTS_PLAIN);
}

int main(void)
{
	static const struct unit_case cases[] = { { "bounds", bounds } };

	return unit_rows("effects_of_path", rows, test_path) +
	       unit_rows("effects_leaves", links, test_link) +
	       unit_cases("effects", cases);
}
