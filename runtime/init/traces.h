/* traces - what programs leave in the box's memory when they have ended: files, shared
 * segments, queues, other rights or links in the place of what was there, and what a
 * program has from process 1. What lies on the box's disk is no trace: it stays with it.
 * Needs:  /tmp (and with it /run and /dev/shm), /dev, /dev/mqueue and /proc of the box.
 * Owns:   nothing.
 * Never:  removes any of it. */
#ifndef RUNTIME_INIT_TRACES_H
#define RUNTIME_INIT_TRACES_H

#include <stdbool.h>
#include <stdint.h>

struct traces {
	uint64_t used[4]; /* inodes and blocks of two filesystems */
	uint64_t seen; /* a number for names, rights and owners there; 0 = too much */
};

/** traces_note() - what is there before anything has run */
void traces_note(struct traces *ret);

/** traces_left() - true: it is not as it was, or cannot be seen */
bool traces_left(const struct traces *t);

#endif
