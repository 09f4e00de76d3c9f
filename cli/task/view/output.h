/* view_output - what a command prints, as a person watches it: the first lines stay, of
 * the rest the last ones are seen; a full-screen program is seen as its screen.
 * Needs:  bytes of the command's terminal.
 * Owns:   the lines that were not shown yet; the screen.
 * Never:  lets a sequence of the box reach the terminal. */
#ifndef CLI_TASK_VIEW_OUTPUT_H
#define CLI_TASK_VIEW_OUTPUT_H

#include "base/buf.h"
#include "cli/task/view/lines.h"

struct screen;

enum {
	VIEW_HEAD = 12, /* lines of a command's output that are shown as they come */
	VIEW_TAIL = 4,	/* and of its end, */
	VIEW_RING = 8,	/* but that many where nothing is left out then */
};

struct view_output {
	struct view_lines lines;
	char tail[VIEW_RING][1024]; /* the last lines that were not shown yet */
	unsigned long n_lines;	    /* of this command */
	struct screen *screen;	    /* owned; NULL = no full-screen program yet */
	char before[16];	    /* the last bytes, where one may be announced */
	size_t n_before;
	bool drawn; /* by this call */
};

/* How rows look. */
struct view_look {
	unsigned cols; /* 0 = no terminal: lines are cut at 160 */
	unsigned rows; /* of the terminal */
	bool color;
};

void view_output_begin(struct view_output *o);
void view_output_done(struct view_output *o);

/** view_output_add() - more bytes; rows that stay are appended to @stay */
void view_output_add(struct view_output *o, const char *s, size_t len,
		     const struct view_look *look, struct buf *stay);
/** view_output_now() - append the rows that change: the screen, or the last lines */
void view_output_now(struct view_output *o, const struct view_look *look,
		     struct buf *change);
struct view_ended {
	bool open; /* the program has not: it goes on drawing on its screen */
	bool cut;  /* its result has not all of the output, the terminal's record has */
};

/** view_output_end() - a call has ended: what of the rest stays */
void view_output_end(struct view_output *o, const struct view_look *look,
		     const struct view_ended *ended, struct buf *stay);

#endif
