/* git_dirs - where in a project repositories are: each ".git", of whatever kind, and each
 * directory that git takes for a repository by what is in it.
 * Needs:  the project as a descriptor.
 * Owns:   the list of its directories, so that a later look reads only those that changed.
 * Never:  follows a link, or passes over anything in silence: then @partial or @closed is
 *         set. */
#ifndef ROOTFS_GIT_DIRS_H
#define ROOTFS_GIT_DIRS_H

#include <limits.h>
#include <stdbool.h>

#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "base/scope.h"

enum { GIT_DIRS_MAX = 20000, GIT_DIRS_DEPTH = 24 };
enum {
	GIT_DIRS_DOT = 1,  /* has a ".git" */
	GIT_DIRS_BARE = 2, /* is a git directory itself */
};

struct git_dir {
	char *path;	/* owned; "" = the project itself */
	uint64_t ctime; /* ns; 0 = look again */
	ino_t ino;	/* two directories that a box made can be of one time */
	unsigned flags;
};

struct git_dirs {
	struct git_dir *list; /* owned; sorted by path */
	size_t n, sorted;
	uint64_t
		end_ms; /* a look ends then, and goes on the next time; 0 = it has time */
	bool partial;
	bool late; /* and that is why */
	bool closed; /* by its mode one could not be read: it may hold some all the same */
};
void git_dirs_done(struct git_dirs *d);
#define _cleanup_git_dirs_ _cleanup_(git_dirs_done)

/** git_dirs_look() - find all, or what changed since the last look */
int git_dirs_look(int project, struct git_dirs *d, struct err *e);

/** git_dirs_load(), git_dirs_save() - in a file of ours, for the next start; what cannot
 *  be read is looked at anew */
void git_dirs_load(int dir, const char *name, struct git_dirs *d);
int git_dirs_save(int dir, const char *name, const struct git_dirs *d, struct err *e);

/** git_dirs_path() - where what @flag (GIT_DIRS_…) says is, below the project; false: no such */
bool git_dirs_path(const struct git_dir *d, unsigned flag, char ret[PATH_MAX]);

#endif
