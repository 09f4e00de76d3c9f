/* cgroup_find - where this process is in the cgroup trees, from two files of /proc: paths
 * differ per controller, and so do their mounts.
 * Needs:  /proc.
 * Owns:   nothing.
 * Never:  believes a directory's name: only what is mounted where. */
#ifndef RUNTIME_CGROUP_FIND_H
#define RUNTIME_CGROUP_FIND_H

#include <limits.h>

#include "base/err.h"

enum cgroup_controller {
	CGROUP_MEMORY,
	CGROUP_PIDS,
	CGROUP_CPU,
	CGROUP_CPUACCT,
	CGROUP_FREEZER,
	CGROUP_CONTROLLERS
};

extern const char *const cgroup_find_names[CGROUP_CONTROLLERS];

struct cgroup_places {
	char v2_root[PATH_MAX]; /* mount point of the v2 tree; "" = not mounted */
	char v2_own
		[PATH_MAX]; /* directory of this process below it; "" = not visible */
	char v1[CGROUP_CONTROLLERS]
	       [PATH_MAX]; /* the same per v1 controller; "" = none */
};

int cgroup_find_own(struct cgroup_places *ret, struct err *e);
/** cgroup_find() - pure, from the texts of /proc/self/cgroup and mountinfo */
void cgroup_find(const char *self_cgroup, const char *mounts,
		 struct cgroup_places *ret);

#endif
