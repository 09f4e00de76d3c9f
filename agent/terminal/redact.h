/* redact - secrets in a stream of bytes become stars, however the stream is split.
 * Needs:  the secrets, before the first byte.
 * Owns:   copies of them, and the bytes that may still become one.
 * Never:  hands on a byte of a secret; holds more than the longest secret. */
#ifndef AGENT_TERMINAL_REDACT_H
#define AGENT_TERMINAL_REDACT_H

#include "base/buf.h"

/* How many: MODELPICK_SECRETS of cli/task/modelpick.h, and what a session adds. */
enum { REDACT_MAX = 20, REDACT_LEN = 4096 };

typedef void redact_fn(void *ctx, const char *data, size_t len);

struct redact {
	struct redact_word {
		char *text; /* owned */
		size_t len;
		const char *stars; /* static */
	} words[REDACT_MAX];
	unsigned n;
	size_t longest;
	struct buf held; /* a tail that may be the start of a secret */
	redact_fn *out;
	void *ctx;
};

void redact_init(struct redact *r, redact_fn *out, void *ctx);
void redact_done(struct redact *r);

/**
 * redact_add() - one more secret; @stars (static) stands for it in the output
 * Return: 0; -EINVAL (shorter than four bytes: it would star half of every text),
 *         -EMSGSIZE (too long), -ENOSPC (too many), -ENOMEM.
 */
int redact_add(struct redact *r, const char *secret, const char *stars);

/** redact_add_all() - those of a NULL-ended list, or NULL, that are not too short to be
 *  hidden; otherwise as redact_add() */
int redact_add_all(struct redact *r, const char *const *secrets);

void redact_feed(struct redact *r, const char *data, size_t len);
/** redact_flush() - the stream pauses or ends: hand on what was held */
void redact_flush(struct redact *r);

/** redact_text() - append @in to @out, a whole text at once, outside the stream; the line
 *  ends in a secret stay, for lines have numbers */
int redact_text(const struct redact *r, const struct buf *in, struct buf *out);

/**
 * redact_rows() - the same for a text in which @wrap ends a row that the next one goes on
 *
 * A secret that is broken so is one; @wrap becomes a line end. -1: there is no such byte.
 */
int redact_rows(const struct redact *r, const struct buf *in, int wrap,
		struct buf *out);

#endif
