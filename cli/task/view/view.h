/* view - a task as a person watches it: the model's words as they come, each command,
 * its output (dimmed, cut when long), exit status and time, one status line, the end.
 * Needs:  an app; the task calls the events (agent/task/task.h).
 * Owns:   the terminal's last rows while they change.
 * Never:  shows a byte of the model or the box that is not made fit for a terminal.
 *
 * The view goes to app->err, the answer alone to app->out: so "cubby TASK > file" keeps
 * the answer, and -q shows nothing else. On a terminal words are Markdown, and what
 * changes stands below what stays (cli/show/footer.h); elsewhere all is text, line by line. */
#ifndef CLI_TASK_VIEW_VIEW_H
#define CLI_TASK_VIEW_VIEW_H

#include "agent/task/task.h"
#include "cli/show/app.h"
#include "cli/show/footer.h"
#include "cli/show/mdstream.h"
#include "cli/task/view/output.h"
#include "cli/task/view/status.h"
#include "cli/task/view/words.h"

enum { VIEW_DIFF = 40 /* rows of a change that are shown */ };

struct ask;
struct steer;

struct view {
	const struct app *app; /* borrowed */
	struct ask *ask;       /* borrowed: who is asked; NULL = nobody */
	struct steer *steer;   /* borrowed: what the person types meanwhile; NULL = no
				  keys are read */
	struct footer footer;
	struct view_words words;
	struct mdstream stream;
	struct view_output output;
	struct buf turn; /* owned: the words of this turn, as they came */
	struct buf said; /* owned: of the last turn before that had words */
	struct buf open; /* owned: rows of the block of words that has not ended */
	struct buf what; /* owned: the command that runs, or the thoughts */
	struct buf why;	 /* owned: why this round's last attempt failed */
	struct task_status status;
	uint64_t status_ms, since_ms, painted_ms; /* when; app->now_ms() */
	uint64_t frame;
	enum view_doing doing;
	unsigned asked; /* number of the call that was shown to be asked for */
	bool mid_line;	/* the last words did not end in a newline */
	bool away;	/* the terminal is another job's: nothing changes there */
	bool secret;	/* the program waits for a password */
};

void view_init(struct view *v, const struct app *app);
void view_done(struct view *v);

/** view_events() - the table for struct task_conf; its ctx is a struct view */
const struct task_events *view_events(void);

/** view_tick() - time has passed; @view is a struct view */
void view_tick(void *view);
/** view_resized() - the terminal has another size; @view is a struct view */
void view_resized(void *view);
/** view_moved() - the terminal is ours again, or another job's; @view is a struct view */
void view_moved(void *view, bool here);
/** view_keys() - keys were pressed; false = the terminal is gone; @view is a struct view */
bool view_keys(void *view);

/** view_call_text() - what a call does, for a person: "$ make", "read_file notes.txt"; the
 *  text is made fit for a terminal; @secret: what is typed is not shown; @out */
int view_call_text(const struct task_call *c, bool secret, struct buf *out);

#endif
