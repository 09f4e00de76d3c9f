/* carry - a file from one directory into another as a whole: under its name there is the
 * old or the new one, never a part, also between filesystems.
 * Needs:  directories as descriptors; names without '/'.
 * Owns:   nothing.
 * Never:  follows a link; carries set-id bits or capabilities; copies what is neither a
 *         file nor a link. */
#ifndef ROOTFS_REVIEW_CARRY_H
#define ROOTFS_REVIEW_CARRY_H

#include <stdbool.h>
#include <sys/stat.h>

struct carry {
	int dir;	  /* borrowed */
	const char *name; /* borrowed */
};

/* What a copy is to be. */
struct carry_as {
	mode_t mode; /* 07777 of it */
	const struct stat
		*like; /* owner and attributes of this one; NULL = the caller's */
	int like_fd;   /* the same, open; -1 = none */
};

/** carry_copy() - @from into @to, which must not be there: a temporary name
 *  Return: 0, -EBUSY (it was written meanwhile), -EOPNOTSUPP (no file nor link), … */
int carry_copy(const struct carry *from, const struct carry *to,
	       const struct carry_as *as);

/** carry_copy_open() - the same of what is open: a file to read, or a link with O_PATH */
int carry_copy_open(int in, const struct carry *to, const struct carry_as *as);

/** carry_keep() - another name for @from, or a copy of it; an older one is replaced */
int carry_keep(const struct carry *from, const struct carry *to);

/** carry_move() - rename, or copy and remove; @fresh: -EEXIST when @to is there */
int carry_move(const struct carry *from, const struct carry *to, bool fresh);

/** carry_clean() - what a kill has left beside @to of carry_keep() or carry_move() */
void carry_clean(const struct carry *to);

/** carry_rename() - within one filesystem */
int carry_rename(const struct carry *from, const struct carry *to, bool fresh);

#endif
