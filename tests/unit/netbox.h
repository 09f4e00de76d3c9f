/* netbox - the network of a box without the box: a process in new user and network
 * namespaces that ran netns_setup(), and commands run beside it.
 * Needs:  user namespaces; any user.
 * Owns:   the process and the descriptors it passed out.
 * Never:  sees the network of the machine. */
#ifndef TESTS_UNIT_NETBOX_H
#define TESTS_UNIT_NETBOX_H

#include "base/buf.h"
#include "runtime/net/netns.h"

struct netbox {
	pid_t pid;
	int fds[NETNS_FDS]; /* owned */
	struct netns_facts facts;
};
#define NETBOX_NONE ((struct netbox){ -1, NETNS_NO_FD, { 0 } })

/** netbox_open() - as netns_setup(); ends the test (skip) without user namespaces
 */
void netbox_open(enum net_mode mode, enum netns_catch first, struct netbox *ret);
void netbox_close(struct netbox *b);

/** netbox_spawn() - run a shell command inside; @out: its standard output and error, or
 *  -1; returns its pid */
pid_t netbox_spawn(const struct netbox *b, const char *command, int out);

/** netbox_run() - the same to its end; @ret (NULL: thrown away) gets what it printed;
 *  its exit status */
int netbox_run(const struct netbox *b, const char *command, struct buf *ret);

/** netbox_call() - run @fn inside, in a process of its own; its return value, 0–255 */
int netbox_call(const struct netbox *b, int (*fn)(void *ctx), void *ctx);

#endif
