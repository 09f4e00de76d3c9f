/* outbox - messages to one socket that does not block: what the other side has no room for
 * yet is kept, in order, and sent when there is.
 * Needs:  a SOCK_SEQPACKET socket that does not block; whoever waits for it to become
 *         writable and calls outbox_flush() then.
 * Owns:   copies of what it keeps, descriptors too; the socket is borrowed.
 * Never:  loses or reorders a message that it took; keeps more than it was allowed to.
 *
 * Who may put more than a bounded number of messages is not asked again before
 * outbox_holds() says that its last one has gone: that bounds what is kept to one message
 * for each of them, and serves them in turns. */
#ifndef RUNTIME_WIRE_OUTBOX_H
#define RUNTIME_WIRE_OUTBOX_H

#include <stdbool.h>
#include <stddef.h>

#include "runtime/wire/wire.h"

struct outbox_kept;

struct outbox {
	int fd; /* borrowed */
	size_t most, n;
	struct outbox_kept *first, **last; /* owned */
};

/** outbox_init() - nothing is kept; @most: messages that may be */
void outbox_init(struct outbox *o, int fd, size_t most);
/** outbox_done() - forget what is kept; an outbox of zeros is done already */
void outbox_done(struct outbox *o);

struct outbox_message {
	struct wire_head head;
	const void *body; /* borrowed */
	const int *fds;	  /* borrowed; copies are kept */
	unsigned n_fds;
	const void *owner; /* for outbox_holds(); NULL = nobody's */
};

/**
 * outbox_put() - send, or keep behind what is kept
 * Return: 0 = sent; 1 = kept; -ENOBUFS (as many as may be), -EMFILE, -ENOMEM; or why the
 *         other side cannot be reached (-EPIPE, …).
 */
int outbox_put(struct outbox *o, const struct outbox_message *m);

/** outbox_flush() - send what there is room for. Return: messages that are left, or why
 *  the other side cannot be reached */
int outbox_flush(struct outbox *o);

static inline bool outbox_waits(const struct outbox *o)
{
	return o->n > 0;
}

/** outbox_holds() - a message of @owner has not gone yet */
bool outbox_holds(const struct outbox *o, const void *owner);
/** outbox_disown() - @owner ends: its messages stay, as nobody's */
void outbox_disown(struct outbox *o, const void *owner);

#endif
