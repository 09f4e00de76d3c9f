/* layer_outside - what a box under review has changed in a repository that lies outside of its
 * project: of a worktree, or of a submodule (rootfs/git/outside.h).
 *
 *   boxes/<key>/project/outside/upper, work        over the repository
 *   boxes/<key>/project/outside-tree/upper, work   over the worktree's own directory
 *   boxes/<key>/project/outside-of                 which two these are: their inodes
 *
 * Needs:  layer.h.
 * Owns:   the file "outside-of".
 * Never:  finds the repository by anything that the box can write: it asks the host's own
 *         ".git" file, each time; takes what was made over one repository for another's. */
#ifndef ROOTFS_REVIEW_LAYER_OUTSIDE_H
#define ROOTFS_REVIEW_LAYER_OUTSIDE_H

#include "rootfs/git/outside.h"
#include "rootfs/git/take.h"
#include "rootfs/git/upper.h"
#include "rootfs/review/layer.h"

/* How the list of changes and a person call it; and the names of its layers. */
#define LAYER_OUTSIDE ".git"
#define LAYER_OUTSIDE_COMMON "outside"
#define LAYER_OUTSIDE_TREE "outside-tree"

/**
 * layer_outside_begin() - a run begins, with nothing mounted; the layers are there
 * @o: the repository; borrowed
 * Return: 0; -ESTALE: they have what was made over another repository; or an errno. Then
 *         the box may only read it.
 */
int layer_outside_begin(int boxdir, int project, const struct git_outside *o,
			struct err *e);

/** layer_outside_is() - whether @path in the list of changes is that repository, not what
 *  the host has there */
bool layer_outside_is(const struct layer *l, const char *path);

/** layer_outside_left() - whether its layers hold something, though the project has a repository
 *  of its own by now: the list has a line of that name for it, which is never taken over */
bool layer_outside_left(const struct layer *l);

/** layer_outside_walk() - @fn for all in its layers; @where says in which of them */
typedef int layer_outside_fn(void *ctx, enum git_take_where where,
			     const struct upper_entry *x, struct err *e);
int layer_outside_walk(const struct layer *l, layer_outside_fn *fn, void *ctx,
		       struct err *e);

/** layer_outside_sign() - as upper_sign(), of both layers */
int layer_outside_sign(const struct layer *l, uint64_t *ret, struct err *e);

/** layer_outside_discard() - the layers lose what is at @path of them; "" = all
 *  Return: 1; 0: there was nothing; or an errno. */
int layer_outside_discard(const struct layer *l, const char *path, struct err *e);

/* What git/take.h works on. */
struct layer_outside {
	struct git_outside is;	   /* owned */
	struct git_take_tree tree; /* borrowed from both */
	struct layer_of of;	   /* which it is */
};
#define LAYER_OUTSIDE_NONE ((struct layer_outside){ .is = GIT_OUTSIDE_NONE })
void layer_outside_close(struct layer_outside *o);

/**
 * layer_outside_open() - find it on the host, now
 * @path: the real path of the project
 * Return: 0; -ESTALE: it is not the one that the layers are of; -ENOENT: there is none; or
 *         why the box may not have it
 */
int layer_outside_open(const struct layer *l, const char *path,
		       struct layer_outside *ret, struct err *e);

enum { LAYER_OUTSIDE_NAME = 64 };
/** layer_outside_name() - what stands for a repository in a file; layer_open() reads it */
void layer_outside_name(const struct layer_of *of, char ret[LAYER_OUTSIDE_NAME]);

/** layer_outside_state() - as layer_git_state() */
int layer_outside_state(const struct layer *l, struct err *e);

/** layer_outside_conf() - @conf gets its directories, those of the layers and its tree */
void layer_outside_conf(const struct layer *l, struct layer_outside *o,
			struct git_take_conf *conf);

#endif
