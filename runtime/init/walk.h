/* walk - the files below a directory, in the order of their names.
 * Needs:  to be in an applet (applet.h).
 * Owns:   nothing after it returned.
 * Never:  follows a link; goes into /proc or /sys, deeper than WALK_DEPTH, or past
 *         WALK_MOST names. */
#ifndef RUNTIME_INIT_WALK_H
#define RUNTIME_INIT_WALK_H

#include <sys/stat.h>

#include "base/err.h"

enum { WALK_DEPTH = 64, WALK_MOST = 500000 };

struct walk_entry {
	int dirfd;	  /* borrowed; of the directory that it is in */
	const char *name; /* in it */
	const char *path; /* from where the walk began */
	const struct stat
		*st; /* of what a link leads to; of the link where that is gone */
	bool directory;
};

enum walk_next { WALK_ON, WALK_SKIP, WALK_STOP }; /* SKIP: not into this directory */
typedef enum walk_next walk_fn(void *ctx, const struct walk_entry *w);

/** walk_tree() - 0; 1: there were too many names; or why @path cannot be walked */
int walk_tree(const char *path, walk_fn *fn, void *ctx, struct err *e);

/** walk_is_kernels() - is it below /proc or /sys, whose files the kernel makes up? */
bool walk_is_kernels(int fd);

/** walk_names() - the names in a directory, sorted; NULL-ended; free each and the list */
int walk_names(int dirfd, char ***ret, struct err *e);
void walk_names_free(char ***names);

#endif
