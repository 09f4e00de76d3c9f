/* between - a job of a helper: what is different between two boxes' views of one project, or
 * between a checkpoint of a box and what it has by now.
 * Needs:  the store; the project as standard input.
 * Owns:   nothing.
 * Never:  changes anything. */
#ifndef RUNTIME_WORKER_BETWEEN_H
#define RUNTIME_WORKER_BETWEEN_H

#include "base/err.h"
#include "base/json.h"
#include "runtime/idmap/idmap.h"

/**
 * between_job() - a row of worker.c
 * @arg: an object: "to", the key of a box; "from", that of another, or "since", a
 *       checkpoint of the same; "op": "patch", or "diff" for a line of JSON for each, as
 *       the review has them; "paths"
 *
 * It tells on the same descriptor as the review.
 */
int between_job(int dir, const char *arg, const struct idmap *map, struct json **ret,
		struct err *e);

#endif
