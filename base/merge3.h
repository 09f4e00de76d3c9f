/* merge3 - a text that two have changed, line by line: what each of them did to a third one,
 * from which both began, is done to it once.
 * Needs:  nothing; it is pure.
 * Owns:   nothing.
 * Never:  leaves out a line of either side without a word: where both have changed the same
 *         lines, or lines without one between them that both kept, that is a conflict. */
#ifndef BASE_MERGE3_H
#define BASE_MERGE3_H

#include "base/buf.h"

struct merge3 {
	const struct buf *base, *ours, *theirs; /* borrowed */
	const char *our_name, *their_name;	/* behind the marks of a conflict */
};

/**
 * merge3() - append the merged text
 * @conflicts: how many there are; each is written as git writes it, both sides between marks
 * Return: 0, -ENOMEM or -EMSGSIZE.
 */
int merge3(const struct merge3 *m, size_t *conflicts, struct buf *out);

#endif
