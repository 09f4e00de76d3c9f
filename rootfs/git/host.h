/* git_host - runs the host's own git on a directory of ours, so that what a box wrote is
 * read by git's own checks and by nothing of the repository's or the caller's settings.
 * Needs:  git on the host.
 * Owns:   nothing.
 * Never:  reads configuration other than that of the git directory it is given; asks.
 *
 * Context: changes the working directory: for a process that does nothing else. */
#ifndef ROOTFS_GIT_HOST_H
#define ROOTFS_GIT_HOST_H

#include "base/err.h"

struct git_host_run {
	const char *const *argv; /* argv[0] is "git"; borrowed */
	int cwd;		 /* borrowed */
	int in, out;		 /* borrowed; -1 = nothing */
	int hold; /* it has this as long as it lives; borrowed; -1 = nothing */
	const char *git_dir; /* absolute, or below @cwd */
	const char *objects; /* the same; NULL = those of git_dir */
};

/**
 * git_host_confine() - what this process and the git that it runs may use: time of the
 * processor, memory, half of what is free where @dir is, and no network (where the kernel
 * lets the caller have an empty one)
 */
int git_host_confine(int dir, struct err *e);

/** git_host_there() - whether there is a git on the host */
bool git_host_there(void);

/** git_host_run() - run it to its end; a status other than 0 is -EIO with its last words */
int git_host_run(const struct git_host_run *run, struct err *e);

#endif
