/* caps - the capabilities of a box (KERNEL.md 3.3).
 * Needs:  CAP_SETPCAP in the box's user namespace (fresh namespaces have it).
 * Owns:   nothing.
 * Never:  gives a capability back. */
#ifndef RUNTIME_CONFINE_CAPS_H
#define RUNTIME_CONFINE_CAPS_H

#include "base/err.h"

/** caps_limit() - bounding set and permitted set to the documented list, inheritable
 * and ambient sets empty. Call in init, before no_new_privs and the filter (KERNEL.md
 * I3). */
int caps_limit(struct err *e);

/** caps_drop_all() - every set empty: for the gate and the helpers */
int caps_drop_all(struct err *e);

#endif
