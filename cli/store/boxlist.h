/* boxlist - the boxes of the store, and which of them a person means.
 * Needs:  an open store.
 * Owns:   the records that it read.
 * Never:  starts a box; stops at a box that it cannot read.
 *
 * A box is named by its directory, also by one that is gone, by its --name, or by the
 * beginning of its key. */
#ifndef CLI_STORE_BOXLIST_H
#define CLI_STORE_BOXLIST_H

#include "base/json.h"
#include "rootfs/store/store.h"

enum {
	BOXLIST_PATH = 4096,
	BOXLIST_NAME = 128,
	BOXLIST_SHORT = 33,
	BOXLIST_KEY = 65,
	BOXLIST_PREFIX = 6
};

struct boxlist_item {
	char key[BOXLIST_KEY];
	char project[BOXLIST_PATH];
	char image[BOXLIST_NAME]; /* as the person called it */
	char image_dir[BOXLIST_NAME];
	char name[BOXLIST_SHORT]; /* of several boxes of the directory; "" = the one */
	char mark[BOXLIST_NAME];  /* of the directory (boxmark.h); "" = none */
	bool between; /* the record is of the place that it had before (place_finish()) */
	bool running;
	int64_t used; /* seconds since 1970: the last time it was opened */
};

struct boxlist {
	struct boxlist_item *v; /* owned; sorted by project */
	size_t n;
};
#define BOXLIST_NONE ((struct boxlist){ 0 })
void boxlist_done(struct boxlist *l);
#define _cleanup_boxlist_ _cleanup_(boxlist_done)

/** boxlist_read() - all boxes that have a record */
int boxlist_read(const struct store *st, struct boxlist *ret, struct err *e);

/** boxlist_read_one() - the box @key alone, none where it has no record: a store may have
 *  hundreds */
int boxlist_read_one(const struct store *st, const char *key, struct boxlist *ret,
		     struct err *e);

/** boxlist_find() - the box that @word means, and @name of those of a directory (NULL =
 *  the one without); borrowed from @l
 *  Return: NULL, with @e filled: -ENOENT, or -EINVAL when several keys begin so. */
const struct boxlist_item *boxlist_find(const struct boxlist *l, const char *word,
					const char *name, struct err *e);

#endif
