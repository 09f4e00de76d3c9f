/* leader - the process above each terminal session: whatever the session's programs do,
 * daemons that left it included, they stay its descendants, so that the end of the session
 * can end all of them.
 * Needs:  PR_SET_CHILD_SUBREAPER (3.4), /proc.
 * Owns:   its descendants.
 * Never:  outlives them, or init. */
#ifndef RUNTIME_INIT_LEADER_H
#define RUNTIME_INIT_LEADER_H

#include <stdint.h>
#include <sys/types.h>

/* What the leader tells init, in this order. */
struct leader_report {
	int32_t pid;	/* of the session's first process */
	int32_t ended;	/* 0: started; 1: it ended, with the two values below */
	int32_t status; /* 0–255, or 128 + signal */
	int32_t signal;
};

enum { LEADER_GRACE_MS = 1000 }; /* between HUP, TERM and KILL */

/**
 * leader_main() - in the forked child: fork once more and look after what follows
 * @report_fd: gets the reports
 * @run:       the program: called in the grandchild, does not return
 *
 * SIGTERM from init ends the session: HUP and TERM to all descendants, LEADER_GRACE_MS
 * for their traps, KILL until none is left.
 */
void leader_main(int report_fd, void (*run)(void *ctx), void *ctx)
	__attribute__((noreturn));

#endif
