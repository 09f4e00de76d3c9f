/* git_named - what a repository's settings name in the tree: paths that git runs or obeys.
 *
 * Does:   tells the path that a setting means, below the project; and whether what is there
 *         is another than it was.
 * Needs:  a setting of config.h.
 * Owns:   nothing.
 * Never:  follows a link but by its text; changes anything. */
#ifndef ROOTFS_GIT_NAMED_H
#define ROOTFS_GIT_NAMED_H

#include <limits.h>
#include <stdbool.h>
#include <sys/types.h>

#include "rootfs/git/config.h"

struct git_named_at {
	const char *root; /* borrowed: the project's path, absolute */
	const char *git;  /* borrowed: the ".git" with the settings, below it */
	bool apart; /* its config.worktree, too: of a worktree's repository it is the main one's */
	int project, dir; /* borrowed: the project, the git directory */
	const char
		*place; /* borrowed: its path, if that is not what @git says; or NULL */
};

enum git_named {
	GIT_NAMED_NONE, /* there is no such word, or none of the setting's is a path */
	GIT_NAMED_IF_FILE, /* what git makes of the word is not known */
	GIT_NAMED_ALWAYS   /* git reads or runs it, and what will be there */
};

/** git_named_path() - the path below the project that @it names
 *  @n:    which word of it, from 0, where it is a command
 *  @a:    "project" may be -1: then the project has no other name than "root"
 *  @from: the directory of the file that has the setting
 *  @ret:  "" = this one names none, or none below the project; GIT_NAMED_PROJECT = the project
 *         itself */
#define GIT_NAMED_PROJECT "."
enum git_named git_named_path(const struct git_config_item *it, size_t n,
			      const struct git_named_at *a, const char *from,
			      char ret[PATH_MAX]);

/* @path: NULL = settings could not be read to their end, and may name more. */
typedef void git_named_fn(void *ctx, const char *path);

/** git_named_hooks() - what git runs of a directory, call @fn for each: for one that is named
 *  as a whole, and cannot be guarded as such */
void git_named_hooks(git_named_fn *fn, void *ctx);

/** git_named_in() - call @fn for each path that the configuration of a repository names, with
 *  what it includes, and for those below the project to which it, hooks and attributes are
 *  links */
void git_named_in(const struct git_named_at *a, git_named_fn *fn, void *ctx);

/** git_named_user() - the same for the settings of the user and of the machine, as they
 *  count in the repository @a, of which "dir" is not looked at
 *  Return: true: there are some, which may name one in another repository. */
bool git_named_user(const struct git_named_at *a, git_named_fn *fn, void *ctx);

/** git_named_changed() - whether there is at @path what was not there at the start; a link
 *  on the way counts, for there was none
 *  @ino: of what was there; 0 = nothing
 *  @ret: what is to be set aside, below @project */
bool git_named_changed(int project, const char *path, ino_t ino, char ret[PATH_MAX]);

#endif
