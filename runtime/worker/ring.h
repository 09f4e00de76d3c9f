/* ring - bytes from a forked child to its parent through shared memory, without copies
 * by the kernel: the child fills slots, the parent looks at them in place.
 * Needs:  a fork between ring_init() and its use; one child, one parent.
 * Owns:   the memory and a pair of sockets, on which only the lengths of slots travel.
 * Never:  waits for a partner that is gone. */
#ifndef RUNTIME_WORKER_RING_H
#define RUNTIME_WORKER_RING_H

#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "base/scope.h"

enum { RING_SLOTS = 8, RING_SLOT = 512 << 10 };

struct ring {
	char *memory; /* owned; RING_SLOTS slots */
	int sock[2];  /* owned: [0] the parent's, [1] the child's; the length of a full
			 slot (uint32_t) goes up, a byte for a free one comes back */
	unsigned at;  /* slot in use */
	unsigned credit; /* child: slots that may be filled */
	size_t used;	 /* child: bytes in the slot being filled */
	bool held;	 /* parent: a slot is to be given back */
};
#define RING_NONE ((struct ring){ .sock = { -1, -1 } })

int ring_init(struct ring *r, struct err *e);
void ring_done(struct ring *r);
#define _cleanup_ring_ _cleanup_(ring_done)

/** ring_child(), ring_parent() - keep one's own ends only; call right after the fork */
void ring_child(struct ring *r);
void ring_parent(struct ring *r);

/** ring_write() - child: -EPIPE when the parent is gone */
int ring_write(struct ring *r, const void *data, size_t len, struct err *e);

/** ring_end() - child: send what is left, then the end */
int ring_end(struct ring *r, struct err *e);

/** ring_read() - parent: the next bytes in place, valid until the next call
 *  Return: their number, 0 at the end, -EPIPE when the child is gone without ring_end()
 */
ssize_t ring_read(struct ring *r, const void **ret, struct err *e);

#endif
