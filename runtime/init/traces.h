/* traces - what programs leave in the box's memory when they have ended: files, shared
 * segments, queues. What lies on its disk is no trace: it stays with the box.
 * Needs:  /tmp (and with it /run and /dev/shm), /dev, /dev/mqueue and /proc of the box.
 * Owns:   nothing.
 * Never:  removes any of it. */
#ifndef RUNTIME_INIT_TRACES_H
#define RUNTIME_INIT_TRACES_H

#include <stdbool.h>
#include <stdint.h>

struct traces {
	uint64_t used[4]; /* inodes and blocks of two filesystems */
};

/** traces_note() - what is there before anything has run */
void traces_note(struct traces *ret);

/** traces_left() - true: it is not as it was, or cannot be seen */
bool traces_left(const struct traces *t);

#endif
