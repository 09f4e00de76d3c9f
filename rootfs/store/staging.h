/* staging - a directory in the store's tmp/ for what is being made or removed.
 * Needs:  an open store.
 * Owns:   the directory, until it is renamed away or removed.
 * Never:  is taken for another's: a lock in it is held as long as its maker lives. */
#ifndef ROOTFS_STORE_STAGING_H
#define ROOTFS_STORE_STAGING_H

#include "base/err.h"
#include "base/scope.h"
#include "rootfs/store/boxdir.h"
#include "rootfs/store/store.h"

enum { STAGING_NAME = 64 };

struct staging {
	int dirfd; /* owned */
	int lock;  /* owned: holds tmp/<name>/lock */
	char name[STAGING_NAME];
};
#define STAGING_NONE ((struct staging){ .dirfd = -1, .lock = -1 })

/** staging_new() - make an empty one; @kind begins its name */
int staging_new(const struct store *s, const char *kind, struct staging *ret,
		struct err *e);

/** staging_close() - let go; what is still there is stale from now on */
void staging_close(struct staging *st);
#define _cleanup_staging_ _cleanup_(staging_close)

/** staging_remove() - remove it, if there is one, with all that is in it, and let go; what cannot
 *  be removed is stale from now on */
void staging_remove(const struct store *s, struct staging *st, boxdir_rm_fn *rm,
		    void *ctx);

/** staging_drop() - remove @name of tmp/ with all that is in it: whoever cleans there may have
 *  been faster */
int staging_drop(const struct store *s, const char *name, boxdir_rm_fn *rm, void *ctx,
		 struct err *e);

/** staging_clean() - remove what processes that are gone left behind
 *  Return: how many, or a negative errno. */
int staging_clean(const struct store *s, boxdir_rm_fn *rm, void *ctx, struct err *e);

#endif
