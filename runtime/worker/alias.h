/* alias - files of the project that act on the host under another name: ".envrc" may be a link
 * to "env/rc", which no rule names. What git's settings name is added (gitnames.h).
 * Needs:  the project as a descriptor.
 * Owns:   its list.
 * Never:  follows a link: where it leads is read from its text. */
#ifndef RUNTIME_WORKER_ALIAS_H
#define RUNTIME_WORKER_ALIAS_H

#include <stddef.h>

#include "base/scope.h"

struct alias {
	char *path; /* owned; below the project: where a link leads, or what git runs */
	const char *why; /* what reads it; static */
};

struct aliases {
	struct alias *list; /* owned */
	size_t n;
};
void aliases_done(struct aliases *a);
#define _cleanup_aliases_ _cleanup_(aliases_done)

/** aliases_find() - the links that the host has under such names, at the top of the project
 *  and in directories there that act; what there is no memory for is left out */
void aliases_find(int project, struct aliases *ret);

/** aliases_add() - one more; what there is no memory for is left out */
void aliases_add(struct aliases *a, const char *path, const char *why);

/** aliases_why() - why @path is held, or NULL: no such link leads to it, or above it */
const char *aliases_why(const struct aliases *a, const char *path);

#endif
