/* prepare - from a box that runs to a task that can begin: its record, its tools, servers, and
 * what watches the terminal and the project meanwhile.
 * Needs:  ordered_read(), boxsetup_open().
 * Owns:   nothing: all of it goes into the work.
 * Never:  asks the model. */
#ifndef CLI_TASK_PREPARE_H
#define CLI_TASK_PREPARE_H

#include "cli/task/work.h"

int prepare_task(struct taskwork *w, struct err *e);

#endif
