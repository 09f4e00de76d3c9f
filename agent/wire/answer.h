/* answer - the bytes of a service's answer become a turn, whatever the wire.
 * Needs:  a wire's assembler, as a row of functions.
 * Owns:   the assembler and the unfinished event.
 * Never:  looks into an event: that is the assembler's. */
#ifndef AGENT_WIRE_ANSWER_H
#define AGENT_WIRE_ANSWER_H

#include "agent/turn/turn.h"
#include "agent/wire/retry.h"
#include "agent/wire/sse.h"

/* An assembler is a struct of @size bytes, zeros to begin with, that begins with a struct
 * answer_state, which is made and released for it; each function gets it as @a. */
struct answer_ops {
	size_t size;
	bool lines;	       /* one JSON value a line; else server-sent events */
	void (*init)(void *a); /* NULL = zeros will do */
	void (*done)(void *a);
	sse_event_fn *event; /* its ctx is the assembler */
	/* A reply that came as one JSON value, and not as a stream. */
	int (*whole)(void *a, const struct json *j, struct err *e);
	/* The stream is over: the turn, or -ECONNRESET when that was no clean end. */
	int (*end)(void *a, uint64_t *seed, struct turn *ret, struct err *e);
};

/* What every assembler has: its struct begins with it. */
struct answer_state {
	struct turn turn; /* owned */
	struct turn_sink sink;
	bool done;	  /* the service said that this is all */
	bool lost;	  /* what could not be read may have been a piece of a call */
	unsigned skipped; /* events that were no object */
	struct retry_cause cause; /* filled when the service said an error */
};
void answer_state_init(struct answer_state *s, const struct turn_sink *sink);
void answer_state_done(struct answer_state *s);
/** answer_skip() - an event that is no object; a few are suffered: 0, or -EPROTO */
int answer_skip(struct answer_state *s, const char *data, struct err *e);
/** answer_refused() - s->cause is what the service said in the stream; -EREMOTEIO */
int answer_refused(struct answer_state *s, struct err *e);
/** answer_full() - @r of a step that keeps something, with its words; 0 or more is 0 */
int answer_full(int r, struct err *e);
/** answer_cut() - the stream ended before the service had said that it does; -ECONNRESET */
int answer_cut(struct err *e);
/**
 * answer_finish() - all calls are taken: each gets its name and arguments, then the turn its
 *                   message, and goes to @ret
 * @build: what builds turn.message; its argument is the assembler
 * Return: also -EPROTO: a piece of a call is lost.
 */
int answer_finish(struct answer_state *s, int (*build)(void *a), uint64_t *seed,
		  struct turn *ret, struct err *e);
struct answer_word {
	const char *word;
	enum turn_finish finish;
};
/** answer_ended() - @word is why the turn ended, as its service says; NULL or "" changes
 *  nothing, and one that is not in @words is only kept */
void answer_ended(struct turn *t, const char *word, const struct answer_word *words,
		  size_t n);

struct answer;

/** answer_new() - NULL when there is no memory; @ops is borrowed, @sink copied */
struct answer *answer_new(const struct answer_ops *ops, const struct turn_sink *sink);
void answer_free(struct answer **a);
#define _cleanup_answer_ _cleanup_(answer_free)

/** answer_feed() - bytes of a stream, split anywhere; 0 or what sse_feed() returns */
int answer_feed(struct answer *a, const void *data, size_t len, struct err *e);
/** answer_whole() - all of a reply that is no stream */
int answer_whole(struct answer *a, const struct json *j, struct err *e);
/**
 * answer_end() - nothing comes any more
 * @seed: of made-up call ids
 * @ret:  an initialised turn, replaced on success only
 * Return: 0; -ECONNRESET (no clean end), -EREMOTEIO, -EPROTO, -ENOMEM.
 */
int answer_end(struct answer *a, uint64_t *seed, struct turn *ret, struct err *e);
/** answer_cause() - borrowed; meaningful after a function returned -EREMOTEIO */
const struct retry_cause *answer_cause(const struct answer *a);

#endif
