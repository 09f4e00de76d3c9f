/* gittree - which files of a git worktree git would list ("ls-files -co --exclude-standard"),
 * without git, which may not be in a box.
 * Needs:  to be in an applet (applet.h); the entries of one walk (walk.h), in its order.
 * Owns:   what .gitignore files say and what the index names, until gittree_done().
 * Never:  runs anything; reads a file of git's that is larger than GITTREE_FILE_MAX (the
 *         index: GIT_INDEX_MAX), or is no regular one. */
#ifndef RUNTIME_INIT_GITTREE_H
#define RUNTIME_INIT_GITTREE_H

#include "runtime/init/ignore.h"
#include "runtime/init/walk.h"

enum { GITTREE_FILE_MAX = 256 << 10 };

struct gittree {
	struct ignore ignore;
	size_t rules[WALK_DEPTH +
		     2];     /* of a directory that deep: how many there were */
	unsigned depth;	     /* directories below the top whose file was read */
	char path[PATH_MAX]; /* of the walk's start from the top, with a slash */
	size_t start;	     /* bytes of that */
	unsigned
		ignored; /* so deep and deeper only what is tracked is listed; 0 = not */
	char **tracked;	 /* owned; of the index, sorted; NULL = none */
	size_t n_tracked;
	bool found; /* else nothing is ignored */
};

/** gittree_begin() - for a walk of @path. No worktree, or one that cannot be read, is no
 *  failure. 0 or -ENOMEM; release with gittree_done() in any case. */
int gittree_begin(const char *path, struct gittree *ret);
void gittree_done(struct gittree *t);

/** gittree_leaves_out() - is this entry one that git does not list? Each is asked about,
 *  but for those below a directory of which it was said. */
bool gittree_leaves_out(struct gittree *t, const struct walk_entry *w);

#endif
