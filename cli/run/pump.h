/* pump - copies bytes between descriptors, each direction on its own, as fast as the
 * kernel can: by splice where both sides allow it, else through a buffer.
 * Needs:  poll() by the caller; SIGPIPE not deadly (EPIPE is handled here).
 * Owns:   the descriptors that it was told to close.
 * Never:  changes a descriptor's flags (the terminal's would be changed for the shell
 *         too); reads a terminal from the background (it would be stopped); loses,
 *         adds or reorders a byte, but where the caller gave a filter. */
#ifndef CLI_RUN_PUMP_H
#define CLI_RUN_PUMP_H

#include <poll.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/scope.h"

enum {
	PUMP_STREAMS = 3,
	PUMP_POLLFDS = 2 * PUMP_STREAMS,
	PUMP_BYTES = 64 << 10,
	PUMP_FILTER = 16 << 10
};

/* Append to @out what is to be written for @in, PUMP_FILTER bytes at most: 0, or a
 * negative errno that ends the stream. */
typedef int pump_filter_fn(void *ctx, const char *in, size_t len, struct buf *out);

struct pump_stream {
	int from, to;	 /* -1 = not in use, or closed */
	bool close_from; /* owned: closed at the end */
	bool close_to;	 /* owned: closed when @from has ended */
	bool tty;	 /* @from is a terminal of ours: not from the background */
	bool buffered;	 /* splice does not work here, or could block */
	bool many;	 /* reading @from again without a poll cannot block */
	bool blocked;	 /* @to was full: wait for it */
	bool held;	 /* we are in the background, and there is input */
	char *data;	 /* owned; PUMP_BYTES; NULL = nothing was read yet */
	size_t at, len;	 /* what is left of it, or of @made, to write */
	pump_filter_fn *filter; /* NULL = as it comes */
	void *filter_ctx;	/* borrowed */
	struct buf made;	/* owned: by the filter */
	int error;		/* negative errno that ended it; 0 = end of file */
};

struct pump_set {
	struct pump_stream s[PUMP_STREAMS];
	unsigned n;
	uint64_t bytes; /* copied, all streams; of a filtered one: read */
	struct pump_stream
		*midway; /* filtered, and not all of what was made is written */
};
void pump_init(struct pump_set *p);
void pump_done(struct pump_set *p);
#define _cleanup_pump_ _cleanup_(pump_done)

/** pump_add() - a direction: the next stream, numbered from 0
 *  Return: the stream, whose ownership flags and @tty the caller may set; NULL when
 *          there are PUMP_STREAMS already. */
struct pump_stream *pump_add(struct pump_set *p, int from, int to);

/** pump_filter() - put @fn between; before the first step
 *  What it makes of one piece is written before another filtered stream writes: both
 *  may be one terminal, and half a sequence of one would be ended by the other. */
void pump_filter(struct pump_stream *s, pump_filter_fn *fn, void *ctx);

/** pump_owed() - bytes of stream @i that are read and not yet counted in bytes */
size_t pump_owed(const struct pump_set *p, unsigned i);

/** pump_poll() - what to poll for: at most PUMP_POLLFDS entries; returns how many */
unsigned pump_poll(struct pump_set *p, struct pollfd *fds);

/** pump_step() - copy what can be copied without waiting, after that poll
 *  A stream that fails ends, with its error kept in it. */
void pump_step(struct pump_set *p, const struct pollfd *fds);

/** pump_open() - true while stream @i is not at its end */
bool pump_open(const struct pump_set *p, unsigned i);

/** pump_full() - stream @i waits for whoever reads @to */
bool pump_full(const struct pump_set *p, unsigned i);

/** pump_end() - end a stream now */
void pump_end(struct pump_set *p, unsigned i);

/** pump_resume() - we may be in the foreground again: look at held streams */
void pump_resume(struct pump_set *p);

#endif
