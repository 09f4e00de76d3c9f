/* gitnews - the branches, tags and stash that came of a task in a live project, in one line: git's
 * own files are no changes that a person reads.
 * Needs:  the project's git directory to be in it, and not a file that names one elsewhere.
 * Owns:   what the repository had before.
 * Never:  tells what a project under review has: its changes are told with all others. */
#ifndef CLI_BOX_GITNEWS_H
#define CLI_BOX_GITNEWS_H

#include "cli/show/app.h"
#include "rootfs/git/refs.h"

struct gitnews {
	struct git_refs_pair was; /* owned */
	int project;		  /* borrowed; -1 = there is nothing to tell */
};
#define GITNEWS_NONE ((struct gitnews){ .project = -1 })

/** gitnews_begin() - before a task */
void gitnews_begin(struct gitnews *n, int project);
/** gitnews_end() - once the box has ended, which took over what it did */
void gitnews_end(const struct gitnews *n, const struct app *app);
void gitnews_done(struct gitnews *n);

#endif
