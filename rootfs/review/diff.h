/* diff - what a box would change in its project: the layer compared with what lies below
 * it, as a list of files.
 * Needs:  an open layer; it may be in use, then what is seen is of some moment.
 * Owns:   its list.
 * Never:  follows a link; opens what is no plain file or directory; believes a name. What
 *         the layer holds unchanged is not in the list. */
#ifndef ROOTFS_REVIEW_DIFF_H
#define ROOTFS_REVIEW_DIFF_H

#include <sys/stat.h>

#include "base/buf.h"
#include "rootfs/review/layer.h"

enum { DIFF_ITEMS = 200000 };

struct diff_side {
	mode_t mode; /* type and rights; 0 = there is nothing */
	uint64_t size, ino;
	uint64_t mtime, ctime; /* ns since 1970 */
};

struct diff_item {
	char *path;		   /* owned; below the project */
	struct diff_side was, now; /* the host's, the box's */
	bool git;	  /* a git directory of the host's, taken over by its meaning */
	bool moved;	  /* a copy of a file that the host has under another name */
	const char *kept; /* of a repository outside of the project (layer_outside.h):
			     why it is never taken over; NULL = it is nothing such */
	bool conflict;	  /* the host has changed it since the box began */
	bool rights;	  /* the same, and only rights are different */
	struct buf *
		merged; /* owned: both sides together (threeway.h); an apply takes that.
				NULL = the box's */
	mode_t merged_mode; /* its rights */
	size_t overlaps;    /* in it: where both have changed the same lines */
};

struct diff {
	struct diff_item *items; /* owned; sorted by path */
	size_t n;
};
void diff_done(struct diff *d);
#define _cleanup_diff_ _cleanup_(diff_done)

/** diff_make() - Return: 0, -E2BIG (more than DIFF_ITEMS), or an errno. */
int diff_make(const struct layer *l, struct diff *ret, struct err *e);

/** diff_by_path() - the order of @items, for qsort() */
int diff_by_path(const void *a, const void *b);

/** diff_unmerge() - the box's side is what counts */
void diff_unmerge(struct diff_item *x);

/** diff_look() - what is at @path below @root; nothing where a link is on the way */
struct diff_side diff_look(int root, const char *path);

enum { DIFF_COMPARED = 1 << 30 /* bytes; a larger file is another */ };

/** diff_same_bytes() - two files have the same from where each is read; false where that
 *  cannot be seen */
bool diff_same_bytes(int a, int b);

/** diff_open() - what is at @path below @root, if it is still @as: a box that goes on may put
 *  another there at any moment, or another directory on the way to it
 *  Return: a file to read, or a link with O_PATH, owned; -ESTALE: it is another; or an errno. */
int diff_open(int root, const char *path, const struct diff_side *as);

/** diff_is() - whether nobody has touched what is open since it was @as */
bool diff_is(int fd, const struct diff_side *as);

/** diff_inside() - the next item after @i that lies below the directory @dir; 0 = none. The
 *  list is sorted, with other names that begin so in between. */
size_t diff_inside(const struct diff *d, size_t dir, size_t i);

#endif
