/* python_frame - the frames between an interpreter and us: four bytes of length, the least
 * first, and so many of JSON.
 * Needs:  bytes, split anywhere.
 * Owns:   the frame whose end has not come yet.
 * Never:  keeps more than PYTHON_FRAME_MAX; looks into a frame; goes on after a bad one;
 *         keeps what it had for a long one when that has ended. */
#ifndef AGENT_PYTHON_FRAME_H
#define AGENT_PYTHON_FRAME_H

#include "base/buf.h"

enum { PYTHON_FRAME_MAX = 16 << 20, PYTHON_FRAME_FREE = 128 << 10 };

/* What several may keep together, beside PYTHON_FRAME_FREE bytes each. */
struct python_room {
	size_t left;
};

struct python_frame {
	struct buf in;		  /* owned */
	struct python_room *room; /* borrowed; NULL = it is alone */
	size_t taken;		  /* of it */
	int broken;		  /* negative errno: what comes now means nothing */
};

/* Anything but 0 ends the feeding, and is what python_frame_feed() returns. */
typedef int python_frame_fn(void *ctx, const char *text, size_t len);

/** python_frame_init() - @room: outlives it; NULL = none to share */
void python_frame_init(struct python_frame *f, struct python_room *room);
void python_frame_done(struct python_frame *f);
#define _cleanup_python_frame_ _cleanup_(python_frame_done)

/**
 * python_frame_feed() - call @fn with every frame that @data completes
 * Return: 0; -EMSGSIZE (longer than may be), -EBADMSG (empty), -ENOMEM, -ENOBUFS (no room
 *         is left), or what @fn returned: the same again ever after.
 */
int python_frame_feed(struct python_frame *f, const void *data, size_t len,
		      python_frame_fn *fn, void *ctx);

/** python_frame_add() - append a frame of @text to @out; nothing was added on failure */
int python_frame_add(struct buf *out, const char *text, size_t len);

#endif
