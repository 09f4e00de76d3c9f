/* layer - the layer of a project that is under review: where it is, since when what is in
 * it has been changed, and which of it is git's.
 *
 *   boxes/<key>/project/upper, work   the overlay's
 *   boxes/<key>/project/since         when the last run began, and for what an earlier run
 *                                     has left in the upper, when that run began
 *   boxes/<key>/project/gits          the git directories that the project had then
 *   boxes/<key>/project/git/<id>      what git/take.h keeps for each of them
 *   boxes/<key>/project/outside…      of a repository outside: layer_outside.h
 *
 * Needs:  the box's lock to begin or to change it.
 * Owns:   see the fields.
 * Never:  is part of the box: nothing of it but upper and work is shown there. */
#ifndef ROOTFS_REVIEW_LAYER_H
#define ROOTFS_REVIEW_LAYER_H

#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/scope.h"

enum { LAYER_TEXT = 32 << 20, LAYER_GITS = 200 };

/* Which repository outside of the project the box had: inodes; 0 = none. */
#define LAYER_OF "outside-of"
struct layer_of {
	uint64_t common, tree;
};

struct layer {
	int project;	    /* borrowed: the host's directory */
	int dir;	    /* owned: boxes/<key>/project */
	int upper;	    /* owned */
	int outside, tree;  /* owned: the uppers of layer_outside.h; -1 = none */
	struct layer_of of; /* what these are over */
	uint64_t began;	    /* the last run, ns since 1970 */
	struct buf since;   /* owned: "NS PATH", each ended by NUL, sorted by path */
	struct buf gits;    /* owned: paths, each ended by NUL */
	const char **list;  /* owned: into since */
	size_t n;
};
#define LAYER_NONE                                      \
	((struct layer){ .project = -1,                 \
			 .dir = -1,                     \
			 .upper = -1,                   \
			 .outside = -1,                 \
			 .tree = -1,                    \
			 .since = BUF_INIT(LAYER_TEXT), \
			 .gits = BUF_INIT(LAYER_TEXT) })
void layer_close(struct layer *l);
#define _cleanup_layer_ _cleanup_(layer_close)

/**
 * layer_open() - what there is
 * @project: borrowed
 * Return: 0; -ENOENT: the box was never under review.
 */
int layer_open(int boxdir, int project, struct layer *ret, struct err *e);

/** layer_begin() - a run begins, with nothing mounted; upper and work are there
 *  @now: ns since 1970 */
int layer_begin(int boxdir, int project, uint64_t now, struct err *e);

/** layer_since() - when the run began in which @path was changed first */
uint64_t layer_since(const struct layer *l, const char *path);

/** layer_renew() - the host's files at @paths, each ended by NUL, are known as they are at
 *  @now (ns since 1970): that they changed before is no conflict */
int layer_renew(const struct layer *l, const struct buf *paths, uint64_t now,
		struct err *e);

/** layer_is_git() - whether @path was a git directory of the host's when the run began */
bool layer_is_git(const struct layer *l, const char *path);

/** layer_in_git() - what is below one of them: its name there, borrowed; NULL = none is */
const char *layer_in_git(const struct layer *l, const char *path);

/** layer_git_state() - a directory for git/take.h, owned; made when it is missing */
int layer_git_state(const struct layer *l, const char *path, struct err *e);

/** layer_remove() - @upper, one of a layer's, loses what is at @path
 *  Return: 1; 0: there was nothing; or an errno. */
int layer_remove(int upper, const char *path, struct err *e);

#endif
