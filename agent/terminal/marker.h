/* marker - finds the shell's private marks in the raw bytes of a terminal.
 * Needs:  the nonce that the shell's integration text was given.
 * Owns:   the bytes that may still become a mark, MARKER_MAX at most.
 * Never:  decodes, reads or writes; takes a byte for a mark without the nonce.
 *
 * A mark is ESC ] 7717 ; NONCE ; KIND [; …] ESC \ and is looked for before anything
 * else sees the bytes, so that a half-printed sequence in front cannot hide it. */
#ifndef AGENT_TERMINAL_MARKER_H
#define AGENT_TERMINAL_MARKER_H

#include "base/def.h"

enum { MARKER_NONCE = 32, MARKER_MAX = 16384 };

enum marker_kind {
	MARKER_COMMAND = 'C', /* a command starts */
	MARKER_DONE = 'D',    /* it ended; status and cwd */
	MARKER_PROMPT = 'P',  /* the shell is at its own prompt; status */
	MARKER_BARE = 'Q'     /* the same, told by the prompt: its hook did not run */
};

struct marker_event {
	enum marker_kind kind;
	int status;	 /* 0–255; -1 = none */
	const char *cwd; /* decoded, may hold any byte but NUL; borrowed; NULL = none */
};

typedef void marker_text_fn(void *ctx, const char *data, size_t len);
typedef void marker_event_fn(void *ctx, const struct marker_event *ev);

struct marker {
	char head[MARKER_NONCE + 16]; /* what a mark begins with, up to its kind */
	size_t head_len;
	char held[MARKER_MAX + 1]; /* bytes that fit a mark so far */
	size_t n_held;
	unsigned n_bad; /* marks with our nonce that made no sense */
	marker_text_fn *text;
	marker_event_fn *event;
	void *ctx;
};

/** marker_init() - @nonce: MARKER_NONCE printable characters; copied */
void marker_init(struct marker *m, const char *nonce, marker_text_fn *text,
		 marker_event_fn *event, void *ctx);

/**
 * marker_feed() - hand on text and marks, in order, as they are recognised
 *
 * The same bytes give the same text and marks however they are split.
 */
void marker_feed(struct marker *m, const char *data, size_t len);

/**
 * marker_flush() - hand on held bytes that stopped short of the whole nonce
 *
 * For a lone ESC at the end of a program's output, after 50 ms of quiet.
 */
void marker_flush(struct marker *m);

#endif
