/* journal - what an apply is about to do, on disk before it begins, and how far it came.
 *
 *   applied/<n>/journal   the steps, in their order; there is none before it is whole
 *   applied/<n>/log       what came into the project, step by step
 *   applied/<n>/<i>       what step i found there; <i>.new: what undo took away again
 *   applied/<n>/<i>.merged   what step i brings of both sides; <i>.box: the box's of them
 *   applied/<n>/done      all steps were done; undone: and taken back
 *   applied/<n>/undoing   they began to be taken back
 *   applied/<n>/unit      one undo takes back all that follow each other with the same one
 *   applied/<n>/gits      the git directories that are taken over after them, each ended by
 *                         NUL; gits-done: and they were
 *   applied/<n>/git-<i>   what git/take.h notes of one of these
 *
 * Needs:  a directory of the store.
 * Owns:   its texts.
 * Never:  believes a path: one that leads out is none. */
#ifndef ROOTFS_REVIEW_JOURNAL_H
#define ROOTFS_REVIEW_JOURNAL_H

#include "rootfs/review/diff.h"

enum { JOURNAL_BYTES = 64 << 20 };

struct journal_step {
	const char *path;	   /* into text */
	struct diff_side was, now; /* one of them is what the step is about */
	uint64_t ino, ctime;	   /* of what came into the project; 0 = not known */
	mode_t mode;		   /* the same */
};

struct journal {
	struct buf text;	    /* owned */
	struct journal_step *steps; /* owned */
	size_t n;
};
#define JOURNAL_NONE ((struct journal){ .text = BUF_INIT(JOURNAL_BYTES) })
void journal_done(struct journal *j);
#define _cleanup_journal_ _cleanup_(journal_done)

/** journal_begin() - the head of an empty one */
int journal_begin(struct buf *text);
/** journal_add() - the record of one step */
int journal_add(struct buf *text, const struct diff_item *x);

/** journal_parse() - the steps of @ret->text, which is there. Pure
 *  Return: 0, -EBADMSG, -ENOMEM. */
int journal_parse(struct journal *ret);

/** journal_log() - the record of what came into the project by step @i */
int journal_log(int fd, size_t i, const struct diff_side *x, struct err *e);
/** journal_take_log() - take such records into @j; half of one is none. Pure */
void journal_take_log(struct journal *j, const char *text, size_t len);

/** journal_read() - that of applied/<n>, with its log. -ENOENT: none was begun */
int journal_read(int dir, struct journal *ret, struct err *e);

#endif
