#include "rootfs/git/dirs.h"

#include "base/buf.h"
#include "base/sys/sys.h"
#include "tests/unit/unit.h"

static void is(const struct git_dirs *d, const char *want)
{
	_cleanup_buf_ struct buf out = BUF_INIT(1000);

	for (size_t i = 0; i < d->n; i++)
		if (d->list[i].flags)
			assert_int_equal(buf_addf(&out, "%s=%u;", d->list[i].path,
						  d->list[i].flags),
					 0);
	assert_string_equal(buf_cstr(&out), want);
}

static void make(int dir, const char *const *names)
{
	for (; *names; names++)
		assert_int_equal(sys_mkdirat(dir, *names, 0700), 0);
}

static void finds(void)
{
	static const char *const first[] = { ".git",	 ".git/x", "a", "a/b",
					     "a/b/.git", "c",	   NULL };
	static const char *const then[] = { "c/d",	 "c/d/.git", "r",      "r/HEAD",
					    "r/objects", "r/refs",   "r/.git", NULL };
	_cleanup_git_dirs_ struct git_dirs d = { 0 };
	_cleanup_git_dirs_ struct git_dirs again = { 0 };
	_cleanup_close_ int dir = unit_top();
	struct err e = ERR_NONE;

	make(dir, first);
	assert_int_equal(sys_symlinkat("a/b", dir, "link"), 0);
	assert_int_equal(git_dirs_look(dir, &d, &e), 0);
	is(&d, "=1;a/b=1;");
	make(dir, then);
	assert_int_equal(git_dirs_look(dir, &d, &e), 0);
	is(&d, "=1;a/b=1;c/d=1;r=3;");
	assert_int_equal(sys_unlinkat(dir, "a/b/.git", AT_REMOVEDIR), 0);
	assert_int_equal(sys_unlinkat(dir, "a/b", AT_REMOVEDIR), 0);
	assert_int_equal(git_dirs_look(dir, &d, &e), 0);
	is(&d, "=1;c/d=1;r=3;");
	assert_int_equal(git_dirs_save(dir, "saved", &d, &e), 0);
	git_dirs_load(dir, "saved", &again);
	is(&again, "=1;c/d=1;r=3;");
	assert_false(again.partial);
}

/* Of one tick of the kernel's clock: here as if another had been there the last time. */
static void looks_at_another(void)
{
	static const char *const names[] = { "a", "a/.git", NULL };
	_cleanup_git_dirs_ struct git_dirs d = { 0 };
	_cleanup_close_ int dir = unit_top();
	struct err e = ERR_NONE;
	struct stat st;

	make(dir, names);
	assert_int_equal(git_dirs_look(dir, &d, &e), 0);
	assert_int_equal(d.n, 2);
	assert_int_equal(sys_fstatat(dir, "a", &st, 0), 0);
	assert_int_equal(d.list[1].ino, st.st_ino);
	d.list[1].ctime = (uint64_t)st.st_ctim.tv_sec * 1000000000u +
			  (uint64_t)st.st_ctim.tv_nsec;
	d.list[1].flags = 0;
	assert_int_equal(git_dirs_look(dir, &d, &e), 0);
	is(&d, ""); /* it has not changed */
	d.list[1].ino++;
	assert_int_equal(git_dirs_look(dir, &d, &e), 0);
	is(&d, "a=1;");
}

static void ends(void)
{
	static const char *const names[] = { "a", "a/b", "a/b/.git", NULL };
	_cleanup_git_dirs_ struct git_dirs d = { .end_ms = 1 };
	_cleanup_git_dirs_ struct git_dirs again = { 0 };
	_cleanup_close_ int dir = unit_top();
	struct err e = ERR_NONE;

	make(dir, names);
	assert_int_equal(git_dirs_look(dir, &d, &e), 0);
	assert_true(d.late && d.partial);
	is(&d, "");
	/* What was not looked at is, the next time. */
	assert_int_equal(git_dirs_save(dir, "saved", &d, &e), 0);
	git_dirs_load(dir, "saved", &again);
	assert_int_equal(git_dirs_look(dir, &again, &e), 0);
	assert_false(again.late || again.partial);
	is(&again, "a/b=1;");
}

/* Here ".GIT" is not ".git": a directory as any other, and beside one not passed over. */
static void case_is_the_filesystems(void)
{
	static const char *const names[] = { ".GIT", ".GIT/a", ".GIT/a/.git", NULL };
	static const char *const bare[] = { ".GIT/HEAD", ".GIT/objects", ".GIT/refs",
					    ".git", NULL };
	_cleanup_git_dirs_ struct git_dirs d = { 0 };
	_cleanup_close_ int dir = unit_top();
	struct err e = ERR_NONE;

	make(dir, names);
	assert_int_equal(git_dirs_look(dir, &d, &e), 0);
	is(&d, ".GIT/a=1;");
	make(dir, bare);
	assert_int_equal(git_dirs_look(dir, &d, &e), 0);
	is(&d, "=1;.GIT=2;.GIT/a=1;");
}

static const struct unit_case cases[] = {
	{ "finds, again and later", finds },
	{ "another directory of the same time is looked at", looks_at_another },
	{ "ends in time, and goes on from there", ends },
	{ "capitals are another name where they are", case_is_the_filesystems },
};

int main(void)
{
	return unit_cases("git_dirs", cases);
}
