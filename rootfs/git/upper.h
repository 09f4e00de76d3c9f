/* upper - what the upper directory of an overlay holds: the differ of a copy-on-write view
 * of a directory of the host's. Which file belongs to which class is its clients' to say.
 * Needs:  an upper written with userxattr; it may be mounted, then what is seen is of
 *         some moment.
 * Owns:   nothing.
 * Never:  follows a link; opens anything but directories; leaves the directory. */
#ifndef ROOTFS_GIT_UPPER_H
#define ROOTFS_GIT_UPPER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

#include "base/err.h"

enum upper_kind {
	UPPER_FILE,
	UPPER_DIR,    /* before what is in it */
	UPPER_OPAQUE, /* the same: it hides all that the lower directory holds */
	UPPER_LEFT,   /* the same directory again, after what is in it */
	UPPER_LINK,
	UPPER_GONE,   /* a whiteout: the lower's file or directory was removed */
	UPPER_CLOSED, /* a directory that cannot be read */
	UPPER_ODD     /* devices, sockets, FIFOs */
};

enum { UPPER_ENTRIES = 1000000, UPPER_DEPTH = 64, UPPER_SKIP = 1 };

struct upper_entry {
	const char *path; /* below the upper; borrowed, as all of it */
	const char *name; /* the last part of it */
	int dir;	  /* that holds it */
	enum upper_kind kind;
	struct stat st;
};

/* A negative result ends upper_walk(), which returns it; fill @e then. UPPER_SKIP for a
 * directory: it is not entered. */
typedef int upper_fn(void *ctx, const struct upper_entry *x, struct err *e);

/** upper_walk() - call @fn for everything in @dir
 *  Return: 0, -E2BIG (more or deeper than the limits), what @fn returned, or an errno. */
int upper_walk(int dir, upper_fn *fn, void *ctx, struct err *e);

/** upper_is_opaque() - whether a directory of it hides the lower one */
bool upper_is_opaque(int dir);

/** upper_sign() - a number that changes whenever what is in @dir does; 0 = it is empty */
int upper_sign(int dir, uint64_t *ret, struct err *e);

/** upper_sign_host() - the same of a git directory of the host, but for single objects: that
 *  one was added shows in its directory. -E2BIG: too many files */
int upper_sign_host(int dir, uint64_t *ret, struct err *e);

/** upper_sign_tree() - the same of any tree, and of its top: a project before and after
 *  something ran in it. -E2BIG: too many names; or why not all of it can be looked at */
int upper_sign_tree(int dir, uint64_t *ret, struct err *e);

/* What it adds to a git directory under names that are their sums. */
struct upper_objects {
	size_t loose, packs;
};
void upper_objects(int git, struct upper_objects *ret);

#endif
