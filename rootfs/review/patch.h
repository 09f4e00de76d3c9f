/* patch - one change of a list as a person reads it: as git writes patches, or only how many
 * lines it has.
 * Needs:  an item of diff.h, and where the files of both sides are.
 * Owns:   nothing.
 * Never:  reads more than PATCH_FILE of a file: a larger one is not shown. What it writes
 *         has the bytes of the files, whatever they are. */
#ifndef ROOTFS_REVIEW_PATCH_H
#define ROOTFS_REVIEW_PATCH_H

#include "base/buf.h"
#include "rootfs/review/diff.h"

struct patch_count {
	size_t added, removed;
	bool binary; /* or too large: no lines are counted */
};

enum { PATCH_FILE = 8 << 20, PATCH_MAX = 64 << 20 };

struct patch_sides {
	int was, now;	      /* directories; borrowed */
	const char *was_path; /* in the first; NULL = the path of the item */
	bool binary;	      /* what is no text is written, too, for git to apply */
};

/**
 * patch_item() - write it, and count
 * @out: grows by the patch; NULL = only count
 * Return: 0, -ESTALE (the side that is new is not as it was listed; nothing was written), or an
 *         errno of reading the files or writing: no message.
 */
int patch_item(const struct patch_sides *from, const struct diff_item *x,
	       struct buf *out, struct patch_count *ret);

/** patch_name() - append a path as git quotes it */
int patch_name(struct buf *out, const char *prefix, const char *path);

#endif
