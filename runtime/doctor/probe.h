/* probe - what this host can do for boxes: a row per facility, each tried in a child.
 * For `cubby doctor`, which prints the rows and then starts a box.
 * Needs:  a single-threaded process; a directory for trials on the store's filesystem.
 * Owns:   nothing: what a trial makes is gone afterwards.
 * Never:  decides by a version number what can be tried. */
#ifndef RUNTIME_DOCTOR_PROBE_H
#define RUNTIME_DOCTOR_PROBE_H

#include "base/err.h"
#include "runtime/cause/text.h"

enum { PROBE_RUNG = 64, PROBE_CAUSE = 384, PROBE_FIX = 384, PROBE_ROWS = 16 };

struct probe_row {
	const char *id;	       /* of the facility: "userns", "idmap", … */
	const char *name;      /* for people: "id map" */
	char rung[PROBE_RUNG]; /* what is used: "subuid"; "none" when it is fatal */
	/* Why nothing better: PROBE_NONE and "" when it is the best already. A cause
	 * without a reason is no cause of anything (cause.h). */
	enum probe_reason reason;
	char cause[PROBE_CAUSE];
	char fix[PROBE_FIX]; /* "" = none known */
	bool fatal;	     /* no box can start */
};

struct probe_conf {
	int store;	     /* descriptor of a directory below which a trial may make
				and remove one directory; borrowed */
	const char *project; /* absolute; NULL = not looked at */
};

/**
 * probe_run() - try everything
 * @ret: PROBE_ROWS places
 * Return: how many rows were filled.
 */
unsigned probe_run(const struct probe_conf *conf, struct probe_row *ret);

/** probe_root() - the one row of how a box gets its root alone: with an overlay, or none
 *  Return: 0; -EOPNOTSUPP, with its cause in @e. */
int probe_root(int store, struct err *e);

/** probe_ok() - no row is fatal */
bool probe_ok(const struct probe_row *rows, unsigned n);

#endif
