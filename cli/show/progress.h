/* progress - how far a long step has come: a bar with bytes and rate on a terminal,
 * now and then a plain line elsewhere.
 * Needs:  an app; whoever works calls progress_update() as often as it likes.
 * Owns:   the last line of the terminal, from the first update to progress_end().
 * Never:  writes with -q or --json; more often than ten times a second. */
#ifndef CLI_SHOW_PROGRESS_H
#define CLI_SHOW_PROGRESS_H

#include "base/buf.h"
#include "cli/show/app.h"

struct progress_bar {
	const struct app *app; /* borrowed; NULL = nobody looks */
	char what[128];	       /* "pulling ubuntu" */
	uint64_t start_ms, shown_ms;
	uint64_t done, total; /* bytes; total 0 = not known */
	bool shown;	      /* a bar stands on the terminal */
};

void progress_start(struct progress_bar *p, const struct app *app, const char *what);
/** progress_start_live() - the same where a terminal can show it; else nothing is ever said */
void progress_start_live(struct progress_bar *p, const struct app *app,
			 const char *verb, const char *of);
/** progress_update() - @done of @total bytes (0 = not known) */
void progress_update(struct progress_bar *p, uint64_t done, uint64_t total);
/** progress_end() - clear the bar; say in one line what was done, when @ok */
void progress_end(struct progress_bar *p, bool ok);
/** progress_done() - clear the bar */
void progress_done(struct progress_bar *p);
#define _cleanup_progress_ _cleanup_(progress_done)

/** progress_line() - the text of the bar for a terminal of @cols columns; pure */
int progress_line(const struct progress_bar *p, uint64_t now_ms, unsigned cols,
		  struct buf *out);

#endif
