/* feed - a confined helper is given an archive, a layer or a directory, and makes files of it.
 * Needs:  what worker.h needs.
 * Owns:   the helper, until it returns.
 * Never:  is ended by a helper that ended first. */
#ifndef RUNTIME_WORKER_FEED_H
#define RUNTIME_WORKER_FEED_H

#include "base/err.h"
#include "base/json.h"
#include "rootfs/image/pull_conf.h"
#include "runtime/idmap/idmap.h"

/** feed_unpack() - a pull_unpack_fn: unpack or copy into a new image; @map is a struct
 *  idmap */
int feed_unpack(void *map, const struct pull_unpack *u, struct json **ret,
		struct err *e);

struct feed_tree {
	int dir;	  /* borrowed */
	const char *skip; /* see pack.h */
	int out;	  /* borrowed */
	/* called every 100 ms or so; negative: give up */
	int (*tick)(void *);
	void *tick_ctx;
};
/** feed_pack() - a directory becomes an archive (pack.h), by a helper that sees nothing else */
int feed_pack(const struct idmap *map, const struct feed_tree *tree, struct err *e);

#endif
