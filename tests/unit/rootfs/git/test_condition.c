#include "rootfs/git/condition.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/unit/unit.h"

#define LONG "0123456789012345678901234567890123456789012345678901234567890123456789"
#define TWICE LONG LONG LONG

#define NO GIT_CONDITION_NO
#define YES GIT_CONDITION_YES
#define MAYBE GIT_CONDITION_MAYBE

/* The home is /h, the file /h/conf/file. */
static const struct row {
	const char *name, *text, *project;
	enum git_condition want;
} rows[] = {
	{ "a directory", "gitdir:/h/work/", "/h/work/p", YES },
	{ "itself", "gitdir:/h/work/", "/h/work", YES },
	{ "deep in it", "gitdir:/h/work/", "/h/work/a/b/c", YES },
	{ "another", "gitdir:/h/work/", "/h/play/p", NO },
	{ "one that begins alike", "gitdir:/h/work/", "/h/workshop", NO },
	{ "below the home", "gitdir:~/work/", "/h/work/p", YES },
	{ "not below the home", "gitdir:~/work/", "/work/p", NO },
	{ "beside the file", "gitdir:./work/", "/h/conf/work/p", YES },
	{ "not beside the file", "gitdir:./work/", "/h/work/p", NO },
	{ "anywhere", "gitdir:work/", "/a/b/work/p", YES },
	{ "anywhere, and perhaps in it", "gitdir:work/", "/a/b/p", MAYBE },
	{ "exactly", "gitdir:/h/p/.git", "/h/p", YES },
	{ "exactly another", "gitdir:/h/q/.git", "/h/p", NO },
	{ "without the slash it is the git directory", "gitdir:/h/work", "/h/work",
	  NO },
	{ "a repository in it", "gitdir:/h/p/sub/", "/h/p", MAYBE },
	{ "exactly one in it", "gitdir:/h/p/sub/.git", "/h/p", MAYBE },
	{ "a star for a part", "gitdir:/h/*/p/", "/h/work/p", YES },
	{ "a star over a slash", "gitdir:/h/*/p/", "/h/a/b/p", MAYBE },
	{ "a star elsewhere", "gitdir:/g/*/p/", "/h/a/p", NO },
	{ "stars over slashes", "gitdir:/h/**/p/.git", "/h/a/b/p", YES },
	{ "stars over nothing", "gitdir:/h/**/p/.git", "/h/p", YES },
	{ "letters of another size", "gitdir:/h/Work/", "/h/work/p", NO },
	{ "letters of any size", "gitdir/i:/h/Work/", "/h/work/p", YES },
	{ "letters of any size, one in it", "gitdir/i:/h/P/sub/", "/h/p", MAYBE },
	{ "a branch", "onbranch:main", "/h/p", MAYBE },
	{ "a remote", "hasconfig:remote.*.url:x", "/h/p", MAYBE },
	{ "a project that is not known", "gitdir:/h/work/", "", MAYBE },
	{ "nothing", "gitdir:", "/h/p", MAYBE },
	{ "a part that is too long for a name", "gitdir:/h/" TWICE TWICE "/", "/h/p",
	  NO },
};

/* The same below a directory that is there: the home is asked for its path without links. */
static const char *placed(const char *text, char ret[8192])
{
	const char *at = strstr(text, ":/");

	if (*text == '/')
		snprintf(ret, 8192, "%s%s", unit_tmpdir(), text);
	else if (at)
		snprintf(ret, 8192, "%.*s:%s%s", (int)(at - text), text, unit_tmpdir(),
			 at + 1);
	else
		snprintf(ret, 8192, "%s", text);
	return ret;
}

static void test(const void *p)
{
	const struct row *row = p;
	char home[8192], text[8192], file[8192], project[8192];

	placed("/h", home);
	if (access(home, F_OK) != 0)
		assert_int_equal(mkdir(home, 0700), 0);
	setenv("HOME", home, 1);
	assert_int_equal(git_condition_holds(placed(row->text, text),
					     placed("/h/conf/file", file),
					     placed(row->project, project)),
			 row->want);
}

/* git on the host knows the path by which somebody came. */
static void over_a_link(void)
{
	char text[8192], link[8192], project[8192];

	assert_int_equal(symlink("/", placed("/link", link)), 0);
	assert_int_equal(git_condition_holds(placed("gitdir:/link/", text), "/f",
					     placed("/h/p", project)),
			 MAYBE);
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "over a link", over_a_link },
	};

	return unit_rows("git_condition", rows, test) +
	       unit_cases("over a link", cases);
}
