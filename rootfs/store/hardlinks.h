/* hardlinks - files of a tree that have names outside of it, as package managers make them
 * (pnpm, uv, conda link into their stores): who writes one writes all.
 * Needs:  the tree's directory as a descriptor; to break links, that nobody else works in
 *         the tree meanwhile.
 * Owns:   nothing.
 * Never:  follows a link, leaves the filesystem, looks at more than a fixed number of
 *         names, or at what git keeps in a directory '.git' unless told to.
 *
 * A file all of whose names are in the tree concerns nobody else, and is left alone. */
#ifndef ROOTFS_STORE_HARDLINKS_H
#define ROOTFS_STORE_HARDLINKS_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

/** hardlinks_likely() - a quick look where such files usually are (a few hundred names)
 *  whether any file has more than one name */
bool hardlinks_likely(int dirfd);

struct hardlinks {
	uint64_t files;	     /* that have names elsewhere */
	uint64_t bytes;	     /* of these */
	uint64_t kept;	     /* of these, such as could not be broken up */
	bool incomplete;     /* not all was looked at */
	char path[PATH_MAX]; /* the first of them; with @kept, the first kept one */
	int why;	     /* negative errno: why that was kept */
};

/** hardlinks_find() - count them; @git: also below '.git' */
int hardlinks_find(int dirfd, bool git, struct hardlinks *ret, struct err *e);

/**
 * hardlinks_break() - make each of them a file of the tree's own
 *
 * A copy with the same owner, mode, times and attributes is made beside it and renamed over
 * it: whatever ends this, there is the old file or the new one under each name. Several
 * names of one file in the tree stay names of one file. A file whose attributes cannot be
 * kept, or that changes meanwhile, stays as it is. What an earlier call was not given the
 * time to remove (".cubby-unlink-…") is removed.
 * Return: 0; a negative errno (-ENOSPC, -EDQUOT, -EROFS, -EIO, -ENOMEM …) when it is of no
 *         use to go on.
 */
int hardlinks_break(int dirfd, bool git, struct hardlinks *ret, struct err *e);

/** hardlinks_break_one() - the same for the file @name in @dir alone, wherever its other
 *  names are; one that has none stays as it is. Return: 0 or a negative errno. */
int hardlinks_break_one(int dir, const char *name);

#endif
