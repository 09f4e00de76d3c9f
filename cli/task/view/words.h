/* view_words - words of the model made fit for a terminal, as they stream. Pure.
 * Needs:  bytes, split anywhere.
 * Owns:   the beginning of a character whose rest has not come yet.
 * Never:  lets through what a person does not see (text_hidden()), other than newline
 *         and tab: it stands there as <U+202E>. */
#ifndef CLI_TASK_VIEW_WORDS_H
#define CLI_TASK_VIEW_WORDS_H

#include "base/buf.h"

struct view_words {
	char part[4]; /* of a UTF-8 character */
	size_t n;
	unsigned before; /* the last whole character; 0 = none */
	bool cr; /* a carriage return, which is shown unless a newline follows */
};

/** view_words_add() - append what of @s can be shown now to @out; 0 or -ENOMEM, … */
int view_words_add(struct view_words *w, const char *s, size_t len, struct buf *out);

/** view_words_all() - a whole text */
int view_words_all(const char *s, size_t len, struct buf *out);

#endif
