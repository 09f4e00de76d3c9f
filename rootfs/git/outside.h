/* git_outside - the repository of a project that lies outside of it, to which the project's
 * ".git" file leads: of a worktree (git worktree add), or of a submodule.
 * Needs:  the project as a descriptor, and its real path.
 * Owns:   see the fields.
 * Never:  believes that file, which a box may have written: where it leads must lead back
 *         to this project, belong to the caller, and be reached without a link. */
#ifndef ROOTFS_GIT_OUTSIDE_H
#define ROOTFS_GIT_OUTSIDE_H

#include <limits.h>

#include "base/err.h"
#include "base/scope.h"

struct git_outside {
	int common; /* owned: objects, refs, configuration */
	int tree; /* owned: HEAD, index and logs of the worktree; -1 = a submodule, which
		       has all in @common */
	char common_path[PATH_MAX]; /* absolute, without links */
	char tree_path[PATH_MAX];   /* COMMON/worktrees/NAME; "" = none */
};
#define GIT_OUTSIDE_NONE ((struct git_outside){ .common = -1, .tree = -1 })
void git_outside_close(struct git_outside *o);
#define _cleanup_git_outside_ _cleanup_(git_outside_close)

/**
 * git_outside_path() - where a path leads that a file in the directory @from names
 *
 * ".." only at the beginning: later ones could pass through a link. Pure.
 * Return: 0; -EBADMSG: no path that git writes.
 */
int git_outside_path(const char *from, const char *to, char ret[PATH_MAX]);

/**
 * git_outside_open() - the repository of @project, whose real path is @path
 * @ret: filled when 1 is returned; release with git_outside_close()
 * Return: 1; 0: there is none, or not outside; negative: there is one that the box may not
 *         have, and @e says why.
 */
int git_outside_open(int project, const char *path, struct git_outside *ret,
		     struct err *e);

#endif
