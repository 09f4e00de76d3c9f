/* latedirs - modes and times of directories, put on when nothing is made in them any
 * more.
 * Needs:  the root that they lie in.
 * Owns:   its list.
 * Never:  touches what is no longer the directory that was noted (CVE-2021-31566). */
#ifndef ROOTFS_LATEDIRS_H
#define ROOTFS_LATEDIRS_H

#include <sys/stat.h>
#include <time.h>

#include "base/buf.h"
#include "base/err.h"

enum { LATEDIRS_BYTES = 1 << 30 };

struct latedirs {
	struct buf paths; /* NUL-ended, one after the other */
	struct buf dirs;  /* struct latedirs_dir */
};
#define LATEDIRS_NONE                                                  \
	((struct latedirs){ .paths = BUF_INIT((size_t)LATEDIRS_BYTES), \
			    .dirs = BUF_INIT((size_t)LATEDIRS_BYTES) })
void latedirs_done(struct latedirs *l);
#define _cleanup_latedirs_ _cleanup_(latedirs_done)

struct latedirs_dir {
	size_t path; /* set by latedirs_add() */
	dev_t dev;
	ino_t ino;
	mode_t mode;
	bool has_times, has_mode; /* what is to be put on */
	struct timespec times[2];
};

/** latedirs_add() - note a directory; a later note of the same one replaces this */
int latedirs_add(struct latedirs *l, const char *path, const struct latedirs_dir *d,
		 struct err *e);

/** latedirs_apply() - put everything on, children before their parents; empties the
 *  list. Directories that are gone or were replaced are passed over. */
int latedirs_apply(struct latedirs *l, int root, struct err *e);

#endif
