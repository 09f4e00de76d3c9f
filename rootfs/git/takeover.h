/* takeover - puts what was decided to come out of a box's view into the host's directory.
 * Needs:  openat2 (5.6); the caller's own rights.
 * Owns:   nothing.
 * Never:  leaves the directory, follows a link of any kind, or shows a half file: each step
 *         is a rename, and all of them may be done again after a kill at any instant. */
#ifndef ROOTFS_GIT_TAKEOVER_H
#define ROOTFS_GIT_TAKEOVER_H

#include <sys/types.h>

#include "base/buf.h"
#include "base/err.h"

/** takeover_open() - open @path beneath @root, no link on the way nor at its end
 *  Return: a descriptor, -ELOOP (a link), -ENOENT, … */
int takeover_open(int root, const char *path, int flags);

/** takeover_parent() - open the directory that holds the last part of @path
 *  @make: as far as it is missing
 *  @name: that part; into @path */
int takeover_parent(int root, const char *path, bool make, const char **name);

/** takeover_read() - append a regular file to @ret, whose maximum is the limit
 *  Return: 0, -ENOENT, -EMSGSIZE, -ELOOP, -EINVAL (no regular file), …: no message. */
int takeover_read(int root, const char *path, struct buf *ret);

struct takeover_file {
	const char *path;
	const void *data; /* borrowed */
	size_t len;
	mode_t mode; /* of a new file; an old one's stays; set-id bits never */
	/* Asked while the lock is held: < 0 (with @e filled) = do not. NULL = always */
	int (*as_before)(void *ctx, int root, struct err *e);
	void *ctx;
};

/**
 * takeover_put() - replace a file as git does: under "PATH.lock", by a rename
 *
 * The lock appears with the whole content already in it, so it is there for an instant
 * only. One that a kill left is known by its other name, and taken away the next time.
 * Return: 0, -EEXIST (somebody else holds the lock), what @as_before returned, or an errno.
 */
int takeover_put(int root, const struct takeover_file *f, struct err *e);

/** takeover_clean() - take away the lock that a killed takeover_put() has left of @path */
void takeover_clean(int root, const char *path);

/** takeover_remove() - remove a file; 0 also when there is none */
int takeover_remove(int root, const char *path, struct err *e);

#endif
