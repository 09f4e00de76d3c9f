/* view_lines - the raw output of a command as whole lines fit for a terminal. Pure.
 * Needs:  bytes, split anywhere.
 * Owns:   the beginning of a line whose rest has not come yet.
 * Never:  lets an escape sequence through; keeps more than VIEW_LINES_MAX bytes of a
 *         line. */
#ifndef CLI_TASK_VIEW_LINES_H
#define CLI_TASK_VIEW_LINES_H

#include "agent/terminal/escape.h"

enum { VIEW_LINES_MAX = 2048 };

/* A carriage return begins the line again, as progress bars want it. */
struct view_lines {
	char line[VIEW_LINES_MAX];
	size_t n;
	struct escape escape;
	bool cr; /* the next byte starts over, unless the line ends */
};

typedef void view_lines_fn(void *ctx, const char *line);
/** view_lines_add() - call @fn with every line that @s completes, without its end */
void view_lines_add(struct view_lines *l, const char *s, size_t len, view_lines_fn *fn,
		    void *ctx);
/** view_lines_end() - the last line, if it has no end and is not empty */
void view_lines_end(struct view_lines *l, view_lines_fn *fn, void *ctx);

#endif
