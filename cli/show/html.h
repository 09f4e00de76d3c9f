/* html - text of a terminal as HTML: styles become spans, all else is text. Pure.
 * Needs:  bytes, hostile, whole or cut anywhere.
 * Owns:   the style that is on, and the sequence that has not ended.
 * Never:  lets a byte of the text become markup; leaves a span open at html_end(). */
#ifndef CLI_SHOW_HTML_H
#define CLI_SHOW_HTML_H

#include <stdint.h>

#include "agent/terminal/escape.h"
#include "base/buf.h"

/** html_text() - append @s as text, fit for an attribute too; what is hidden, but for
 *  newlines and tabs, as <U+202E> */
void html_text(struct buf *out, const char *s, size_t len);

struct html_style {
	unsigned bits;		   /* bold, dim, italic, underline, strike, inverse */
	int32_t color, background; /* -1 = none; 0 to 15; or 0x1000000 | RGB */
};

struct html {
	struct escape escape;
	struct html_style now, shown; /* of what comes; of the span that is open */
	struct buf *out;	      /* borrowed during a call */
};

void html_begin(struct html *h);
/** html_feed() - append the bytes of a terminal; sequences that are no style go */
void html_feed(struct html *h, const char *s, size_t len, struct buf *out);
void html_end(struct html *h, struct buf *out);

#endif
