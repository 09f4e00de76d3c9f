/* given - what was taken over from a layer that was in use, and so still has it: it is no
 * change any more, until the box changes it again.
 *
 *   boxes/<key>/project/given    a journal's records: the host's side of it, the layer's
 *
 * Needs:  the layer's directory.
 * Owns:   its records.
 * Never:  changes the layer. */
#ifndef ROOTFS_REVIEW_GIVEN_H
#define ROOTFS_REVIEW_GIVEN_H

#include "rootfs/review/journal.h"

struct given {
	struct journal records; /* owned; sorted by path */
};
#define GIVEN_NONE ((struct given){ .records = JOURNAL_NONE })
void given_done(struct given *g);
#define _cleanup_given_ _cleanup_(given_done)

/** given_read() - nothing where there is none */
int given_read(int layerdir, struct given *ret, struct err *e);

/** given_find() - NULL: it was not */
const struct journal_step *given_find(const struct given *g, const char *path);

/** given_add() - these, too: @items have what both sides are now; sorted by path */
int given_add(int layerdir, const struct diff_item *items, size_t n, struct err *e);

/** given_forget() - the layer was cleaned of it */
void given_forget(int layerdir);

/** given_same() - whether nobody has touched a side since */
bool given_same(const struct diff_side *a, const struct diff_side *b);

#endif
