/* probe_trial - do a thing in a child with namespaces of its own, to see whether it can
 * be done here.
 * Needs:  a single-threaded process.
 * Owns:   its child, until it has ended.
 * Never:  leaves anything behind; runs the thing in this process. */
#ifndef RUNTIME_PROBE_TRIAL_H
#define RUNTIME_PROBE_TRIAL_H

#include "runtime/idmap.h"

/* Runs in the child as user 0 of the namespace; only doors. A failure is returned by
 * probe_trial() with its message. */
typedef int probe_trial_fn(void *ctx, struct err *e);

struct probe_trial {
	const struct idmap *map; /* NULL = only the caller, as user 0 */
	uint64_t namespaces;	 /* CLONE_NEW… beside the user namespace */
	probe_trial_fn *fn;	 /* NULL = having the map is all */
	void *ctx;		 /* copied with the process: results do not come back */
};

/** probe_trial() - 0, or why not; clone and map failures have cause and remedy */
int probe_trial(const struct probe_trial *t, struct err *e);

#endif
