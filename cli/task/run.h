/* taskrun - a task from the command line to its exit status: model, box, tools,
 * transcript, view.
 * Needs:  cmd_parse() has filled the configuration.
 * Owns:   everything that one task needs, until it has ended.
 * Never:  ends without a word. */
#ifndef CLI_TASK_RUN_H
#define CLI_TASK_RUN_H

#include "cli/opt/box.h"
#include "cli/opt/task.h"
#include "cli/show/app.h"

struct taskrun {
	const char *text; /* the task; NULL = the one of the replayed or resumed */
	const struct opt_box *box;
	const struct opt_task *task;
	const char *resume; /* name of a transcript of this box; NULL = a new task */
	bool resume_last;   /* the newest one */
	bool back;	    /* from where it was after so many turns: */
	unsigned rounds_back;
	bool talk; /* a conversation: lines are asked for at a prompt */
	/* it has begun, and writes this transcript; NULL = nobody wants to know */
	void (*began)(void *ctx, const char *log);
	void *ctx;
};

/** taskrun_do() - returns the exit status; what went wrong has been shown */
int taskrun_do(struct app *app, const struct taskrun *t);

#endif
