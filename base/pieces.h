/* pieces - text that arrives in pieces which were cut anywhere: within a character, or
 * between the two halves of a surrogate pair.
 * Needs:  bytes; between pieces_json() and pieces_add() half a pair is the three bytes
 *         that UTF-8 would give it (ED A0…BF xx), and "\u0000" is C0 80.
 * Owns:   what may be the beginning of a character, until the next piece.
 * Never:  loses what stands beside something broken: that alone becomes U+FFFD. */
#ifndef BASE_PIECES_H
#define BASE_PIECES_H

#include "base/buf.h"

enum { PIECES_HELD = 3 };

struct pieces {
	char held[PIECES_HELD];
	unsigned n;
};

/** pieces_add() - append the next piece to @out as UTF-8, less a last character that may
 *  not be whole; 0 or what buf_add() returns */
int pieces_add(struct pieces *p, const char *s, size_t len, struct buf *out);

/** pieces_end() - nothing comes any more: append U+FFFD for what was never completed */
int pieces_end(struct pieces *p, struct buf *out);

/** pieces_whole() - a text of which all pieces are there becomes UTF-8 */
int pieces_whole(struct buf *text);

/** pieces_join() - in a text of which all pieces are there: halves of a pair that stand
 *  together become their character; what is broken stays as it is */
void pieces_join(struct buf *text);

/**
 * pieces_json() - JSON whose strings were cut anywhere, as two texts of JSON
 * @shape: has U+FFFD or '?' for all that no JSON may have: the grammar can be checked
 * @raw:   has the bytes that pieces_add() takes
 *
 * Return: 1; 0 = nothing had to be changed; or what buf_add() returns.
 */
int pieces_json(const char *text, size_t len, struct buf *shape, struct buf *raw);

#endif
