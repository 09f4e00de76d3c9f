/* child - between the clone and the exec of init: makes the namespaces into a box.
 * Needs:  the monitor's memory as it was at the clone, a socket to it, one thread.
 * Owns:   the new namespaces.
 * Never:  returns; starts init when a step failed: the failure goes up the socket. */
#ifndef RUNTIME_START_CHILD_H
#define RUNTIME_START_CHILD_H

#include "runtime/cgroup/cgroup.h"
#include "runtime/spec/spec.h"

struct child {
	const struct spec *spec; /* borrowed */
	int sock;		 /* to the monitor; becomes descriptor 3 of init */
	int monitor_sock;	 /* the far end, which this process must not hold */
	bool copy;		 /* no overlay: see mount/root.h */
	const struct cgroup *cg; /* joined here; borrowed */
	const char *gitconfig;	 /* of the box; "" = none; borrowed */
	const char *init_path;	 /* of cubby-init on the host */
	/* filled on the way */
	int project; /* detached mount of the project directory */
	int init;    /* what is executed: a read-only clone, or a sealed memfd */
};

/** child_main() - run the steps and become init, or report and exit */
void child_main(struct child *c) _noreturn_;

#endif
