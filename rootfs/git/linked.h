/* git_linked - a ".git" file of a worktree or a submodule: what the settings to which it
 * leads name in the worktree around it.
 * Needs:  named.h.
 * Owns:   nothing.
 * Never:  asks whether that repository leads back to this file: git does not, either. */
#ifndef ROOTFS_GIT_LINKED_H
#define ROOTFS_GIT_LINKED_H

#include "rootfs/git/named.h"

/** git_linked_each() - git_named_in() for the git directory to which the file @a->git leads,
 *  and for the common one of that, where it is a worktree's
 *  @a: the rest of it says where the file is; "apart", "dir" and "place" are not looked at
 *  Return: whether it is such a file, and leads to a directory. */
bool git_linked_each(const struct git_named_at *a, git_named_fn *fn, void *ctx);

#endif
