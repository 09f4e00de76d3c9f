/* view_status - the line at the end of the terminal that moves. Pure.
 * Needs:  what happens, and the time.
 * Owns:   nothing.
 * Never:  is wider than it may be; has a byte of the model or the box as it came. */
#ifndef CLI_TASK_VIEW_STATUS_H
#define CLI_TASK_VIEW_STATUS_H

#include "agent/task/task.h"

enum view_doing { VIEW_NOTHING, VIEW_WAITS, VIEW_THINKS, VIEW_SPEAKS, VIEW_RUNS };

struct view_now {
	enum view_doing doing;
	const char *what;  /* the command, or the end of the thoughts; fit for a
			      terminal, in one line; borrowed */
	uint64_t since_ms; /* it has gone on for */
	uint64_t elapsed_ms;
	uint64_t frame; /* counts up: something has to move */
};

/** view_status_row() - append the row with its newline
 *  @cols: that it may take; less than 20 and there is none */
void view_status_row(const struct task_status *st, const struct view_now *now,
		     unsigned cols, bool color, struct buf *out);

#endif
