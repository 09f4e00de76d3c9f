/* tokens - how large a prompt is, and how large it may be, without a tokenizer.
 * Needs:  what servers reported so far.
 * Owns:   a factor.
 * Never:  is exact: limits keep a distance. */
#ifndef AGENT_MODEL_TOKENS_H
#define AGENT_MODEL_TOKENS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** tokens_window() - the context of a model by its name; 128 k when it is unknown */
uint64_t tokens_window(const char *model);

/** tokens_reasons() - is a model of this name known to think before it answers? */
bool tokens_reasons(const char *model);

struct tokens {
	double per_byte;       /* corrected by every report; 1/3 at first */
	uint64_t reported;     /* input and output of the last turn */
	size_t reported_bytes; /* the history's size then, that turn included */
	uint64_t
		last_input; /* of the last report; 0 = none since the history changed */
	size_t last_bytes;  /* of its prompt */
};
void tokens_init(struct tokens *t);

/**
 * tokens_report() - the server counted @input tokens in a prompt of @bytes, to which
 *                   the turn then added @output tokens and made it @bytes_after
 */
void tokens_report(struct tokens *t, uint64_t input, uint64_t output, size_t bytes,
		   size_t bytes_after);
/**
 * tokens_cut() - has the server cut the prompt without a word? To be asked before
 *                tokens_report() with the same numbers
 *
 * Its count then stands still, at a round number, while prompts grow (ollama #2963).
 */
bool tokens_cut(const struct tokens *t, uint64_t input, size_t bytes);
/** tokens_forget() - the history was rewritten: only the factor stays */
void tokens_forget(struct tokens *t);
/** tokens_estimate() - of a prompt of @bytes */
uint64_t tokens_estimate(const struct tokens *t, size_t bytes);

#endif
