/* idmap_trial - do a thing in a child with namespaces of its own, to see whether it can
 * be done here.
 * Needs:  a single-threaded process.
 * Owns:   its child, until it has ended.
 * Never:  leaves anything behind; runs the thing in this process. */
#ifndef RUNTIME_IDMAP_TRIAL_H
#define RUNTIME_IDMAP_TRIAL_H

#include "runtime/idmap/idmap.h"

/* Runs in the child as user 0 of the namespace; only doors. A failure is returned by
 * idmap_trial() with its message. */
typedef int idmap_trial_fn(void *ctx, struct err *e);

struct idmap_trial {
	const struct idmap *map; /* NULL = only the caller, as user 0 */
	uint64_t namespaces;	 /* CLONE_NEW… beside the user namespace */
	idmap_trial_fn *fn;	 /* NULL = having the map is all */
	void *ctx;		 /* copied with the process: results do not come back */
};

/** idmap_trial() - 0, or why not; clone and map failures have cause and remedy */
int idmap_trial(const struct idmap_trial *t, struct err *e);

#endif
