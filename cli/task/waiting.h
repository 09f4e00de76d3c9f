/* waiting - what waits in a task's box while its project is under review: for the model,
 * the record of the task and the list at its end.
 * Needs:  a box that is open.
 * Owns:   nothing.
 * Never:  takes anything over, but after each call where the person wants that. */
#ifndef CLI_TASK_WAITING_H
#define CLI_TASK_WAITING_H

#include "agent/task/task.h"
#include "cli/review/review.h"

struct waiting {
	struct review review;	     /* not open: each look opens one like it */
	bool reviews;		     /* the open box has its project under review */
	const char *cwd;	     /* borrowed; where the person is */
	struct toolbox *tools;	     /* borrowed */
	const char *log;	     /* borrowed; name of the transcript */
	const struct config *config; /* borrowed */
};

/** waiting_review() - for a task; @w is borrowed */
struct task_review waiting_review(struct waiting *w);

/** waiting_offer() - a tool for the model, where its project is under review */
int waiting_offer(struct waiting *w, struct err *e);

#endif
