/* taskrun - a task from the command line to its exit status: model, box, tools,
 * transcript, view.
 * Needs:  cmd_parse() has filled the configuration.
 * Owns:   everything that one task needs, until it has ended.
 * Never:  ends without a word. */
#ifndef CLI_TASKRUN_H
#define CLI_TASKRUN_H

#include "cli/app.h"
#include "cli/opt_box.h"
#include "cli/opt_task.h"

struct taskrun {
	const char *text; /* the task; NULL = the one of the replayed or resumed */
	const struct opt_box *box;
	const struct opt_task *task;
	const char *resume; /* name of a transcript of this box; NULL = a new task */
	bool resume_last;   /* the newest one */
};

/** taskrun_do() - returns the exit status; what went wrong has been shown */
int taskrun_do(struct app *app, const struct taskrun *t);

#endif
