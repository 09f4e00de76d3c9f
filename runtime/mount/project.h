/* mount_project - the caller's directory inside the box, at its own path, and what of
 * its .git must not be written from there (DESIGN.md 5, KERNEL.md M7 and M8). Needs:  a
 * root whose /tmp, /run and /dev are mounted already. Owns:   nothing. Never:  changes
 * the directory itself. */
#ifndef RUNTIME_MOUNT_PROJECT_H
#define RUNTIME_MOUNT_PROJECT_H

#include "base/err.h"

struct mount_project_conf {
	const char *path; /* absolute; borrowed */
	int tree;	  /* a detached, recursive copy of its mount; borrowed */
	bool git_writable;
};

int mount_project(int root, const struct mount_project_conf *conf, struct err *e);

#endif
