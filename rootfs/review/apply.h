/* apply - changes of a box's layer into the project, journalled: whatever ends it, each file
 * is the old one or the new one, and what is left can be done or taken back.
 * Needs:  the caller's rights on the project and on the layer; nobody else at work on
 *         applied/; openat2 (5.6).
 * Owns:   applied/<n> in the box's directory.
 * Never:  leaves the project, follows a link, makes what is no file, directory or link, or
 *         replaces what is not as it was when the change was listed. */
#ifndef ROOTFS_REVIEW_APPLY_H
#define ROOTFS_REVIEW_APPLY_H

#include "rootfs/review/journal.h"

/* How a step ended: 0, or why it was not done; -ESTALE: the host's is another by now. */
typedef void apply_fn(void *ctx, const char *path, int result);

struct apply {
	int boxdir, project; /* borrowed */
	int upper;	     /* borrowed; -1 = for undo */
	const struct buf
		*gits; /* borrowed: git directories that are taken over after it,
				   each ended by NUL; NULL = none */
	const char
		*unit; /* borrowed: one undo takes back all that follow each other with
			   * the same one; NULL or "" = it alone */
	mode_t umask;
	apply_fn *fn;
	/* All is done, and nobody has noted so: whatever ends it here, it is called again by
	 * apply_continue(). @dir: applied/<n>. NULL = nothing is to be done then */
	int (*applied)(void *ctx, const struct journal *j, int dir, struct err *e);
	/* All that apply @n did is back, and nobody has noted so: whatever ends it here, it is
	 * called again by the next undo. NULL = nothing is to be done then */
	int (*undone)(void *ctx, int n, struct err *e);
	void *ctx;
};

enum { APPLY_KEPT = 20 /* older ones can no more be taken back */ };

/**
 * apply_run() - do them, in an order that works
 * @items: borrowed; none where only a git directory is taken over
 *
 * The caller has asked apply_ended().
 * Return: the number of the apply, > 0; or why it stopped: then it can go on.
 */
int apply_run(const struct apply *a, const struct diff_item *const *items, size_t n,
	      struct err *e);

/** apply_open() - the number of one that did not come to its end, 0 = there is none */
int apply_open(int boxdir, struct err *e);
/** apply_ended() - 0; -EBUSY: an apply or an undo did not come to its end */
int apply_ended(int boxdir, struct err *e);
/** apply_continue() - bring it to its end */
int apply_continue(const struct apply *a, struct err *e);

/** apply_last() - the number of the last one that has not been taken back; 0 = none */
int apply_last(int boxdir, struct err *e);
/** apply_before() - the same of those below the number @n */
int apply_before(int boxdir, int n, struct err *e);

/** apply_is_more() - whether apply @n is of one unit with the one before it (struct apply),
 *  which is to be taken back, too: while a person was asked, another command may have done so,
 *  and what comes before that one is nothing of @n's */
bool apply_is_more(int boxdir, int n);

/** apply_gits() - the git directories that apply @n takes over, each ended by NUL
 *  Return: the directory of that apply, owned, where what is done for them is noted. */
int apply_gits(int boxdir, int n, struct buf *ret, struct err *e);
/** apply_gits_done() - they are taken over; an apply with some is open until then */
int apply_gits_done(int dir, struct err *e);

/** apply_undo() - take back the last one that has not been taken back, finished or not
 *  Return: its number; 0 = there is none. */
int apply_undo(const struct apply *a, struct err *e);

/** apply_undoing() - note in the directory of an apply that it is being taken back, as
 *  apply_undo() does; or that it is not after all. Where there is no room for the note it is
 *  taken back all the same: that may make some */
void apply_undoing(int dir, bool on);

/** apply_undone() - append what is again as apply @n found it, and was not newer than @l's
 *  run then: paths, each ended by NUL */
int apply_undone(int boxdir, int n, const struct layer *l, struct buf *ret,
		 struct err *e);

#endif
