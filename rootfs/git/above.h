/* git_above - repositories that the project lies in: what their settings name is in the
 * project, perhaps.
 * Needs:  named.h.
 * Owns:   nothing.
 * Never:  asks whether git would take such a one for a repository: what it names is said. */
#ifndef ROOTFS_GIT_ABOVE_H
#define ROOTFS_GIT_ABOVE_H

#include "rootfs/git/named.h"

/** git_above_each() - call @fn for each path below the project @root, an absolute path, that
 *  the settings of a repository above it name, or those of the user as they count there, or
 *  to which a link of such a repository leads
 *  @own: also for those of the repository whose worktree is the project */
void git_above_each(const char *root, bool own, git_named_fn *fn, void *ctx);

#endif
