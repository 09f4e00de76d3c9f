/* review - the jobs on a project under review: what the box changed, which of it is taken
 * over by the rules, taking it over and back.
 * Needs:  the box's directory, and the project as standard input; for all but "diff"
 *         and "patch" the box's lock or, while it is in use, that of "applying", held by
 *         whoever asks.
 * Owns:   nothing.
 * Never:  takes over what the rules hold, unless it is named or all of it is asked for.
 *
 * The argument is JSON:
 *   "op"         "diff", "patch", "apply", "continue", "undo", "discard", "clean": what
 *                was taken over leaves the layer, unless git's part is still to come
 *   "paths"      only these and what is below them, as spec_path() reads them
 *   "policy"     "safe", "ask", "all", "never"
 *   "allow", "deny"   patterns that change the class of a path
 *   "overwrite"  also what has changed on the host meanwhile
 *   "merge"      of that, what both sides can be put together of; "marks": also where both
 *                have changed the same lines, with both of these in it
 *   "running"    the layer is in use: it stays as it is, and git's files in it
 *   "unit"       of an apply: one undo takes back all that follow each other with the same one
 *   "seen"       of an apply or discard: what a person was shown; else -ESTALE
 *   "elsewhere"  standard input is another directory: the layer stays as it is
 *   "bytes"      of a patch: the rest is left out
 * Standard error gets a line of JSON for each change, and of an undo for each path that is
 * again what it was, of the kind "back"; or the patch as it is. */
#ifndef RUNTIME_WORKER_REVIEW_H
#define RUNTIME_WORKER_REVIEW_H

#include "base/err.h"
#include "base/json.h"
#include "runtime/idmap/idmap.h"

int review_job(int dir, const char *arg, const struct idmap *map, struct json **ret,
	       struct err *e);

#endif
