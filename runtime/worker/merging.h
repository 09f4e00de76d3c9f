/* merging - a job of a helper: layers become two (rootfs/store/merge.h).
 * Needs:  the directory of all layers as standard input.
 * Owns:   nothing.
 * Never:  changes a layer. */
#ifndef RUNTIME_WORKER_MERGING_H
#define RUNTIME_WORKER_MERGING_H

#include "base/err.h"
#include "base/json.h"
#include "runtime/idmap/idmap.h"

/** merging_job() - a row of worker.c
 *  @arg: the layers, the top one first, a space between them; "top" and "below" are made
 *  in @dir, a layer each */
int merging_job(int dir, const char *arg, const struct idmap *map, struct json **ret,
		struct err *e);

#endif
