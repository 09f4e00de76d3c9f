/* jobs - what a helper does, but for the short ones of worker.c, in whose table each has a
 * row. @dir is the box's directory, or what else it works in; standard input another one.
 * Needs:  to be in a helper (worker.h); the box's lock, held by whoever asks, unless said
 *         otherwise.
 * Owns:   nothing.
 * Never:  changes anything else than is said here. */
#ifndef RUNTIME_WORKER_JOBS_H
#define RUNTIME_WORKER_JOBS_H

#include "base/err.h"
#include "base/json.h"
#include "runtime/idmap/idmap.h"

typedef int job_fn(int dir, const char *arg, const struct idmap *map, struct json **ret,
		   struct err *e);

/**
 * review_job() - a project under review, which is standard input: what the box changed,
 * which of it is taken over by the rules, taking it over and back
 *
 * What the rules hold is not taken over, unless it is named or all of it is asked for. "diff"
 * and "patch" need no lock; while the box is in use it is the one of "applying".
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
 *   "project"    its real path, as spec_path() reads it
 *   "named"      what settings of git name in it (rootfs/git/above.h), as spec_path() reads
 *                them: held; "named-everywhere": those of the user, which count in each of
 *                its repositories
 *   "bytes"      of a patch: the rest is left out
 *   "binary"     of a patch: what is no text is in it, too
 * Standard error gets a line of JSON for each change, and of an undo for each path that is
 * again what it was, of the kind "back"; or the patch as it is.
 */
job_fn review_job;

/**
 * reviewgit_job() - git's own files of a project under review, which is standard input:
 * what the box changed there is taken over, or back, by git's meaning alone (take.h)
 *
 * The argument is JSON:
 *   "op"      "take": the git directories of the apply that is open; "undo": those of the
 *             last one that has not been taken back
 *   "after"   of an undo: those of all applies after that one
 *   "project" its real path, as spec_path() reads it: a repository outside of it is asked for
 *             what leads back there
 *   "running" the layer is in use, and stays as it is
 * Standard error gets a line of JSON for each thing that was not, and for each ref that is
 * back.
 */
job_fn reviewgit_job;

/**
 * between_job() - what is different between two boxes' views of one project, or between a
 * checkpoint of a box and what it has by now; nothing is changed, and no lock needed
 * @dir: the store; the project is standard input
 * @arg: an object: "to", the key of a box; "from", that of another, or "since", a
 *       checkpoint of the same; "op": "patch", or "diff" for a line of JSON for each, as
 *       the review has them; "paths"; "binary"
 *
 * It tells on the same descriptor as the review.
 */
job_fn between_job;

/* Of one checkpoint, and what all of a task write at most. */
enum { KEEP_FILES = 50000 };
#define KEEP_BYTES (1ull << 30)
#define KEEP_ALL (4ull << 30)

/**
 * keep_job() - what is under review, as it is now, which may be mounted and in use, into a
 * new layer; for a turn of a model no more than that may take
 * @arg: an object: "into", the name of the layer in the directory of all, which is standard
 *       input; "last", that of the checkpoint before, whose files are shared where they have
 *       not changed, and "sign", of what it has; "had", what the task's have written so far
 * @ret: "sign" (text), "copied" (boolean: it is in the new layer), "written" (bytes),
 *       "applied" (number: the last apply that was not taken back; 0 = none)
 * Return: 0; -EDQUOT: more than KEEP_FILES, KEEP_BYTES or KEEP_ALL.
 */
job_fn keep_job;

/** keepbox_job() - another: all that the box has written and what is under review, into
 *  "machine" and "project" of the layer, however much that is */
job_fn keepbox_job;

/** merging_job() - layers become two (rootfs/store/merge.h) and are not changed themselves
 *  @arg: of the directory of all layers, which is standard input, those, the top one first,
 *  a space between them; "top" and "below" are made in @dir, a layer each */
job_fn merging_job;

#endif
