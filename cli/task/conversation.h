/* conversation - a task at a prompt: each line of the person's goes on in the transcript of
 * those before it.
 * Needs:  prepare_task().
 * Owns:   nothing.
 * Never:  ends for a task that failed: the person says when. */
#ifndef CLI_TASK_CONVERSATION_H
#define CLI_TASK_CONVERSATION_H

#include "cli/task/work.h"

/** conversation_run() - the exit status; what went wrong has been shown */
int conversation_run(struct taskwork *w, struct err *e);

#endif
