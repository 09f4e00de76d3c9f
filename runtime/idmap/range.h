/* idmap_range - the ids of a box of root while it runs, and by which maps its files are
 * shown with them. Pure.
 * Needs:  the map that the box was made with: where its files' owners lie on disk.
 * Owns:   nothing.
 * Never:  gives a box an id of an account of the host's but box root's on the project.
 *
 * On disk everything of root's boxes belongs to one range (docs/adr/0005), so that layers
 * can be shared. A box that runs has a range of its own: ids 0 to 65535, its users, and
 * behind them as many that stand for accounts of the host's, by which box root can read and
 * write what they own in the project. No process of the box is such a user, or can give a
 * file to one (SECFILTER_SETID_ROOT); box root alone can add such a group to its own, since
 * setgroups(2) has them in memory, where a filter cannot look. */
#ifndef RUNTIME_IDMAP_RANGE_H
#define RUNTIME_IDMAP_RANGE_H

#include "runtime/idmap/idmap.h"

enum {
	IDMAP_RANGE_IDS = 65536,	/* users of a box */
	IDMAP_RANGE_SIZE = 2 * 65536,	/* with those that stand for the host's */
	IDMAP_RANGE_FIRST = 0x70000000, /* the range on disk, and the first of a box */
	IDMAP_RANGE_COUNT = 2047	/* up to where systemd's foreign ids begin */
};

/** idmap_range_box() - what the box's namespace maps when it has the range from @base on
 *  (root);
 *  to a box whose root is the caller only what stands for the host's accounts is added; a
 *  copy of @m when neither is */
void idmap_range_box(const struct idmap *m, uint32_t base, struct idmap *ret);

/** idmap_range_layers() - for mounts of the image and of the box's layers: ids of the
 *  range on disk are shown as the box's */
void idmap_range_layers(const struct idmap *m, uint32_t base, struct idmap *ret);

/** idmap_range_project() - for the project: the host's root is @owner of the box, other
 *  accounts are ids that nobody in the box has, and users of the box own what they make by
 *  the range on disk, root by the id of @owner there: they change places */
void idmap_range_project(const struct idmap *m, struct idmap_owner owner, uint32_t base,
			 struct idmap *ret);

#endif
