/* live - what a program draws, made safe for a person's own terminal.
 * Needs:  the terminal's bytes, marks and secrets removed.
 * Owns:   an unfinished sequence, LIVE_MAX bytes at most.
 * Never:  lets through what a terminal answers (it would type into the person's shell),
 *         or what reaches beyond the screen: clipboard, window, device strings.
 *
 * Kept: text, colours, cursor moves, modes, titles and links. */
#ifndef AGENT_TERMINAL_LIVE_H
#define AGENT_TERMINAL_LIVE_H

#include "base/def.h"

enum { LIVE_MAX = 4096 };

typedef void live_fn(void *ctx, const char *data, size_t len);

struct live {
	char held[LIVE_MAX]; /* a sequence from its ESC on */
	size_t n;
	live_fn *out;
	void *ctx;
};

void live_init(struct live *l, live_fn *out, void *ctx);
void live_feed(struct live *l, const char *data, size_t len);
/** live_end() - a command ended: an unfinished sequence is dropped */
void live_end(struct live *l);

#endif
