/* idmap_lease - a range of host ids for one box of root, while it runs.
 * Needs:  root; /run.
 * Owns:   a lock in /run/cubby/ids for each range that is taken; it goes with its holder.
 * Never:  gives a range that another box has, of whatever store, or that /etc/subuid or
 *         /etc/subgid gives to somebody. */
#ifndef RUNTIME_IDMAP_LEASE_H
#define RUNTIME_IDMAP_LEASE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

/**
 * idmap_lease_take() - a range of IDMAP_RANGE_SIZE ids, not the one on disk
 * @key:  of the box: where the search begins, the same each time
 * @base: the first id
 *
 * Return: the lock, a descriptor to be kept as long as the box runs; -ENOSPC: all are
 *         taken; or why there are no locks.
 */
int idmap_lease_take(const char *key, uint32_t *base, struct err *e);

/** idmap_lease_overlay() - true: this kernel has overlays on layers whose ids are mapped
 *  (5.19) */
bool idmap_lease_overlay(void);

/** idmap_lease_is_given() - true: a line of the text (/etc/subuid) overlaps the range */
bool idmap_lease_is_given(const char *text, uint32_t base);

#endif
