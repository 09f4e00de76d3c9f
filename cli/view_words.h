/* view_words - words of the model made fit for a terminal, as they stream. Pure.
 * Needs:  bytes, split anywhere.
 * Owns:   the beginning of a character whose rest has not come yet.
 * Never:  lets through a control character other than newline and tab, or one of the C1
 *         set behind its UTF-8 form. */
#ifndef CLI_VIEW_WORDS_H
#define CLI_VIEW_WORDS_H

#include "base/buf.h"

struct view_words {
	char part[4]; /* of a UTF-8 character */
	size_t n;
};

/** view_words_add() - append what of @s can be shown now to @out; 0 or -ENOMEM, … */
int view_words_add(struct view_words *w, const char *s, size_t len, struct buf *out);

/** view_words_cut() - bytes of @s that take at most @cols columns, never half a
 *  character */
size_t view_words_cut(const char *s, size_t cols);

#endif
