/* dirtimes - modes and times of directories, put on when nothing is made in them any
 * more.
 * Needs:  the root that they lie in.
 * Owns:   its list.
 * Never:  touches what is no longer the directory that was noted (CVE-2021-31566). */
#ifndef ROOTFS_ARCHIVE_DIRTIMES_H
#define ROOTFS_ARCHIVE_DIRTIMES_H

#include <sys/stat.h>
#include <time.h>

#include "base/buf.h"
#include "base/err.h"

enum { DIRTIMES_BYTES = 1 << 30 };

struct dirtimes {
	struct buf paths; /* NUL-ended, one after the other */
	struct buf dirs;  /* struct dirtimes_dir */
};
#define DIRTIMES_NONE                                                  \
	((struct dirtimes){ .paths = BUF_INIT((size_t)DIRTIMES_BYTES), \
			    .dirs = BUF_INIT((size_t)DIRTIMES_BYTES) })
void dirtimes_done(struct dirtimes *l);

struct dirtimes_dir {
	size_t path; /* set by dirtimes_add() */
	dev_t dev;
	ino_t ino;
	mode_t mode;
	bool has_times, has_mode; /* what is to be put on */
	struct timespec times[2];
};

/** dirtimes_add() - note a directory; a later note of the same one replaces this */
int dirtimes_add(struct dirtimes *l, const char *path, const struct dirtimes_dir *d,
		 struct err *e);

/** dirtimes_apply() - put everything on, children before their parents; empties the
 *  list. Directories that are gone or were replaced are passed over. */
int dirtimes_apply(struct dirtimes *l, int root, struct err *e);

#endif
