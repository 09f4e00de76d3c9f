/* turn - one answer of a model, the same for every provider.
 * Needs:  nothing.
 * Owns:   its texts, its calls and the raw assistant message.
 * Never:  says that a call may run: a turn exists only after a clean end. */
#ifndef AGENT_TURN_TURN_H
#define AGENT_TURN_TURN_H

#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/json.h"
#include "base/pieces.h"

enum {
	TURN_CALLS_MAX = 64,
	TURN_TEXT_MAX = 64 << 20,
	TURN_ID = 128,		  /* longest id of a response that is kept */
	TURN_NAME_MAX = 64 << 10, /* of a call's id or name: proxies hide state there */
	TURN_WORD = 48		  /* of a finish reason */
};

/* What overrides the calls and words that are present; all else is TURN_END. */
enum turn_finish {
	TURN_END,
	TURN_LENGTH,   /* cut off at the output limit */
	TURN_FILTER,   /* the service's filter, or a refusal of the model */
	TURN_PAUSE,    /* to be sent back as it is */
	TURN_OVERFLOW, /* the context window was full */
	TURN_AGAIN     /* the server lacked resources: not an answer */
};

struct turn_call {
	char *id;	   /* owned; never NULL in a finished turn */
	char *name;	   /* owned; likewise */
	struct buf raw;	   /* owned; the arguments as the model wrote them */
	struct json *args; /* owned; NULL = malformed, see problem */
	struct err problem;
};

struct turn_usage {
	bool known;	  /* reported by the server */
	uint64_t input;	  /* all of the prompt, cached parts included */
	uint64_t cached;  /* part of input: read from a cache */
	uint64_t written; /* part of input: put into one */
	uint64_t output;
	uint64_t reasoning; /* part of output */
	bool cost_told;	    /* by the server */
	uint64_t cost;	    /* micro-dollars, when told */
};

/* Where the words of a turn go while it arrives; any may be NULL. */
struct turn_sink {
	void (*words)(void *ctx, const char *text, size_t len);
	void (*reasoning)(void *ctx, const char *text, size_t len);
	void *ctx;
};

struct turn {
	struct buf text, reasoning, refusal;   /* owned */
	struct pieces text_end, reasoning_end; /* of words that come in pieces */
	struct turn_call *calls;	       /* owned */
	size_t n_calls;
	enum turn_finish finish;
	char finish_word[TURN_WORD]; /* as the server wrote it; "" = none */
	struct turn_usage usage;
	char id[TURN_ID];    /* of the response */
	char model[TURN_ID]; /* that answered */
	char request_id[TURN_ID];
	uint64_t first_byte_ms, total_ms;
	struct json *message; /* owned; the assistant message as the wire has it */
};

void turn_init(struct turn *t);
void turn_done(struct turn *t);
#define _cleanup_turn_ _cleanup_(turn_done)

/** turn_add_call() - a new, empty call at the end; NULL when there are too many, or no
 *  memory. Moves the earlier ones. */
struct turn_call *turn_add_call(struct turn *t);

/** turn_words(), turn_thoughts() - append to the text or the reasoning, and show it */
int turn_words(struct turn *t, const struct turn_sink *to, const char *s, size_t len);
int turn_thoughts(struct turn *t, const struct turn_sink *to, const char *s,
		  size_t len);

/** turn_settle() - all has come: what was cut in pieces is whole now, or broken. Before
 *  anything is made of the words and arguments */
int turn_settle(struct turn *t, const struct turn_sink *to);

/**
 * turn_name_calls() - give a name to calls that lack one, and an id to those that lack
 *                     one or share it with an earlier call
 * @seed: of the made-up ids, nine letters and digits each; raised for every one
 */
int turn_name_calls(struct turn *t, uint64_t *seed, struct err *e);

/** turn_parse_args() - read the raw arguments of every call: args or problem */
int turn_parse_args(struct turn *t, struct err *e);

/** turn_looks_like_call() - true when the text is plainly a call in words: a server
 *  without a tool-call parser */
bool turn_looks_like_call(const struct turn *t, const char *const *tools);

#endif
