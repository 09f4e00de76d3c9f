/* diffs - the layers of images in the store: each once, however many images have it.
 * Needs:  an open store.
 * Owns:   diffs/ of the store.
 * Never:  removes a layer that an image names; shows one that is not whole.
 *
 *   diffs/<name>/rootfs      its files, marks for overlayfs included (ovlmark.h)
 *   diffs/<name>/meta.json   bytes, entries, dropped{}, snippets
 *   images/<dir>/layers      the names of an image's layers, a line each, the uppermost
 *                            first; an image without this file lies in its rootfs/ alone
 * <name> is image_dir() of the digest of the uncompressed archive (its diff id). */
#ifndef ROOTFS_IMAGE_DIFFS_H
#define ROOTFS_IMAGE_DIFFS_H

#include "rootfs/image/image.h"

/** diffs_meta() - what is known of a layer, owned; -ENOENT: it is not there */
int diffs_meta(const struct store *s, const char *name, struct json **ret,
	       struct err *e);

/**
 * diffs_publish() - move a layer that is whole and on disk to its place
 * @dir: where it was made, in which it is called @from
 *
 * Context: image_lock() is held. One that is there already stays, and @from with it.
 */
int diffs_publish(const struct store *s, int dir, const char *from, const char *name,
		  struct err *e);

/** diffs_settle() - wait until the disk has the names of what was published */
int diffs_settle(const struct store *s, struct err *e);

/** diffs_there() - 0, or -ESTALE: it was removed meanwhile */
int diffs_there(const struct store *s, const char *name, struct err *e);

/** diffs_sweep() - remove the layers of @map that no image has
 *  Context: without image_lock(), which it takes. */
int diffs_sweep(const struct store *s, const char *map, boxdir_rm_fn *rm, void *ctx,
		struct err *e);

#endif
