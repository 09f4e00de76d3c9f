/* netassist - a second process that helps the child to make the box: it does what takes the
 * kernel long, while the child goes on.
 * Needs:  to be begun by the child, in its user, mount and pid namespaces.
 * Owns:   the process and the memory that both see. Its descriptors are those of the child:
 *         they share one table.
 * Never:  ends late: init waits for its end, and for its status, before it serves. */
#ifndef RUNTIME_START_NETASSIST_H
#define RUNTIME_START_NETASSIST_H

#include <sys/types.h>

#include "base/err.h"
#include "runtime/cause/cause.h"
#include "runtime/net/netns.h"

struct netassist_desk;
struct netassist {
	pid_t pid;		     /* -1 = none */
	int pidfd;		     /* owned */
	int done, go;		     /* owned: eventfds; the first to the child */
	struct netassist_desk *desk; /* owned: shared memory */
};
#define NETASSIST_NONE \
	((struct netassist){ .pid = -1, .pidfd = -1, .done = -1, .go = -1 })

/** netassist_begin() - start it, and with it the network (netns.h), unless that is the host's;
 *  does not wait */
int netassist_begin(enum net_mode mode, struct netassist *ret, struct err *e);

/**
 * netassist_network() - wait until the network is made, and enter its namespace
 * @ret:  empty for NET_HOST
 * @step: filled on failure: what failed, for the host side
 */
int netassist_network(struct netassist *a, struct netns_fds *ret, enum probe_step *step,
		      struct err *e);

/** netassist_detach() - have the old root detached, which lies over @root since the pivot,
 *                       and the mounts locked (mount/root.h), where the caller then is */
int netassist_detach(struct netassist *a, int root, struct err *e);

#endif
