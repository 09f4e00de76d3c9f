/* footer - rows at the end of a terminal that change, below rows that stay.
 * Needs:  nobody else writes to the terminal meanwhile, but for what footer_clear() parts.
 * Owns:   the last rows of the terminal; nothing where there is none.
 * Never:  writes a row again that is as it was; goes above the screen. */
#ifndef CLI_SHOW_FOOTER_H
#define CLI_SHOW_FOOTER_H

#include <stdbool.h>
#include <stdio.h>

#include "base/buf.h"

struct footer {
	FILE *file;	     /* borrowed */
	int fd;		     /* borrowed; the terminal; -1 = none */
	unsigned cols, rows; /* its size; 0 = there is none */
	struct buf shown;    /* owned; the rows that may change, newlines behind each */
};

/** footer_init() - @fd: the terminal that @file writes to; -1 = none: rows that stay are
 *  written as they are, others not */
void footer_init(struct footer *f, FILE *file, int fd);
void footer_done(struct footer *f);

/** footer_width() - columns that a row may have; 0 = rows are not broken */
unsigned footer_width(const struct footer *f);

/** footer_draw() - @stay and then @change, instead of the rows that could change
 *  Each row ends in a newline and takes footer_width() columns at most; either may be NULL. */
void footer_draw(struct footer *f, const struct buf *stay, const struct buf *change);

/** footer_clear() - no row changes: the cursor is at the start of an empty one */
void footer_clear(struct footer *f);

/** footer_forget() - somebody else has written there: what stood there is left as it is */
void footer_forget(struct footer *f);

/** footer_resized() - has the terminal another size than it was drawn for? */
bool footer_resized(const struct footer *f);

/** footer_resize() - the terminal has another size: take back what stands there */
void footer_resize(struct footer *f);

#endif
