/* ovlmark - what a layer takes away of those below it, as overlayfs reads it from a
 * directory of the layer's own (mounted with "userxattr").
 * Needs:  user.* attributes and, for whiteouts, Linux 5.8.
 * Owns:   nothing.
 * Never:  follows a link. */
#ifndef ROOTFS_ARCHIVE_OVLMARK_H
#define ROOTFS_ARCHIVE_OVLMARK_H

#include <stdbool.h>
#include <sys/stat.h>

/** ovlmark_hide() - nothing of the name @name shows from below; what stands there in this
 *  layer stays, and a directory becomes opaque. 0 or a negative errno. */
int ovlmark_hide(int parent, const char *name);

/** ovlmark_opaque() - nothing of the directory below this one shows; 0 or a negative errno */
int ovlmark_opaque(int dir);
bool ovlmark_is_opaque(int dir);

/** ovlmark_is_whiteout() - is this a mark of ovlmark_hide()? */
bool ovlmark_is_whiteout(const struct stat *st);

#endif
