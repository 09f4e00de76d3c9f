/* linejson - a stream of text as JSON: an object for each line.
 * Needs:  bytes, cut anywhere.
 * Owns:   the line whose end has not come, LINEJSON_MAX bytes of it.
 * Never:  passes on a byte that is not JSON: what is no UTF-8, and NUL, is U+FFFD. */
#ifndef CLI_SHOW_LINEJSON_H
#define CLI_SHOW_LINEJSON_H

#include "base/buf.h"

enum { LINEJSON_MAX = 64 << 10 };

struct linejson {
	struct buf line; /* owned */
};

void linejson_init(struct linejson *l);
void linejson_done(struct linejson *l);
#define _cleanup_linejson_ _cleanup_(linejson_done)

/** linejson_feed() - append {"text":"…"} and a newline for each line that ends in @in;
 *  a pump_filter_fn, whose context is a struct linejson. No bytes: the last line too.
 *  A longer line comes in pieces, all but the last with "more":true. */
int linejson_feed(void *l, const char *in, size_t len, struct buf *out);

#endif
