/* clip - the beginning and the end of a text of any length, within a budget.
 * Needs:  UTF-8 text (output.h makes it).
 * Owns:   twice half the budget.
 * Never:  grows with the text; cuts a character, or a line that a cut can spare. */
#ifndef AGENT_TERMINAL_CLIP_H
#define AGENT_TERMINAL_CLIP_H

#include "base/buf.h"

struct clip {
	struct buf head; /* the first half of the budget */
	char *tail;  /* owned ring: the last bytes behind the head; NULL until used */
	size_t half; /* bytes of each */
	uint64_t total, lines; /* all that was added: bytes and newlines */
};

/** clip_init() - @budget: bytes kept; cutting adds one line to that */
void clip_init(struct clip *c, size_t budget);
void clip_done(struct clip *c);

/** clip_add() - 0, or -ENOMEM (the text is counted all the same) */
int clip_add(struct clip *c, const char *text, size_t len);

/** clip_cut() - would clip_take() leave something out? */
bool clip_cut(const struct clip *c);

/**
 * clip_take() - append the text, with a line that says what was left out; then empty
 * Return: 0, -EMSGSIZE or -ENOMEM; empty all the same.
 */
int clip_take(struct clip *c, struct buf *out);

/** clip_reset() - forget all; the budget stays */
void clip_reset(struct clip *c);

/** clip_peek() - append all that is kept, uncut; nothing changes */
int clip_peek(const struct clip *c, struct buf *out);

#endif
