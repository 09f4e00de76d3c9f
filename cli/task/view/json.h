/* view_json - a task as a program watches it: one JSON object a line on app->out.
 * Needs:  an app; the task calls the events (agent/task/task.h).
 * Owns:   a sequence of the output that has not ended yet.
 * Never:  writes anything else to app->out.
 *
 * Every object has "event": start, round, words, turn, discarded, retry, call, output,
 * result, notice, end. docs/events.md describes their members. */
#ifndef CLI_TASK_VIEW_JSON_H
#define CLI_TASK_VIEW_JSON_H

#include "agent/task/task.h"
#include "cli/show/termfilter.h"

struct app;

struct view_json {
	const struct app *app;	  /* borrowed */
	struct termfilter filter; /* of what commands print: it is shown on terminals */
};

void view_json_init(struct view_json *v, const struct app *app);
/** view_json_events() - the table for struct task_conf; its ctx is a struct view_json */
const struct task_events *view_json_events(void);

#endif
