/* claims - what a text of a model says about the work, as far as its words show it.
 * Needs:  nothing; it is pure, and knows English.
 * Owns:   nothing.
 * Never:  decides how a task ends: a wrong guess costs one question (task.c). */
#ifndef AGENT_TASK_CLAIMS_H
#define AGENT_TASK_CLAIMS_H

#include <stdbool.h>

/** claims_work() - its last sentence announces what comes next ("Let me look …", "…:") */
bool claims_work(const char *text);

/** claims_failure() - its first or last sentence says that it was not done */
bool claims_failure(const char *text);

/** claims_task() - is this a task of which something has to come out, and not a question?
 *  It begins with a verb that makes or changes something */
bool claims_task(const char *task);

#endif
