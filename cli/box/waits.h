/* waits - how much of a box's project under review has not been taken over.
 * Needs:  a box in the store.
 * Owns:   nothing.
 * Never:  changes anything. */
#ifndef CLI_BOX_WAITS_H
#define CLI_BOX_WAITS_H

#include <stddef.h>

struct store;

/** waits_count() - files that would change; 0 also where that cannot be found out, as where
 *  the directory is gone */
size_t waits_count(const struct store *st, const char *key);

#endif
