/* anthropic_assemble - the events of a Messages stream become one turn.
 * Needs:  the data of the events, in order.
 * Owns:   the blocks until anthropic_assemble_end() hands the turn over.
 * Never:  changes a block that goes back: thoughts are signed (LLM.md 4.6). */
#ifndef AGENT_ANTHROPIC_ASSEMBLE_H
#define AGENT_ANTHROPIC_ASSEMBLE_H

#include "agent/answer.h"

enum { ANTHROPIC_ASSEMBLE_BLOCKS = 1024 };

struct anthropic_assemble_block {
	int64_t index;
	struct json *block;	/* owned; as it began */
	struct buf text;	/* owned; of a text or thinking block */
	struct buf input;	/* owned; of a call: JSON in pieces */
	struct buf signature;	/* owned */
	struct json *citations; /* owned; NULL = none came */
};

struct anthropic_assemble {
	struct turn turn; /* owned */
	struct turn_sink sink;
	struct anthropic_assemble_block *blocks; /* owned */
	size_t n;
	bool done;
	unsigned skipped;
	bool lost;
	uint64_t fresh, cache_made, cache_read; /* tokens of the prompt */
	struct retry_cause cause;
};

void anthropic_assemble_init(struct anthropic_assemble *a,
			     const struct turn_sink *sink);
void anthropic_assemble_done(struct anthropic_assemble *a);

/** anthropic_assemble_event() - 0, -EREMOTEIO (cause is filled), -EPROTO, -ENOMEM */
int anthropic_assemble_event(struct anthropic_assemble *a, const char *data, size_t len,
			     struct err *e);
/** anthropic_assemble_whole() - a reply that is one message and no stream */
int anthropic_assemble_whole(struct anthropic_assemble *a, const struct json *message,
			     struct err *e);
/** anthropic_assemble_end() - as openai_assemble_end() */
int anthropic_assemble_end(struct anthropic_assemble *a, uint64_t *seed,
			   struct turn *ret, struct err *e);

extern const struct answer_ops anthropic_assemble_ops;

#endif
