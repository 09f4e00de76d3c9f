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
	{ "down and up", "a", "d/./../b", false },
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
