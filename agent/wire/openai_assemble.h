/* openai_assemble - the chunks of a Chat Completions stream become one turn.
 * Needs:  parsed chunks, in order.
 * Owns:   the turn until openai_assemble_end() hands it over.
 * Never:  believes an index, a count or a finish reason: what is there decides. */
#ifndef AGENT_WIRE_OPENAI_ASSEMBLE_H
#define AGENT_WIRE_OPENAI_ASSEMBLE_H

#include "agent/wire/answer.h"
#include "agent/wire/envelope.h"
#include "agent/wire/thoughts.h"

struct openai_assemble_call {
	bool has_index;
	int64_t index;
	struct json *extra; /* owned; members of the call that we do not know */
};

struct openai_assemble {
	struct answer_state s;				   /* owned; first */
	struct openai_assemble_call calls[TURN_CALLS_MAX]; /* beside s.turn.calls */
	struct thoughts thoughts;			   /* owned */
	struct json *extra; /* owned; members of the message that we do not know */
	struct envelope envelope; /* owned */
	bool slow;		  /* for tests: every chunk is parsed */
};

/* These and the next are openai_assemble_ops: @a is a struct openai_assemble, or begins with
 * one. */
void openai_assemble_init(void *a);
void openai_assemble_done(void *a);

/**
 * openai_assemble_event() - the data of one event
 * Return: 0; -EREMOTEIO (the server reported an error: cause is filled), -EPROTO,
 *         -EMSGSIZE, -ENOMEM.
 */
int openai_assemble_event(void *a, const char *data, size_t len, struct err *e);
/** openai_assemble_chunk() - the same, parsed; also a reply that came as a whole */
int openai_assemble_chunk(struct openai_assemble *a, const struct json *chunk,
			  struct err *e);

/**
 * openai_assemble_end() - the stream has ended: check, parse arguments, build message
 * @seed: of made-up ids
 * @ret:  an initialised turn, replaced on success only
 * Return: 0; -ECONNRESET (no clean end), -EPROTO, -EREMOTEIO, -ENOMEM.
 */
int openai_assemble_end(void *a, uint64_t *seed, struct turn *ret, struct err *e);

extern const struct answer_ops openai_assemble_ops;

#endif
