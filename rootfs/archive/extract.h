/* extract - the events of an archive become files below one directory.
 * Needs:  a directory that is the caller's own; umask 0 is set while it works.
 * Owns:   its caches and records.
 * Never:  makes anything outside the directory, whatever the names and links of the
 *         archive say; opens an existing file for writing; follows the last component
 *         of a name. */
#ifndef ROOTFS_ARCHIVE_EXTRACT_H
#define ROOTFS_ARCHIVE_EXTRACT_H

#include "base/err.h"
#include "rootfs/archive/entry_attr.h"
#include "rootfs/archive/untar.h"

/* Called now and then with the bytes of data written so far. */
typedef void extract_progress_fn(void *ctx, uint64_t bytes);

/* What the archive is. */
enum extract_kind {
	EXTRACT_WHOLE, /* a whole root, or one of several that go into one directory */
	/* A layer of its own that lies over others, in one image or another: what it
	 * removes becomes a mark for overlayfs (ovlmark.h). Where it cannot be told
	 * without those others what it means, the work ends with -EXDEV: it is to be
	 * unpacked over them as a whole. */
	EXTRACT_LAYER
};

struct extract_conf {
	int root; /* borrowed: the directory, opened for reading */
	enum extract_kind kind;
	bool single;			   /* one id only is mapped: see entry_attr.h */
	const struct untar_limits *limits; /* borrowed */
	struct buf *names; /* borrowed: a line for what is left out; may be NULL */
	extract_progress_fn *progress; /* may be NULL */
	void *progress_ctx;
};

struct extract;
int extract_new(const struct extract_conf *conf, struct extract **ret, struct err *e);
void extract_free(struct extract **x);
#define _cleanup_extract_ _cleanup_(extract_free)

/** extract_sink() - where untar_read() is to send its events; borrowed from @x */
struct untar_sink extract_sink(struct extract *x);

/** extract_finish() - modes and times of directories, once the archive is complete */
int extract_finish(struct extract *x, struct err *e);

/** extract_dropped() - what was left out, ENTRY_DROPS counts; borrowed */
const uint64_t *extract_dropped(const struct extract *x);

#endif
