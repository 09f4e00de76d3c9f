/* stuck - notices that a model goes in circles: the same calls, the same results.
 * Needs:  every call and its result, in order.
 * Owns:   the last few of them, as hashes.
 * Never:  looks at the words around a call; takes progress for a circle because only
 *         a number differs, or a circle for progress because a clock does. */
#ifndef AGENT_TASK_STUCK_H
#define AGENT_TASK_STUCK_H

#include <stdint.h>

#include "base/json.h"

enum { STUCK_KEPT = 12 };

struct stuck {
	struct stuck_step {
		uint64_t call, result;
		bool failed, wait;
	} steps[STUCK_KEPT];
	unsigned n;		     /* seen since the last notice */
	struct stuck_step circle[2]; /* what the last notice was about */
	const char *told;	     /* and how it said so; NULL = nothing was said */
	bool unheard;		     /* the model has not been asked since */
};

enum stuck_verdict { STUCK_NO, STUCK_NOTICE, STUCK_END };

struct stuck_call {
	const char *name;
	const struct json *args; /* NULL = malformed */
	const char *result;
	bool failed;
};

struct stuck_why {
	const char *now;    /* static: what the model has done */
	const char *before; /* STUCK_END: what it had been told */
};

/**
 * stuck_step() - one more call
 * @why: set when the verdict is not STUCK_NO
 *
 * The first circle is to be told to the model. The next is the end, when the model heard
 * of the first and nothing new succeeded since then.
 */
enum stuck_verdict stuck_step(struct stuck *s, const struct stuck_call *c,
			      struct stuck_why *why);

/** stuck_heard() - the model has got all results so far: it is asked for its next turn */
void stuck_heard(struct stuck *s);

#endif
