/* retry - what a failed request means: try again, shorten, leave a field out, or end.
 * Needs:  status, headers and words of the server, or the errno of the transport.
 * Owns:   nothing; it decides and computes, others wait and send.
 * Never:  calls a failure temporary because of its text alone. */
#ifndef AGENT_WIRE_RETRY_H
#define AGENT_WIRE_RETRY_H

#include <stdint.h>

#include "base/def.h"

enum retry_what {
	RETRY_AGAIN,   /* the same bytes again, after a wait */
	RETRY_NEVER,   /* the user must change something */
	RETRY_COMPACT, /* the context is too long */
	RETRY_OUTPUT,  /* input and output limit together are: lower the latter first */
	RETRY_FIELD,   /* the server rejects an optional field of ours */
	RETRY_ABORTED, /* the person did it */
	RETRY_REFUSED, /* the service's filter rejected it */
	RETRY_MALFORMED, /* the server could not parse the model's call */
	RETRY_WIRE	 /* this model is asked on the other wire */
};

enum retry_field {
	RETRY_F_NONE,
	RETRY_F_STREAM_OPTIONS,
	RETRY_F_MAX_COMPLETION, /* max_completion_tokens: use max_tokens, or back */
	RETRY_F_MAX_TOKENS,
	RETRY_F_REASONING, /* reasoning fields of our assistant messages */
	RETRY_F_TOOL_CHOICE,
	RETRY_F_NULL_CONTENT, /* content: null is rejected, "" is not */
	RETRY_F_CACHE,
	RETRY_F_EFFORT,	  /* no word about how long to think */
	RETRY_F_THINKING, /* Anthropic: a budget of thoughts; then an effort */
	RETRY_F_SUMMARY,  /* Responses: a summary of its thoughts */
	RETRY_F_INCLUDE,  /* Responses: its thoughts, encrypted */
	RETRY_F_PICTURES  /* a model that cannot see */
};

enum { RETRY_TEXT = 256 };

/* In: everything but the last three. All zero = nothing is known. */
struct retry_cause {
	int transport;	/* negative errno of the transport or of our parser; 0 = none */
	int status;	/* HTTP; 0 = none */
	bool in_stream; /* the error came inside an answer with status 200 */
	char code[64];	/* the server's error code or type, as it wrote it */
	char text[RETRY_TEXT]; /* its message, escaped, cut */
	char retry_after[64], retry_after_ms[64], should_retry[16];
	uint64_t n_ctx; /* context size stated beside the words; 0 = none */
	/* Out: */
	enum retry_what what;
	enum retry_field field;
	uint64_t
		limit; /* stated by the server: of the context, or, when an output limit
			 * is the field, of the output; 0 = none */
};

enum {
	RETRY_ATTEMPTS = 6,
	RETRY_FIRST_MS = 500,
	RETRY_CEILING_MS = 30 * 1000,
	RETRY_PATIENCE_MS = 120 * 1000 /* a longer Retry-After ends the task */
};

/** retry_judge() - fill what, field and limit from the rest */
void retry_judge(struct retry_cause *c);

/**
 * retry_wait_ms() - how long to wait before attempt @attempt + 1 (the first is 1)
 * @now:    seconds since 1970, for a date in Retry-After
 * @random: any 32 bits, for the jitter of ± 25 %
 */
uint64_t retry_wait_ms(const struct retry_cause *c, unsigned attempt, int64_t now,
		       uint32_t random);

#endif
