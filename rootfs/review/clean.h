/* clean - takes out of a layer what the project has by now, or what is not wanted.
 * Needs:  nothing mounted on the layer.
 * Owns:   nothing.
 * Never:  takes out what the project has not, or changes what the box would see but for
 *         what was taken out. */
#ifndef ROOTFS_REVIEW_CLEAN_H
#define ROOTFS_REVIEW_CLEAN_H

#include "rootfs/review/diff.h"

/** clean_layer() - all that makes no difference
 *  @left: the differences that there are now */
int clean_layer(const struct layer *l, const struct diff *left, struct err *e);

/** clean_taken() - the same, once something was taken over with the umask @mask */
int clean_taken(const struct layer *l, mode_t mask, struct err *e);

/** clean_moved() - files that were moved count as new ones from now on, whatever becomes of
 *  their old names. @d: as it was before something was taken over */
void clean_moved(const struct layer *l, const struct diff *d);

/** clean_discard() - what the layer has at @path, "" = all of it
 *  Return: 0; -ENOENT: nothing; -EBUSY: a directory above was replaced as a whole. */
int clean_discard(const struct layer *l, const char *path, struct err *e);

#endif
