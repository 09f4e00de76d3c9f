/* store - where images and boxes live on disk: $XDG_DATA_HOME/cubby, mode 0700.
 * Needs:  HOME or XDG_DATA_HOME.
 * Owns:   the store's directory descriptors.
 * Never:  leaves a state that a later command cannot use: every change is a temporary
 *         name, an fsync and a rename, under a lock.
 *
 *   images/<name>/{rootfs/,meta.json}          <name> is the digest, with ".<map>"
 *                                              behind it for any map but the default
 *   diffs/<name>/{rootfs/,meta.json}           layers of images (rootfs/image/diffs.h)
 *   boxes/<key>/{box.json,upper/,work/,transcripts/,lock}     <key> = sha256 of the path
 *   marks/<id>                                 by which a moved directory is known again
 *   tmp/                                       what is being made; cleaned when stale */
#ifndef ROOTFS_STORE_STORE_H
#define ROOTFS_STORE_STORE_H

#include <limits.h>

#include "base/err.h"
#include "base/scope.h"

struct store {
	int dirfd;	     /* owned; the store itself */
	int images;	     /* owned */
	int boxes;	     /* owned */
	int tmp;	     /* owned */
	char path[PATH_MAX]; /* absolute */
};
#define STORE_NONE ((struct store){ .dirfd = -1, .images = -1, .boxes = -1, .tmp = -1 })

/**
 * store_open() - open the caller's store, making it when it is missing
 * Return: 0; -EROFS, -EACCES, -ENOSPC with the path and the remedy; -EPERM when the
 *         directory belongs to somebody else or others may enter it.
 */
int store_open(struct store *ret, struct err *e);
void store_close(struct store *s);
#define _cleanup_store_ _cleanup_(store_close)

#endif
