/* keep - jobs of a helper: what is under review, or all of a box, as it is now, into a layer.
 * Needs:  the box's directory, and that of a new layer as standard input.
 * Owns:   nothing.
 * Never:  writes to what is under review, which may be mounted and in use; copies more
 *         for a turn of a model than that may take. */
#ifndef RUNTIME_WORKER_KEEP_H
#define RUNTIME_WORKER_KEEP_H

#include "base/err.h"
#include "base/json.h"
#include "runtime/idmap/idmap.h"

enum { KEEP_FILES = 10000, KEEP_BYTES = 256 << 20 };

/**
 * keep_job() - a row of worker.c
 * @arg: the sign of what a layer has already; "" = none has it
 * @ret: "sign" (text), "copied" (boolean: it is in the new layer),
 *       "applied" (number: the last apply that was not taken back; 0 = none)
 * Return: 0; -EDQUOT: more than KEEP_FILES or KEEP_BYTES.
 */
int keep_job(int dir, const char *arg, const struct idmap *map, struct json **ret,
	     struct err *e);

/** keepbox_job() - another: all that the box has written and what is under review, into
 *  "machine" and "project" of the layer, however much that is */
int keepbox_job(int dir, const char *arg, const struct idmap *map, struct json **ret,
		struct err *e);

#endif
