#include "rootfs/git/refs.h"

#include "base/scope.h"
#include "base/sys/sys.h"
#include "tests/unit/unit.h"

#define SUM_A "0123456789012345678901234567890123456789"
#define SUM_B "1123456789012345678901234567890123456789"

static void reads(void)
{
	_cleanup_close_ int dir = unit_top();
	_cleanup_git_refs_pair_ struct git_refs_pair p = { 0 };
	struct err e = ERR_NONE;

	assert_int_equal(sys_mkdirat(dir, "refs", 0700), 0);
	assert_int_equal(sys_mkdirat(dir, "refs/heads", 0700), 0);
	unit_put(dir, "refs/heads/a", SUM_A "\n", 0600);
	unit_put(dir, "refs/heads/bad", "no sum\n", 0600);
	unit_put(dir, "refs/heads/x.lock", SUM_A "\n", 0600);
	assert_int_equal(sys_symlinkat("a", dir, "refs/heads/link"), 0);
	unit_put(dir, "packed-refs", SUM_B " refs/heads/a\n" SUM_B " refs/tags/t\n",
		 0600);
	assert_int_equal(git_refs_read(dir, &p, &e), 0);
	assert_int_equal(p.loose.n, 1);
	assert_string_equal(git_refs_pair_get(&p, "refs/heads/a"), SUM_A);
	assert_string_equal(git_refs_pair_get(&p, "refs/tags/t"), SUM_B);
	assert_null(git_refs_pair_get(&p, "refs/heads/link"));
}

static void sets(void)
{
	static const char *const names[] = { "refs/c", "refs/a", "refs/b/x",
					     "refs/b/y" };
	_cleanup_git_refs_ struct git_refs m = { 0 };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		assert_int_equal(git_refs_set(&m, names[i], names[i]), 0);
	assert_int_equal(git_refs_set(&m, "refs/a", "new"), 0);
	assert_string_equal(git_refs_get(&m, "refs/a"), "new");
	git_refs_drop(&m, "refs/b/");
	assert_int_equal(m.n, 2);
	assert_int_equal(git_refs_set(&m, "refs/a", NULL), 0);
	assert_null(git_refs_get(&m, "refs/a"));
	assert_string_equal(m.list[0].name, "refs/c");
}

static void folds(void)
{
	static const struct {
		const char *name;
		bool alike;
	} rows[] = {
		{ "refs/heads/main", false },	    { "refs/heads/Main", true },
		{ "refs/Heads/main", true },	    { "refs/heads/MAIM", false },
		{ "refs/heads/maine", false },	    { "refs/tags/V1", true },
		{ "refs/tags/both", true },	    { "refs/tags/Both", true },
		{ "refs/tags/w\303\266", false },   { "refs/tags/w\303\226", true },
		{ "refs/tags/\342\204\252", true }, { "refs/tags", false },
	};
	struct git_refs_pair p = { 0 };
	struct git_refs_folded f, none = { 0 };
	static const char *const packed[] = { "refs/heads/main", "refs/tags/Both",
					      "refs/tags/both", "refs/tags/w\303\266" };

	for (size_t i = 0; i < ARRAY_SIZE(packed); i++)
		assert_int_equal(git_refs_set(&p.packed, packed[i], SUM_A), 0);
	assert_int_equal(git_refs_set(&p.loose, "refs/heads/main", SUM_A), 0);
	assert_int_equal(git_refs_set(&p.loose, "refs/tags/v1", SUM_A), 0);
	assert_int_equal(git_refs_fold(&p, &f), 0);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (git_refs_is_alike(&f, rows[i].name) != rows[i].alike)
			fail_msg("%s", rows[i].name);
	assert_false(git_refs_is_alike(&none, "refs/heads/main"));
	git_refs_folded_done(&f);
	git_refs_pair_done(&p);
}

static const struct unit_case cases[] = {
	{ "loose and packed", reads },
	{ "set, drop, remove", sets },
	{ "names that differ by case alone", folds },
};

int main(void)
{
	return unit_cases("git_refs", cases);
}
