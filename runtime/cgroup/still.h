/* still - a running box stands still for a moment, so that its files can be copied: by its
 * cgroup, or by stopping each of its processes.
 * Needs:  the box's /proc, opened by its init; the rights over the box's processes that the
 *         maker of their user namespace has.
 * Owns:   a list of what it has stopped.
 * Never:  stops anything outside the box: it signals descriptors of processes, not numbers;
 *         lets go on what was stopped before. */
#ifndef RUNTIME_CGROUP_STILL_H
#define RUNTIME_CGROUP_STILL_H

#include "runtime/cgroup/cgroup.h"

struct still_process {
	char pid[16]; /* in the box */
	uint64_t
		started; /* clock ticks since boot: the number may be another's by then */
};

struct still {
	const struct cgroup *cg; /* borrowed; NULL = it was not that which holds it */
	int proc;		 /* owned; -1 = nothing is held */
	struct still_process *v; /* owned; in the order in which they were stopped */
	size_t n;
};
#define STILL_NONE ((struct still){ .proc = -1 })

/**
 * still_hold() - stop everything in the box, its init as well
 * @cg:   of the box; borrowed until still_release()
 * @proc: the box's /proc; borrowed
 * @init: its init, as the caller sees it
 *
 * Context: blocks for a second at the most.
 * Return: 0; -EBUSY: something does not stop, or makes more of itself than can be stopped;
 *         then all go on.
 */
int still_hold(const struct cgroup *cg, int proc, pid_t init, struct still *ret,
	       struct err *e);
/** still_release() - it goes on; nothing to do where nothing is held */
void still_release(struct still *s);

#endif
