/* diff - two texts, line by line, as a unified diff; or any two lists of pieces of text.
 * Needs:  nothing; it is pure.
 * Owns:   nothing.
 * Never:  takes longer than DIFF_EDITS allows: texts with more differences between the first
 *         and the last are shown as one replaced piece. */
#ifndef BASE_DIFF_H
#define BASE_DIFF_H

#include "base/buf.h"

enum { DIFF_EDITS = 1000, DIFF_CONTEXT = 3 };

struct diff_stat {
	size_t added, removed; /* lines */
};

struct diff_piece {
	const char *s; /* borrowed */
	size_t n;
};

/* A list of pieces, and of each whether it is not in the other list. */
struct diff_list {
	struct diff_piece *pieces;
	size_t n;
	char *changed; /* a byte a piece; 0 before diff_mark() */
};

/* Pieces from @i on of the old list and from @j on of the new one. */
struct diff_hunk {
	size_t i, n, j, m; /* @n and @m of them */
};

/** diff_list_lines() - the lines of a text, each with its newline, none of them marked
 *  @s: { 0 }; what it gets is owned, its pieces lie in @text. Return: 0 or -ENOMEM. */
int diff_list_lines(struct diff_list *s, const struct buf *text);
void diff_list_done(struct diff_list *s);

/** diff_mark() - what of each is changed; at most INT32_MAX / 2 pieces; 0 or -ENOMEM */
int diff_mark(struct diff_list *a, struct diff_list *b);

/**
 * diff_next() - the next changes, with DIFF_CONTEXT equal pieces around them
 * @h: { 0 } at first; then what was found before
 * Return: false: there are no more.
 */
bool diff_next(const struct diff_list *a, const struct diff_list *b,
	       struct diff_hunk *h);

/**
 * diff_unified() - append the hunks, without the two lines that name files
 * @ret: may be NULL
 * @out: may be NULL: only counted
 * Return: 0, -ENOMEM or -EMSGSIZE.
 */
int diff_unified(const struct buf *old, const struct buf *new, struct diff_stat *ret,
		 struct buf *out);

#endif
