/* ordered - what a person orders, before any image is pulled or box started: words and
 * files, the options of a task that goes on, a model to ask, a budget.
 * Needs:  taskwork_init().
 * Owns:   nothing: all of it goes into the work.
 * Never:  starts anything. */
#ifndef CLI_TASK_ORDERED_H
#define CLI_TASK_ORDERED_H

#include "cli/task/work.h"

/** ordered_read() - 0, or the exit status: what is wrong has been shown */
int ordered_read(struct taskwork *w, struct err *e);

#endif
