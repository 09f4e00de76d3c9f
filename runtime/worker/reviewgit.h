/* reviewgit - the job on git's own files of a project under review.
 * Needs:  the box's directory and its lock, held by whoever asks; the project as standard
 *         input.
 * Owns:   nothing.
 * Never:  takes over what git's meaning does not give: take.h.
 *
 * The argument is JSON:
 *   "op"      "take": the git directories of the apply that is open; "undo": those of the
 *             last one that has not been taken back
 *   "after"   of an undo: those of all applies after that one
 *   "project" its real path, as spec_path() reads it: a repository outside of it is asked for
 *             what leads back there
 *   "running" the layer is in use, and stays as it is */
#ifndef RUNTIME_WORKER_REVIEWGIT_H
#define RUNTIME_WORKER_REVIEWGIT_H

#include "base/err.h"
#include "base/json.h"
#include "runtime/idmap/idmap.h"

/** reviewgit_job() - what the box changed there is taken over, or back: on standard error a
 *  line of JSON for each thing that was not, and for each ref that is back */
int reviewgit_job(int dir, const char *arg, const struct idmap *map, struct json **ret,
		  struct err *e);

#endif
