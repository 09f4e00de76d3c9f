/* view_end - what is told when a task has ended.
 * Needs:  the report of the task.
 * Owns:   nothing.
 * Never:  hides why a task ended. */
#ifndef CLI_TASK_VIEW_END_H
#define CLI_TASK_VIEW_END_H

#include "agent/task/task.h"
#include "cli/show/app.h"

/**
 * view_end_show() - why it ended, the files that changed, rounds, tokens, time on
 *                   app->err; the answer on app->out
 * @said: the words of the last turn, which a terminal shows already; may be ""
 */
void view_end_show(const struct app *app, const struct task_report *r,
		   const char *said);

/** view_end_foreign() - files of other users in the project: how to get them back */
void view_end_foreign(const struct app *app, const struct changes *c);

/** view_end_jobs() - what runs in the background, @jobs, and what becomes of it */
void view_end_jobs(const struct app *app, const char *jobs, bool keep);

/** view_end_cost() - ", about $0.012", or "" where it is not known or nothing; @out */
char *view_end_cost(char *out, size_t size, const struct task_status *st);

/** view_end_tokens() - 950 → "950", 12345 → "12.3k", 2500000 → "2.5M"; @out */
char *view_end_tokens(char *out, size_t size, uint64_t n);

#endif
