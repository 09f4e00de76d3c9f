/* chain - the layers that a box has between its image and its upper, and how one more is
 * made: nothing is written to them any more, so that any number of boxes share them.
 *
 *   layers/<id>/machine     what was the upper of a box
 *   layers/<id>/project     what was its directory "project" (rootfs/review/layer.h)
 *   layers/lock             held by whoever makes, hands on or collects layers
 *   boxes/<key>/chain       which of them the box has; none = none
 *
 * Needs:  the box's lock and chain_lock() to change anything.
 * Owns:   nothing.
 * Never:  leaves a box without one of its layers, whenever it is killed (docs/adr/0021). */
#ifndef ROOTFS_STORE_CHAIN_H
#define ROOTFS_STORE_CHAIN_H

#include <sys/types.h>

#include "base/err.h"
#include "rootfs/store/boxdir.h"

enum { CHAIN_MOST = 32, CHAIN_ID = 17, CHAIN_VIEWS = 3 };

/** What is under review, in a box's directory: the project, a repository outside of it and the
 *  worktree's part of that (rootfs/review/layer_outside.h); each with its layer in "upper" */
extern const char *const chain_views[CHAIN_VIEWS];

struct chain {
	char layers[CHAIN_MOST][CHAIN_ID]; /* the top one first */
	size_t n;
	char project
		[CHAIN_ID]; /* the layer that has the project's changes, of which the box
				   has no copy yet; "" = none */
	mode_t mode;	    /* of the upper: the box's "/"; 0 = not known */
	int64_t made;	    /* seconds since 1970; of a snapshot */
	bool fresh; /* chain_seal() has just written it: "chain" says the same */
};

/** chain_load() - read the file @name; one that is not there is an empty chain for
 *  "chain", and -ENOENT for any other */
int chain_load(int dirfd, const char *name, struct chain *ret, struct err *e);

/** chain_save() - replace it atomically; after a loss of power the old one may be there */
int chain_save(int dirfd, const char *name, const struct chain *c, struct err *e);

/** chain_link() - @from gets another name, in place of what has it: the same as saving it,
 *  without waiting for the disk */
int chain_link(int dirfd, const char *from, int todir, const char *to, struct err *e);

/** chain_forget() - a box that is made anew has no layers */
int chain_forget(int boxdir, struct err *e);

/** chain_dir() - a descriptor of layers/, owned; made when it is missing */
int chain_dir(const struct store *s, struct err *e);

/** chain_lock() - no layer comes, goes or is shared until the descriptor is closed */
int chain_lock(int layers, struct err *e);

/** chain_layer() - a new, empty layer, which nobody has yet; the lock is held, or @layers is
 *  a directory that nobody else has
 *  Return: a descriptor of layers/<id>, owned. */
int chain_layer(int layers, char id[CHAIN_ID], struct err *e);

/** chain_untouched() - the box is its image alone */
bool chain_untouched(const struct boxdir *b);

/** chain_reviews() - changes of the project wait in the box */
bool chain_reviews(const struct boxdir *b);

enum chain_what {
	CHAIN_STATE, /* what there is */
	CHAIN_ALL, /* the same, and the box's directory of them goes even where it is empty */
	CHAIN_PROJECT /* these alone */
};

/**
 * chain_seal() - the upper of a stopped box becomes a layer, and a new one is its upper
 * @ret:     what the box has now; its upper is empty
 *
 * What is empty makes no layer.
 * Return: 0; -EOPNOTSUPP: the box is a copy of its image; -E2BIG: the chain is too long.
 */
int chain_seal(int layers, const struct boxdir *b, enum chain_what what,
	       struct chain *ret, struct err *e);

/** chain_copyable() - what the box has below what is to be copied, without any lock
 *  Return: 0; -EOPNOTSUPP, -E2BIG: as chain_seal(). */
int chain_copyable(const struct boxdir *b, struct chain *ret, struct err *e);

/**
 * chain_copied() - what the box has, would its upper and what it has under review be what was
 * copied into a new layer; the lock is held
 * @was:   what chain_copyable() said before it was copied
 * @layer: a descriptor of layers/@id: "machine" and "project", as far as they are there
 * Return: 0; -E2BIG; -EBUSY: it has other layers by now. Nothing of the box is changed.
 */
int chain_copied(const struct boxdir *b, const struct chain *was, int layer,
		 const char id[CHAIN_ID], struct chain *ret, struct err *e);

/**
 * chain_pending() - what is under review in a layer, and the box has no copy of
 * @ret: a descriptor of layers/<id>/project, owned; filled when 1 is returned
 * Return: 1; 0: nothing is to be copied. A copy that is there by now is noted as such.
 */
int chain_pending(int layers, int boxdir, int *ret, struct err *e);

#endif
