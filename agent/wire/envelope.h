/* envelope - the part of a stream's chunks that never changes, learned from one.
 *
 * A chunk that brings a few words is several times as long as they are, and all but the
 * words is the same in the next chunk. When head and tail are byte for byte those of a
 * chunk that was parsed, and between them is the inside of a plain JSON string, then
 * the value is the same but for that string: there is nothing to parse.
 *
 * Needs:  chunks that were parsed and found to bring words alone.
 * Owns:   copies of head and tail.
 * Never:  matches when a quote, a backslash, a control character or invalid UTF-8 is
 *         between them: that takes a parser. */
#ifndef AGENT_WIRE_ENVELOPE_H
#define AGENT_WIRE_ENVELOPE_H

#include "base/buf.h"

enum { ENVELOPE_MAX = 4096 };

struct envelope {
	struct buf head, tail; /* owned; empty = nothing learned */
};

void envelope_init(struct envelope *x);
void envelope_done(struct envelope *x);

/** envelope_learn() - @words are the content of the chunk @data, and all that it brings
 */
void envelope_learn(struct envelope *x, const char *data, size_t len,
		    const char *words);

/** envelope_open() - the words of a chunk of the same kind; NULL = it has to be parsed.
 *  They point into @data, *@n bytes. */
const char *envelope_open(const struct envelope *x, const char *data, size_t len,
			  size_t *n);

#endif
