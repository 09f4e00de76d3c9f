/* view_json - a task as a program watches it: one JSON object a line on app->out.
 * Needs:  an app; the task calls the events (agent/task/task.h).
 * Owns:   nothing.
 * Never:  writes anything else to app->out.
 *
 * Every object has "event": start, round, words, turn, discarded, retry, call, output,
 * result, notice, end. docs/cubby.1 describes their members. */
#ifndef CLI_TASK_VIEW_JSON_H
#define CLI_TASK_VIEW_JSON_H

#include "agent/task/task.h"

/** view_json_events() - the table for struct task_conf; its ctx is a struct app */
const struct task_events *view_json_events(void);

#endif
