/* lines - which lines of a text are others in another: the shortest way from one to the
 * other where that is found soon, else all between what both begin and end with.
 * Needs:  both texts as bytes, LINES_BYTES at the most; they outlive the result.
 * Owns:   its lists.
 * Never:  takes more time or memory than its limits permit. Pure. */
#ifndef ROOTFS_REVIEW_LINES_H
#define ROOTFS_REVIEW_LINES_H

#include "base/def.h"
#include "base/scope.h"

enum { LINES_BYTES = 8 << 20, LINES_STEPS = 1000 };

struct lines_side {
	const char **at; /* owned; n + 1 of them: a line ends where the next begins */
	size_t n;
	bool *other; /* owned: the line is not in the other text */
};

struct lines {
	struct lines_side a, b;
	size_t removed, added;
};
void lines_done(struct lines *l);
#define _cleanup_lines_ _cleanup_(lines_done)

/** lines_compare() - Return: 0, -EMSGSIZE or -ENOMEM. */
int lines_compare(const char *a, size_t a_len, const char *b, size_t b_len,
		  struct lines *ret);

/** lines_binary() - whether nobody would read it as text, as git judges it */
bool lines_binary(const char *text, size_t len);

#endif
