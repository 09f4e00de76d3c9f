#include "rootfs/git/condition.h"

#include <fnmatch.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

/* One part of a path, and its pattern. */
static bool part_fits(const char *pattern, size_t n, const char *part, size_t len,
		      int flags)
{
	char a[NAME_MAX + 1], b[NAME_MAX + 1];

	if (n >= sizeof(a) || len >= sizeof(b))
		return false;
	snprintf(a, sizeof(a), "%.*s", (int)n, pattern);
	snprintf(b, sizeof(b), "%.*s", (int)len, part);
	return fnmatch(a, b, flags) == 0;
}

/* "**" is any number of parts; no other wildcard goes over a slash. */
static bool fits(const char *pattern, const char *path, int flags)
{
	for (;;) {
		size_t n = strcspn(pattern, "/"), len = strcspn(path, "/");

		if (n == 2 && pattern[0] == '*' && pattern[1] == '*') {
			bool last = !pattern[2];

			while (!last && path && !fits(pattern + 3, path, flags)) {
				path = strchr(path, '/');
				path = path ? path + 1 : NULL;
			}
			return path;
		}
		if (!part_fits(pattern, n, path, len, flags))
			return false;
		if (!pattern[n] || !path[len])
			return !pattern[n] && !path[len];
		pattern += n + 1;
		path += len + 1;
	}
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
