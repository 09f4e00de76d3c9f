/* sse - server-sent events, or JSON lines: bytes in, the data of each event out.
 * Needs:  nothing; it is pure.
 * Owns:   the unfinished line and the event being collected, SSE_MAX at most.
 * Never:  looks into the data; cares where the bytes were split. */
#ifndef AGENT_WIRE_SSE_H
#define AGENT_WIRE_SSE_H

#include "base/buf.h"
#include "base/err.h"

enum { SSE_MAX = 16 << 20 };

/* One event's data, its lines joined by LF. A negative return ends sse_feed() with it;
 * fill @e then. */
typedef int sse_event_fn(void *ctx, const char *data, size_t len, struct err *e);

struct sse {
	struct buf line; /* owned: a line whose end has not come yet */
	struct buf data; /* owned: of the event whose blank line has not come yet */
	sse_event_fn *fn;
	void *ctx;  /* borrowed */
	bool lines; /* set behind sse_init(): each line that is not blank is an event */
	bool begun; /* the first line, which may carry a BOM, is over */
	bool skip_lf;	   /* the last byte was a CR */
	bool has_data;	   /* a data field was seen, perhaps an empty one */
	unsigned comments; /* seen so far: signs of life */
};

void sse_init(struct sse *s, sse_event_fn *fn, void *ctx);
void sse_done(struct sse *s);

/** sse_feed() - 0, -EMSGSIZE (an event above SSE_MAX), -ENOMEM, or what @fn returned */
int sse_feed(struct sse *s, const void *bytes, size_t len, struct err *e);

/**
 * sse_end() - the stream has ended
 *
 * An event without its blank line counts only when it is a whole JSON object or
 * "[DONE]": anything else was cut off.
 */
int sse_end(struct sse *s, struct err *e);

#endif
