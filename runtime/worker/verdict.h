/* verdict - which changes of a box are taken over and which are held: by what they could do on
 * the host, by the person's patterns and policy, and by how many there are.
 * Needs:  an open layer and its list of changes.
 * Owns:   nothing.
 * Never:  changes anything. */
#ifndef RUNTIME_WORKER_VERDICT_H
#define RUNTIME_WORKER_VERDICT_H

#include "base/json.h"
#include "rootfs/review/diff.h"
#include "runtime/spec/effects.h"

struct verdict {
	struct effect effect;
	enum effects_class judged; /* before there were too many */
	bool never;		   /* it cannot be taken over at all */
	bool merged;		   /* what is taken over is both sides together */
	bool chosen;		   /* it is taken over now */
};

struct verdict_of {
	const struct layer *layer; /* borrowed, as all of it */
	const struct diff *diff;
	const struct json *args; /* as of runtime/worker/jobs.h */
	bool running;		 /* the layer is in use */
	bool elsewhere;		 /* it is not the project that it is taken over to */
};

/** verdict_all() - @ret: zeros, one for each item of the list */
void verdict_all(const struct verdict_of *of, struct verdict *ret);

/** verdict_effect() - what a change could do by itself
 *  @root, @at: where its file is; a link is read there */
struct effect verdict_effect(const struct diff_item *x, int root, const char *at);

extern const char
	verdict_conflict[]; /* why a change is held that the host has made, too */

#endif
