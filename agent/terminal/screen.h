/* screen - the cells of a session's terminal. Door of libvterm.
 * Needs:  the terminal's bytes, marks removed.
 * Owns:   the terminal's state, and SCREEN_BACKLOG bytes that it has not seen yet.
 * Never:  slows down plain output: bytes wait until somebody looks, and what would have
 *         scrolled away by then is skipped. Answers queries through its callback only. */
#ifndef AGENT_TERMINAL_SCREEN_H
#define AGENT_TERMINAL_SCREEN_H

#include "base/buf.h"
#include "base/err.h"

#define SCREEN_WRAP '\v'

enum {
	SCREEN_BACKLOG = 128 << 10,
	SCREEN_WAITING = 8 << 10, /* of it, where there are sequences */
	SCREEN_ROWS_MAX = 500,
	SCREEN_COLS_MAX = 1000,
	SCREEN_ALIKE = 6 /* rows behind one like them become a line */
};

struct screen;

/* What a terminal sends by itself: answers to queries. */
typedef void screen_answer_fn(void *ctx, const char *data, size_t len);

int screen_new(int rows, int cols, struct screen **ret, struct err *e);
void screen_free(struct screen **s);
void screen_on_answer(struct screen *s, screen_answer_fn *fn, void *ctx);

void screen_feed(struct screen *s, const char *data, size_t len);
/** screen_pending() - bytes wait that may hold more than plain text */
bool screen_pending(const struct screen *s);
/** screen_settle() - bring the cells up to date */
void screen_settle(struct screen *s);
/** screen_calm() - a command ended: normal screen, normal keys, attributes off */
void screen_calm(struct screen *s);

/** screen_application_keys() - what the cursor keys send (DECCKM) */
bool screen_application_keys(struct screen *s);

/**
 * screen_text() - append one line about the screen, then its rows without what is blank
 * at their ends; SCREEN_WRAP ends a row that is full, and may go on in the next
 */
int screen_text(struct screen *s, struct buf *out);

/**
 * screen_fold() - rows that are like the one above become one line with their count
 * @text: as screen_text() made it, secrets already hidden: one may fill equal rows
 *
 * An editor shows its empty rows with a mark each, forty at a time, at each look. Runs below
 * SCREEN_ALIKE stay, and those that are shorter than what would be said of them.
 */
void screen_fold(struct buf *text);

#endif
