/* detached - a task in a process of its own, which outlives the command that began it.
 * Needs:  a process with one thread.
 * Owns:   nothing that outlives the command but that process.
 * Never:  lets it write to a terminal or a pipe of the command once it has begun: whoever
 *         reads those may go; `cubby log --follow` shows what it does. */
#ifndef CLI_TASK_DETACHED_H
#define CLI_TASK_DETACHED_H

#include "cli/task/run.h"

/** detached_run() - returns when the task has begun, or the exit status of why it has not */
int detached_run(struct app *app, const struct taskrun *t);

#endif
