/* origin - what the project's text files were when the box took its copies of them: of these
 * alone a merge of three can tell which side has changed which line.
 *
 *   boxes/<key>/project/origin/<sum of the path>-<since>    such a file's content
 *
 * The kernel copies a file into the layer and says so to nobody. But a file of the host's that
 * has not changed since that run of the box began is still what was copied, so it is kept when
 * a program of the box ends and at each checkpoint. One that the host has changed before that
 * is not known.
 *
 * Needs:  an open layer; it may be in use.
 * Owns:   project/origin.
 * Never:  keeps what is larger than ORIGIN_FILE or no text; takes a word of the box for it. */
#ifndef ROOTFS_REVIEW_ORIGIN_H
#define ROOTFS_REVIEW_ORIGIN_H

#include "base/buf.h"
#include "rootfs/review/layer.h"

enum {
	ORIGIN_FILE = 1 << 20,
	ORIGIN_ALL = 64 << 20, /* bytes that are kept at once */
	ORIGIN_LOOKED =
		10000 /* entries of a layer that are looked at, to keep theirs */
};

/** origin_drop() - those of what is not in the layer any more go */
void origin_drop(const struct layer *l);

/** origin_keep() - of a box: those of this run that are not kept yet, as far as that is
 *  possible: what is not kept is not merged */
void origin_keep(int boxdir, int project);

/**
 * origin_read() - append what the file at @path was
 * @mode: its rights
 * Return: 0, -ENOENT (it is not known), or another errno.
 */
int origin_read(const struct layer *l, const char *path, struct buf *ret, mode_t *mode);

/** origin_known() - whether the host had a file at @path when the box took its copy; that it
 *  had none, or that nobody knows, is false */
bool origin_known(const struct layer *l, const char *path);

/** origin_renew() - @text is what both sides go on from; NULL = that is not known any more. A
 *  beginning that is not kept stays so */
void origin_renew(const struct layer *l, const char *path, const struct buf *text,
		  mode_t mode);

/** origin_is_text() - whether it is merged line by line */
bool origin_is_text(const struct buf *text);

#endif
