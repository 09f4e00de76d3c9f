/* stuck - notices that a model goes in circles: the same calls, the same results.
 * Needs:  every call and its result, in order.
 * Owns:   the last few of them, as hashes.
 * Never:  looks at the words around a call; takes progress for a circle because only
 *         a number differs, or a circle for progress because a clock does. */
#ifndef AGENT_STUCK_H
#define AGENT_STUCK_H

#include <stdint.h>

#include "base/buf.h"
#include "base/json.h"

enum { STUCK_KEPT = 12 };

struct stuck {
	struct stuck_step {
		uint64_t call, result;
		bool failed, wait;
	} steps[STUCK_KEPT];
	unsigned n;    /* seen since the last notice */
	unsigned hits; /* notices so far */
};

enum stuck_verdict { STUCK_NO, STUCK_NOTICE, STUCK_END };

struct stuck_call {
	const char *name;
	const struct json *args; /* NULL = malformed */
	const char *result;
	bool failed;
};

/**
 * stuck_step() - one more call
 * @why: set to a static text when the verdict is not STUCK_NO
 *
 * The first circle is to be told to the model; the second is the end.
 */
enum stuck_verdict stuck_step(struct stuck *s, const struct stuck_call *c,
			      const char **why);

/** stuck_normal() - append @text with process ids, times and durations replaced */
int stuck_normal(const char *text, struct buf *out);

#endif
