/* bare - which changes lie in a directory that git takes for a repository by what is in it: it
 * has no ".git" in its name, and git obeys its settings and hooks as soon as somebody is in it.
 * Needs:  an open layer and its list of changes.
 * Owns:   its list of such directories.
 * Never:  asks whether git would like what HEAD says: what looks like one is one. */
#ifndef RUNTIME_WORKER_BARE_H
#define RUNTIME_WORKER_BARE_H

#include "base/scope.h"
#include "rootfs/review/diff.h"

struct bare_dir {
	const char *path; /* borrowed; the directory is its first @len bytes */
	size_t len;	  /* 0 = the project itself */
	unsigned has;	  /* what makes it one */
};

struct bare {
	struct bare_dir *dirs; /* owned; sorted by path */
	size_t n;
	bool failed; /* there was no memory for it: nothing is known */
};
void bare_done(struct bare *b);
#define _cleanup_bare_ _cleanup_(bare_done)

/** bare_find() - what is one on the host, or would be with all that the box has made
 *  @l, @d: borrowed, as long as @ret is used */
void bare_find(const struct layer *l, const struct diff *d, struct bare *ret);

/** bare_has() - whether the change is of something in such a directory */
bool bare_has(const struct bare *b, const char *path);

#endif
