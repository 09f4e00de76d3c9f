/* caps - the capabilities of a box.
 * Needs:  CAP_SETPCAP in the box's user namespace (fresh namespaces have it).
 * Owns:   nothing.
 * Never:  gives a capability back. */
#ifndef RUNTIME_CONFINE_CAPS_H
#define RUNTIME_CONFINE_CAPS_H

#include <stdint.h>

#include "base/err.h"

/* What some have beyond the documented list. */
enum {
	CAPS_FILES = 1, /* may give capabilities to files: init and helpers */
	CAPS_TRACE = 2	/* may look at every process: init alone (setid.h) */
};

/** caps_limit() - bounding set and permitted set to the documented list and @more,
 * inheritable and ambient sets empty. Call in init, before no_new_privs and the filter. */
int caps_limit(unsigned more, struct err *e);

/** caps_keep_own() - init: no program that it executes gets what it has beyond the list */
int caps_keep_own(struct err *e);

/** caps_drop_own() - what init forks gives that up at once */
int caps_drop_own(struct err *e);

/** caps_become() - effective and permitted: what is in @keep, of what there is */
int caps_become(uint64_t keep, struct err *e);

/** caps_drop_all() - every set empty: for the gate and the helpers */
int caps_drop_all(struct err *e);

#endif
