/* escape - what a program writes to its terminal, made whole and harmless. Pure.
 * Needs:  bytes, cut anywhere.
 * Owns:   the sequence or character that has not ended yet, ESCAPE_MAX bytes of it.
 * Never:  passes on half a sequence or character, a sequence that is not well-formed
 *         (ECMA-48, 5.4) or that leaves UTF-8, a byte that is not UTF-8, or a C1 control.
 *
 * ESC k … ST, the title of screen(1), is a string as well, and never passed on.
 *
 * For the sake of libvterm, which trusts its input and which a program in the box must not
 * be able to reach. 0.1 writes behind its array of parameters at the 17th, and behind its
 * array of characters where half of one is followed by another; it reads before a string
 * that comes in pieces; a C1 control takes its cursor to the left of column 0, where a tab
 * stop is written before the array. Up to 0.3 it writes through a null pointer where a wide
 * character is repeated at the end of a row, and repeats nothing for ever. */
#ifndef AGENT_TERMINAL_ESCAPE_H
#define AGENT_TERMINAL_ESCAPE_H

#include <stdbool.h>
#include <stddef.h>

enum {
	ESCAPE_MAX = 512, /* bytes of a sequence; a longer string is cut to it */
	/* and what has not ended after so many bytes is dropped: the rest is text */
	ESCAPE_STRING_MAX = 64 << 10,
	ESCAPE_PARAMS_MAX = 15,	  /* one more is a sequence that is dropped */
	ESCAPE_NUMBER_MAX = 9999, /* digits that would pass it are left out */
};

/* Text, control characters, or one whole sequence. */
typedef void escape_fn(void *ctx, const char *data, size_t len);

struct escape {
	escape_fn *fn;
	void *ctx;	 /* borrowed */
	int repeats_max; /* how often a repeat (CSI n b) may: the terminal's columns;
			    0 = it is passed on as any sequence */
	/* below: private */
	int state;
	char seq[ESCAPE_MAX]; /* the sequence, or the cut-off character of text */
	size_t n;
	size_t length;	  /* of a string so far, kept or not */
	int part;	  /* of a control sequence: what may follow */
	int params;	  /* separators seen */
	int number;	  /* the parameter under way */
	bool bad, leader; /* not to be passed on; a private one (CSI ? …) */
	char last;	  /* the plain character before; 0 = it was another */
};

void escape_init(struct escape *x, escape_fn *fn, void *ctx);
void escape_feed(struct escape *x, const char *data, size_t len);
/** escape_open() - a sequence or string has begun: what comes next may belong to it */
bool escape_open(const struct escape *x);
/** escape_end() - nothing follows: half a character is none, half a sequence is lost */
void escape_end(struct escape *x);

#endif
