/* snapshot - states of a box that have a name: kept, gone back to, made into another box.
 * Needs:  an open store; a stopped box and its lock (boxdir_lock()), or one that is copied.
 * Owns:   boxes/<key>/snapshots/<name>: lists of layers (chain.h).
 * Never:  copies what is in a layer itself; removes one that anything refers to. */
#ifndef ROOTFS_STORE_SNAPSHOT_H
#define ROOTFS_STORE_SNAPSHOT_H

#include <stdint.h>

#include "rootfs/store/chain.h"

/* What restoring keeps of the state that it leaves. */
#define SNAPSHOT_BEFORE "before-restore"

/* A box that runs is not sealed but copied. */
struct snapshot_copy {
	/* its upper and what is under review, into a new layer: "machine", "project" */
	int (*fn)(void *ctx, int layer, struct err *e);
	void *ctx;
	struct boxdir_rm rm; /* for what is left of a copy that failed */
};

/** snapshot_take() - keep the state of the box as @name, which it must not have yet
 *  @copy: NULL = the box is stopped and locked
 *  Return: 0; -EEXIST; what chain_seal() or @copy returned. */
int snapshot_take(const struct boxdir *b, const char *name,
		  const struct snapshot_copy *copy, struct chain *ret, struct err *e);

/** snapshot_check() - -ENOENT: there is none of that name, which is said */
int snapshot_check(const struct boxdir *b, const char *name, struct err *e);

/** snapshot_restore() - go back to the state @name; the present one is SNAPSHOT_BEFORE
 *  Return: 0; -ENOENT: there is none of that name. */
int snapshot_restore(const struct boxdir *b, const char *name, struct err *e);

struct snapshot_branch {
	const char *from;	/* borrowed; NULL = the present state */
	const char *key;	/* borrowed: of the new box, which must not be there */
	const struct json *box; /* borrowed: its box.json */
	const struct snapshot_copy *copy; /* as snapshot_take()'s, where it is used */
};
/** snapshot_branch() - make another box that begins at a state of this one */
int snapshot_branch(const struct boxdir *b, const struct snapshot_branch *to,
		    struct err *e);

/** snapshot_list() - call @each for every one, in no order; as boxdir_list() */
int snapshot_list(const struct boxdir *b,
		  int (*each)(void *ctx, const char *name, const struct chain *c),
		  void *ctx, struct err *e);

/** snapshot_forget() - the box has no snapshot @name any more; layers stay until
 *  snapshot_collect(). -ENOENT */
int snapshot_forget(const struct boxdir *b, const char *name, struct err *e);

struct snapshot_steps {
	unsigned all, unused; /* results of setup steps */
};
/** snapshot_steps() - count the results of setup steps (stepcache.h) that no box stands on
 *  and that were not used since @before; @forget: and forget them */
int snapshot_steps(const struct store *s, int64_t before, bool forget,
		   struct snapshot_steps *ret, struct err *e);

/** snapshot_collect() - remove the layers that no box, no snapshot and no result of a
 *  setup step has any more */
int snapshot_collect(const struct store *s, const struct boxdir_rm *rm, struct err *e);

/** snapshot_bytes() - what the box takes on disk: its upper and all its layers, also those
 *  that it shares with others */
uint64_t snapshot_bytes(const struct boxdir *b);

#endif
