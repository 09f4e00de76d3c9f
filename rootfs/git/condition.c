#include "rootfs/git/condition.h"

#include <fnmatch.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/pathpattern.h"
#include "base/text.h"

static bool fits(const char *pattern, const char *path, int flags)
{
	char p[PATH_MAX], names[PATH_MAX];
	struct pathpattern parts = { p, strlen(pattern) + 1 };
	struct pathpattern of = { names, strlen(path) + 1 };

	if (text_copy(p, sizeof(p), pattern) < 0 ||
	    text_copy(names, sizeof(names), path) < 0)
		return false;
	pathpattern_split(p);
	pathpattern_split(names);
	return pathpattern_fits(parts, of, flags);
}

/* As git reads it: below the home or beside @file, anywhere where it is not from the root,
 * and a directory is all that is in it. */
static bool whole(const char *pattern, const char *file, char ret[PATH_MAX])
{
	const char *slash = strrchr(file, '/'), *all = "";
	char home[PATH_MAX] = "";
	int n;

	if (pattern[0] && pattern[strlen(pattern) - 1] == '/')
		all = "**";
	if (text_starts(pattern, "~/")) {
		if (!realpath(getenv("HOME") ?: "", home))
			return false;
		n = snprintf(ret, PATH_MAX, "%s%s%s", home, pattern + 1, all);
	} else if (text_starts(pattern, "./")) {
		n = snprintf(ret, PATH_MAX, "%.*s%s%s", slash ? (int)(slash - file) : 0,
			     file, pattern + 1, all);
	} else {
		n = snprintf(ret, PATH_MAX, "%s%s%s", *pattern == '/' ? "" : "**/",
			     pattern, all);
	}
	return n < PATH_MAX;
}

/* What stands before the first wildcard leads over a link: git knows such a path by how its
 * caller came to it. */
static bool over_link(const char *pattern, size_t plain)
{
	char at[PATH_MAX], real[PATH_MAX], *slash;

	snprintf(at, sizeof(at), "%.*s", (int)plain, pattern);
	slash = strrchr(at, '/');
	if (pattern[plain] && slash)
		*slash = '\0';
	return *at && realpath(at, real) && strcmp(at, real) != 0;
}

enum git_condition git_condition_holds(const char *text, const char *file,
				       const char *project)
{
	const bool fold = text_starts(text, "gitdir/i:");
	char pattern[PATH_MAX], git[PATH_MAX];
	size_t plain, len = strlen(project);
	int (*differ)(const char *, const char *, size_t) =
		fold ? strncasecmp : strncmp;

	if (!len || (!fold && !text_starts(text, "gitdir:")) ||
	    !whole(strchr(text, ':') + 1, file, pattern) ||
	    snprintf(git, sizeof(git), "%s/.git", project) >= (int)sizeof(git))
		return GIT_CONDITION_MAYBE;
	if (fits(pattern, git, fold ? FNM_CASEFOLD : 0))
		return GIT_CONDITION_YES;
	plain = strcspn(pattern, "*?[\\");
	if (over_link(pattern, plain))
		return GIT_CONDITION_MAYBE;
	/* of another repository, in the project */
	if (plain > len && pattern[len] == '/' && differ(pattern, project, len) == 0)
		return GIT_CONDITION_MAYBE;
	if (pattern[plain] && plain <= len + 1 && differ(pattern, git, plain) == 0)
		return GIT_CONDITION_MAYBE;
	return GIT_CONDITION_NO;
}
