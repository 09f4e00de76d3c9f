/* mount_outside - the repository of a worktree or a submodule (rootfs/git/outside.h), in the
 * box at the path that it has on the host, so that the project's ".git" file leads there.
 * Needs:  a root whose /tmp is mounted and whose project is not yet; the stage of
 *         root.h as the working directory.
 * Owns:   nothing.
 * Never:  shows what belongs to other worktrees, or to submodules; mounts on anything but
 *         the box's own root, its /tmp and its /run. */
#ifndef RUNTIME_MOUNT_OUTSIDE_H
#define RUNTIME_MOUNT_OUTSIDE_H

#include "base/buf.h"
#include "base/err.h"

/* Kinds of mounts (mount_project_conf's git): of the repository, and behind it of the
 * worktree's own directory; as a view of the box's own, or read-only. Their names are
 * directories of the box. */
enum { MOUNT_OUTSIDE_VIEW = 'O', MOUNT_OUTSIDE_READ = 'o', MOUNT_OUTSIDE_TREE = 't' };

/** mount_outside_is() - whether @git names one */
bool mount_outside_is(const struct buf *git);

/**
 * mount_outside_open() - the repository as a detached tree, if @git names one
 * @ret: owned; -1 = none
 *
 * Context: the caller, or box root in a map where that is the caller.
 */
int mount_outside_open(const struct buf *git, int *ret, struct err *e);

/**
 * mount_outside() - mount it
 * @tree:   of mount_outside_open(); borrowed
 * @failed: filled when a view could not be had, and it is read-only instead: why
 */
int mount_outside(int root, int tree, const struct buf *git, int *failed,
		  struct err *e);

#endif
