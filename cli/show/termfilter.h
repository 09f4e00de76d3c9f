/* termfilter - what a program of the box writes to the person's terminal, less all that
 * is more than drawing. Pure.
 * Needs:  bytes, cut anywhere.
 * Owns:   what escape.h does, and which modes of the terminal are not as they were.
 * Never:  passes on a sequence that its tables do not name. So there is no way to the
 *         clipboard (OSC 52), the title, links, notifications, the printer, files
 *         (kitty, iTerm2), the window, the keyboard, or a control character of 8 bits.
 *
 * A question to the terminal (its kind, its colours, where the cursor is) is answered as
 * if it were typed. Such pass only where a program of the box reads the keys; whoever
 * lets them pass waits for the answers before somebody else reads (tty_settle()). CSI 5 n
 * is kept for that. Marks that turn the direction of text are left out: it stands in the
 * order in which it was written. */
#ifndef CLI_SHOW_TERMFILTER_H
#define CLI_SHOW_TERMFILTER_H

#include <stdint.h>

#include "agent/terminal/escape.h"
#include "base/buf.h"

struct termfilter {
	struct escape escape;
	bool questions;	  /* pass */
	struct buf *out;  /* borrowed during a call */
	int failed;	  /* the first failure of that call */
	unsigned asked;	  /* questions that have passed */
	uint32_t modes;	  /* rows of the table of modes that are not at rest */
	uint32_t changed; /* what else is not: enum changed in termfilter.c */
};

void termfilter_init(struct termfilter *f, bool questions);

/** termfilter_feed() - append what of @data may pass; 0, -ENOMEM or -EMSGSIZE
 *  @out gets at most three times @len and ESCAPE_MAX bytes, and 16 times the length of
 *  a sequence that sets modes. */
int termfilter_feed(struct termfilter *f, const char *data, size_t len,
		    struct buf *out);

/** termfilter_end() - append what puts the terminal back; nothing if it is as it was */
int termfilter_end(struct termfilter *f, struct buf *out);

#endif
