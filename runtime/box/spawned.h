/* spawned - a program that was asked for runs: what the box sent is checked.
 * Needs:  a message of type SPAWNED.
 * Owns:   nothing; the descriptors become the caller's.
 * Never:  takes a descriptor for what was asked for by its place in the message alone. */
#ifndef RUNTIME_BOX_SPAWNED_H
#define RUNTIME_BOX_SPAWNED_H

#include "runtime/box/box.h"

struct wire_msg;

/** spawned_take() - @io: what was asked for. 0, -EBADMSG, or why it does not run */
int spawned_take(enum box_io io, struct wire_msg *m, struct box_proc *ret,
		 struct err *e);

#endif
