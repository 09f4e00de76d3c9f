/* pathpattern - a path and a pattern as git has them (gitignore(5), "gitdir:" of
 * gitconfig(5)): fnmatch(3) judges each name, "**" is any number of them.
 * Needs:  nothing; it is pure.
 * Owns:   nothing.
 * Never:  takes longer than a pattern is long times a path. */
#ifndef BASE_PATHPATTERN_H
#define BASE_PATHPATTERN_H

#include "base/def.h"

/* Names, or patterns of names, each with its NUL, which the length counts. */
struct pathpattern {
	const char *s; /* borrowed */
	size_t len;
};

/** pathpattern_split() - the slashes of @path become NULs */
void pathpattern_split(char *path);

/** pathpattern_fits() - "**" at the end of @p is all that is in there: one name at the least
 *  @flags: of fnmatch(3) */
bool pathpattern_fits(struct pathpattern p, struct pathpattern path, int flags);

#endif
