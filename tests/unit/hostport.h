/* hostport - a session's port without a box: shells on ptys of this host.
 * Needs:  the shells that a test names.
 * Owns:   its children: each is killed with its session, and reaped.
 * Never:  is part of cubby. */
#ifndef TESTS_UNIT_HOSTPORT_H
#define TESTS_UNIT_HOSTPORT_H

#include <sys/types.h>

#include "agent/session/port.h"

enum { HOSTPORT_MAX = 64 };

struct hostport {
	struct session_port port;
	pid_t pids[HOSTPORT_MAX]; /* by id */
	uint32_t n;
	const char *dir; /* where saved files go instead of the box */
	bool box_ended;	 /* a test sets it: all that was started before is gone */
	uint32_t lost;	 /* ids below it were in a box that has ended */
};

void hostport_init(struct hostport *h, const char *dir);
void hostport_done(struct hostport *h);

#endif
