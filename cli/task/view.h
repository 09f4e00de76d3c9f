/* view - a task as a person watches it: the model's words as they come, each command,
 * its output (dimmed, cut when long), exit status and time, one status line, the end.
 * Needs:  an app; the task calls the events (agent/task/task.h).
 * Owns:   the terminal's last line while a status stands there.
 * Never:  shows a byte of the model or the box that is not made fit for a terminal.
 *
 * The view goes to app->err, the answer alone to app->out: so "cubby TASK > file" keeps
 * the answer, and -q shows nothing else. */
#ifndef CLI_TASK_VIEW_H
#define CLI_TASK_VIEW_H

#include "agent/task/task.h"
#include "cli/show/app.h"
#include "cli/task/view_lines.h"
#include "cli/task/view_words.h"

enum {
	VIEW_HEAD = 12, /* lines of a command's output that are shown as they come */
	VIEW_TAIL = 4	/* and of its end */
};

struct ask;

struct view {
	const struct app *app; /* borrowed */
	struct ask *ask;       /* borrowed: who is asked; NULL = nobody */
	struct view_words words;
	struct view_lines lines;
	struct buf turn;	   /* owned: the words of this turn */
	char tail[VIEW_TAIL][256]; /* the last lines that were not shown yet */
	unsigned long n_lines;	   /* of this command */
	struct task_status status;
	unsigned columns; /* of the terminal; 0 = not one */
	unsigned asked;	  /* number of the call that was shown to be asked for */
	bool status_shown;
	bool mid_line; /* the last words did not end in a newline */
};

void view_init(struct view *v, const struct app *app);
void view_done(struct view *v);
#define _cleanup_view_ _cleanup_(view_done)

/** view_events() - the table for struct task_conf; its ctx is a struct view */
const struct task_events *view_events(void);

/** view_break() - the status line is gone and the cursor at the start of a line */
void view_break(struct view *v);

/** view_call_text() - what a call does, for a person: "$ make", "read_file a.c"; the
 *  text is made fit for a terminal; @out */
int view_call_text(const struct task_call *c, struct buf *out);

#endif
