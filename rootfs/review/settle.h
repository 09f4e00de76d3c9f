/* settle - what a box that runs is listed with is what it is: whatever it writes from then on
 * changes the times that its files were listed with.
 * Needs:  a list, before what the files have in them is read.
 * Owns:   nothing.
 * Never:  changes a file, or the list. */
#ifndef ROOTFS_REVIEW_SETTLE_H
#define ROOTFS_REVIEW_SETTLE_H

#include "rootfs/review/diff.h"

/** settle_all() - one of @d that was written meanwhile is as before: diff_is() says no to it, now
 *  and later. Nothing of this helps in a filesystem in memory, which notes no time for what is
 *  written through a mapping.
 *  Context: may wait for the disk, and for a tick of the clock of files. */
void settle_all(const struct layer *l, const struct diff *d);

#endif
