/* diff - two texts, line by line, as a unified diff.
 * Needs:  nothing; it is pure.
 * Owns:   nothing.
 * Never:  takes longer than DIFF_EDITS allows: texts with more differences between the first
 *         and the last are shown as one replaced piece. */
#ifndef BASE_DIFF_H
#define BASE_DIFF_H

#include "base/buf.h"

enum { DIFF_EDITS = 600, DIFF_CONTEXT = 3 };

struct diff_stat {
	size_t added, removed; /* lines */
};

/**
 * diff_unified() - append the hunks, without the two lines that name files
 * @ret: may be NULL
 * Return: 0, -ENOMEM or -EMSGSIZE.
 */
int diff_unified(const struct buf *old, const struct buf *new, struct diff_stat *ret,
		 struct buf *out);

#endif
