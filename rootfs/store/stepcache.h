/* stepcache - what steps of a setup made of a box is kept under a key that says all that it
 * depends on: layers (chain.h) which any new box can begin with.
 * Needs:  a stopped box and its lock (boxdir_lock()) to change one.
 * Owns:   steps/<key> of the store: lists of layers. The time of such a file is that of its
 *         last use.
 * Never:  knows what a key means; removes a layer (snapshot_collect()). */
#ifndef ROOTFS_STORE_STEPCACHE_H
#define ROOTFS_STORE_STEPCACHE_H

#include "rootfs/store/chain.h"

/** stepcache_has() - is there a result of this key? */
bool stepcache_has(const struct store *s, const char *key);

/**
 * stepcache_begin() - the box is what @key made, and nothing else
 * @key: NULL = its image alone
 *
 * What it was becomes a layer that nobody has.
 * Return: 0; -ENOENT: there is no such result; what chain_seal() returned.
 */
int stepcache_begin(const struct boxdir *b, const char *key, struct err *e);

/** stepcache_keep() - what the box is now is the result of @key
 *  Return: 0; -EOPNOTSUPP, -E2BIG: chain_seal() */
int stepcache_keep(const struct boxdir *b, const char *key, struct err *e);

/* @used: seconds since 1970 */
typedef int stepcache_fn(void *ctx, const char *key, const struct chain *c,
			 int64_t used);
/** stepcache_list() - call @each for every result; as boxdir_list() */
int stepcache_list(const struct store *s, stepcache_fn *each, void *ctx, struct err *e);

/** stepcache_forget() - 0 also when there is none */
int stepcache_forget(const struct store *s, const char *key, struct err *e);

#endif
