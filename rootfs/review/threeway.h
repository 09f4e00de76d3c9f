/* threeway - a text file that the host and the box have both changed, with both changes in it.
 * Needs:  what the file was before (origin.h); a listed change.
 * Owns:   nothing.
 * Never:  changes anything of either side; takes what is no text, or larger than ORIGIN_FILE. */
#ifndef ROOTFS_REVIEW_THREEWAY_H
#define ROOTFS_REVIEW_THREEWAY_H

#include "rootfs/review/diff.h"

enum {
	THREEWAY_MOST = 200,	  /* files of a list that are looked at */
	THREEWAY_BYTES = 64 << 20 /* merged texts at once; no more is begun */
};

/** threeway_all() - fill @merged of those conflicts of the list of which that is possible; where
 *  it is not, they stay what they are */
void threeway_all(const struct layer *l, struct diff *d);

/** threeway_given() - what the layer has at @path, @now as it was listed, has come to the host
 *  while the box is in use: from there on both go on */
void threeway_given(const struct layer *l, const char *path,
		    const struct diff_side *now);

#endif
