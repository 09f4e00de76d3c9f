/* project_dir - which directories may be the project of a box, and which are too wide or
 * private: the box may read, change and delete all that is in it.
 * Needs:  the host's mounts and /etc/passwd; a path that spec_locate() resolved.
 * Owns:   nothing.
 * Never:  goes by names alone: a bind mount, a link or another spelling of a directory is
 *         found by its device and inode. */
#ifndef RUNTIME_BOX_PROJECT_DIR_H
#define RUNTIME_BOX_PROJECT_DIR_H

#include <stdbool.h>

#include "base/err.h"

struct project_dir {
	const char *path;   /* real and absolute */
	const char *store;  /* path of the store; NULL = none */
	const char *passwd; /* the accounts of the host; NULL = /etc/passwd */
	bool allow_home;    /* the caller's own home is meant */
	bool any;	    /* whatever may be permitted is */
	bool beside;	    /* it is no project: a volume */
};

/**
 * project_dir_check() - whether a box may have this directory
 *
 * Refused is what is or contains a home, a system or runtime directory, the store or the
 * sockets of the boxes, and what lies in the system's or a home's private places. Some
 * stay refused whatever is permitted: the root directory, what is the kernel's, what lies
 * in the store or beside the sockets.
 *
 * Return: 0 or -EPERM, with the reason and the option that permits it.
 */
int project_dir_check(const struct project_dir *d, struct err *e);

/** project_dir_review() - whether it can be shown under a layer of the box's own
 *  Return: 0 or -EXDEV, with the reason. */
int project_dir_review(const struct project_dir *d, struct err *e);

#endif
