/* gitnames - what git's settings name in a project under review: git on the host runs it, or
 * obeys it, so what a box has made of it is held.
 * Needs:  whoever asks a helper to tell it what that cannot see: settings outside of the
 *         project.
 * Owns:   nothing.
 * Never:  changes anything. */
#ifndef RUNTIME_WORKER_GITNAMES_H
#define RUNTIME_WORKER_GITNAMES_H

#include "base/json.h"
#include "rootfs/review/diff.h"
#include "runtime/worker/alias.h"

/** gitnames_tell() - to what a helper is asked (jobs.h), of a project and its real path: what
 *  settings name of its own repository, of the user, and of repositories above it
 *  @args: keeps its first failure */
void gitnames_tell(int project, const char *path, struct json *args);

/** gitnames_told() - in the helper: those */
void gitnames_told(const struct json *args, struct aliases *ret);

/** gitnames_below() - those of repositories deeper in the project, as far as something is
 *  changed in them */
void gitnames_below(int project, const struct diff *diff, const struct json *args,
		    struct aliases *ret);

#endif
