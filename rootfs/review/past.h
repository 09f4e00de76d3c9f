/* past - what files of the project were at some moment, as far as applies have changed them
 * since, or were taken back since. What people have done to them is not known.
 *
 * Needs:  the directory of a box.
 * Owns:   what it has read; the files stay where the applies keep them.
 * Never:  changes anything. */
#ifndef ROOTFS_REVIEW_PAST_H
#define ROOTFS_REVIEW_PAST_H

#include "rootfs/review/journal.h"

enum { PAST_NAME = 32 };

struct past_step {
	const char *path;      /* into a journal, as all of it */
	struct diff_side side; /* what was there */
	int dir;	       /* where that is kept */
	char name[PAST_NAME];  /* and under which name */
	unsigned rank;	       /* of those with one path the lowest counts */
};

struct past {
	struct past_apply *applies; /* owned */
	size_t n_applies;
	struct past_step *steps; /* owned; sorted by path and rank */
	size_t n;
};
#define PAST_NONE ((struct past){ .n = 0 })
void past_done(struct past *p);

/**
 * past_read() - what there is to know
 * @when:  ns since 1970
 * @after: the last apply then: all that came later must be there
 * Return: 0; -ENOENT: they are not; or an errno.
 */
int past_read(int boxdir, uint64_t when, unsigned after, struct past *ret,
	      struct err *e);

/** past_find() - NULL: no apply has changed it since */
const struct past_step *past_find(const struct past *p, const char *path);

#endif
