/* threeway - a text file that the host and the box have both changed, with both changes in it.
 * Needs:  what the file was before (origin.h); a listed change.
 * Owns:   nothing.
 * Never:  changes anything; takes what is no text, or larger than ORIGIN_FILE. */
#ifndef ROOTFS_REVIEW_THREEWAY_H
#define ROOTFS_REVIEW_THREEWAY_H

#include "rootfs/review/diff.h"

enum { THREEWAY_MOST = 200 /* files of a list that are looked at */ };

/** threeway_all() - fill @merged of those conflicts of the list of which that is possible; where
 *  it is not, they stay what they are */
void threeway_all(const struct layer *l, struct diff *d);

#endif
