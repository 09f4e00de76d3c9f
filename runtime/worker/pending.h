/* pending - what is under review comes out of a layer when it is used: a snapshot, a branch
 * or a state gone back to only name the layer (rootfs/store/chain.h).
 * Needs:  the box's lock; nothing mounted on what is under review.
 * Owns:   nothing.
 * Never:  leaves half a copy under the name of a whole one. */
#ifndef RUNTIME_WORKER_PENDING_H
#define RUNTIME_WORKER_PENDING_H

#include "base/err.h"
#include "runtime/spec/spec.h"

/** pending_is() - whether pending_take() would copy anything */
bool pending_is(int boxdir);

/** pending_take() - give the box its own copy, if it has none yet; the directory "project"
 *  is there then, as it was in the layer */
int pending_take(const struct spec *spec, int boxdir, struct err *e);

/** pending_clean() - what was taken over while the box was in use, and is in the layer still,
 *  leaves it: before the box is started again */
int pending_clean(const struct spec *spec, int boxdir, int project, struct err *e);

/* What keep_job() (runtime/worker/jobs.h) is told. */
struct pending_kept {
	const char *into, *last; /* layers; @last "" = none */
	const char *sign;	 /* of @last */
	int64_t had;		 /* bytes */
};

/**
 * pending_keep() - the other way: a copy of what is under review, which may be in use
 * @layers: the directory of all; borrowed
 * @ret:    owned; what keep_job() reported
 * Return: 0; -EDQUOT: it is too much.
 */
int pending_keep(const struct spec *spec, int boxdir, int layers,
		 const struct pending_kept *k, struct json **ret, struct err *e);

/** pending_keep_box() - and a copy of the box itself */
int pending_keep_box(const struct spec *spec, int boxdir, int layer, struct err *e);

#endif
