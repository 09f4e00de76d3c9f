/* outside - what a process of ours on the host gives up before it takes in a box's bytes:
 * the file system, all capabilities, new programs, new processes, and every system call
 * that moving bytes between sockets does not take (the gate, the signer).
 * Needs:  one thread; all that it will use is open.
 * Owns:   nothing.
 * Never:  gives anything back. */
#ifndef RUNTIME_CONFINE_OUTSIDE_H
#define RUNTIME_CONFINE_OUTSIDE_H

#include "base/err.h"

/** outside_confine() - 1: with an empty root; 0: this host refuses namespaces, and the
 *  filter alone keeps the file system away; or why this process is not confined */
int outside_confine(struct err *e);

#endif
