/* mount_project - the caller's directory inside the box, at its own path, and over each
 * git directory in it a view of the box's own (gitgate.h).
 * Needs:  a root whose /tmp, /run and /dev are mounted already; the stage of root.h as
 *         the working directory.
 * Owns:   nothing.
 * Never:  changes the directory itself; leaves a git directory open because its view
 *         could not be had. */
#ifndef RUNTIME_MOUNT_PROJECT_H
#define RUNTIME_MOUNT_PROJECT_H

#include <errno.h>

#include "base/buf.h"
#include "base/err.h"

/* What mount_project() returns when no overlay can be had on the project. */
#define MOUNT_PROJECT_NO_VIEW (-EMULTIHOP)

struct mount_project_conf {
	const char *path; /* absolute; borrowed */
	int tree;	  /* a detached, recursive copy of its mount; borrowed */
	bool review; /* over it a view of the box's own, whose layer is box/project */
	const struct buf *git; /* what gitgate_find() said; borrowed */
	int *git_failed; /* filled when a view could not be had, and its place is read-only
			    instead: why */
};

int mount_project(int root, const struct mount_project_conf *conf, struct err *e);

/** mount_project_cover() - over what is open as @place a view of the box's own; or what is
 *  there, read-only
 *  @dir:    of the box, with upper and work, its layers; NULL = no view
 *  @failed: filled when the view could not be had: why */
int mount_project_cover(int place, const char *dir, int *failed, struct err *e);

#endif
