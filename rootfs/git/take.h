/* git_take - what a box changed in its view of a git directory, taken over to the host's by
 * meaning: objects by their sums, refs only from where the box found them, an index that
 * names nothing new to obey. All else stays in the box and is said.
 * Needs:  an upper directory (upper.h); git on the host for objects and refs.
 * Owns:   nothing but the files below @state.
 * Never:  writes to the host what git runs, obeys or follows; removes an object; moves what
 *         is not a worktree's own from there; loses a branch of the box: what it may not
 *         move becomes refs/cubby/box/….
 *
 * Every step may be done again: a kill at any instant is mended by the next call. */
#ifndef ROOTFS_GIT_TAKE_H
#define ROOTFS_GIT_TAKE_H

#include "base/err.h"

/* A worktree's own directory: HEAD, index, messages, the log of HEAD. */
struct git_take_tree {
	int git, upper; /* borrowed */
};

struct git_take_conf {
	int git;   /* the host's git directory; borrowed, as all of it */
	int upper; /* what the box changed in its view of it */
	int state; /* a directory of ours for this repository */
	const struct git_take_tree *tree; /* borrowed; NULL = all is in @git: else refs
					     that are not this worktree's stay */
	int record; /* another, where git_take_back() finds what was done; -1 = it is not noted.
		       Each git that is run has it open: a lock on it is free when all are done */
	const char *shown; /* how a person knows it: ".git" */
	bool listed; /* what is never taken over is shown by who asked: it is not said */
	bool offline; /* nothing is mounted: git_take_clean() comes when it was taken over */
	void (*say)(void *ctx, const char *line);
	void *ctx;
};

/** git_take_begin() - note where the box starts from. Before the view is there, and with
 *  an upper in which nothing waits to be taken over */
int git_take_begin(const struct git_take_conf *conf, struct err *e);

/**
 * git_take_over() - take over what can be
 *
 * Context: a process of its own: it changes the working directory and runs git.
 * Return: 0, also when something was kept; 1: all of it was. That was said.
 */
int git_take_over(const struct git_take_conf *conf, struct err *e);

/** git_take_clean() - what was taken over leaves the upper, and the box starts from what the
 *  host has now. Nothing is mounted; it may be done again */
int git_take_clean(const struct git_take_conf *conf, struct err *e);

/**
 * git_take_back() - what git_take_over() did that is noted in @record becomes what it was:
 * refs, HEAD, the index, messages. What has been changed since stays, and is said. Objects
 * stay, and the logs of refs that do; of a ref that is removed it is said where it was.
 * Neither @upper nor @state is needed.
 *
 * Context: as git_take_over(). It may be done again.
 */
int git_take_back(const struct git_take_conf *conf, struct err *e);

/* Which git directory: one that has all, the repository of a worktree, or its own. */
enum git_take_where { GIT_TAKE_ALONE, GIT_TAKE_COMMON, GIT_TAKE_TREE };

/** git_take_held() - why what is at @path in a git directory is never taken over by its
 *  meaning; NULL = it is, or nobody wants it */
const char *git_take_held(const char *path, enum git_take_where where);

#endif
