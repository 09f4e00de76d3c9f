/* layoutout - layers on disk become an OCI layout: what 'cubby save' and 'cubby commit' have
 * in common.
 * Needs:  an open store; an id map that owns the layers.
 * Owns:   the two lists.
 * Never:  writes anything but new files of the layout. */
#ifndef CLI_IMAGE_LAYOUTOUT_H
#define CLI_IMAGE_LAYOUTOUT_H

#include "base/json.h"
#include "cli/show/progress.h"
#include "rootfs/image/image.h"
#include "rootfs/store/store.h"
#include "runtime/idmap/idmap.h"

struct layoutout {
	const struct store *store; /* borrowed */
	const struct idmap *map;   /* borrowed: whose the files are */
	int dir;		   /* borrowed: the layout, an empty directory */
	int blobs;		   /* owned: blobs/sha256 in it; -1 at first */
	bool docker;		   /* also as 'docker load' reads it */
	int abort_fd; /* borrowed; readable = give up with -ECANCELED; -1 = none */
	struct progress_bar *bar; /* borrowed */
	uint64_t packed;	  /* bytes of the layers that are done */
	struct json *layers,
		*diffs; /* owned: descriptors, and digests without compression */
};
void layoutout_done(struct layoutout *l);
#define _cleanup_layoutout_ _cleanup_(layoutout_done)

int layoutout_begin(struct layoutout *l, struct err *e);

/** layoutout_tree() - a directory becomes the next layer; @skip: see pack.h
 *  @tree: a descriptor, also of O_PATH */
int layoutout_tree(struct layoutout *l, int tree, const char *skip, struct err *e);

/**
 * layoutout_image() - the layers of an image, the lowest first
 * @known: image_meta(): of those that the store keeps as layers only the names, for whoever
 *         pulls the layout into this store does not read them; NULL = all of them
 */
int layoutout_image(struct layoutout *l, const char *dir, const struct json *known,
		    struct err *e);

struct layoutout_want {
	const char *name; /* in the layout; NULL = its own */
	bool docker;
	int abort_fd;		  /* borrowed; as above */
	struct progress_bar *bar; /* borrowed */
};
/** layoutout_whole() - an image of the store into the empty directory @dir */
int layoutout_whole(const struct store *st, const struct image *image,
		    const struct layoutout_want *want, int dir, struct err *e);

/** layoutout_end() - configuration, manifest and index; @run: see image_run(); NULL = none */
int layoutout_end(struct layoutout *l, const struct json *run, const char *name,
		  struct err *e);

#endif
