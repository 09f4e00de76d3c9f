/* task_shorten - when a task's history is shortened, and by how much.
 * Needs:  a running task between two requests.
 * Owns:   nothing.
 * Never:  happens unseen: a record and a notice each time. */
#ifndef AGENT_TASK_SHORTEN_H
#define AGENT_TASK_SHORTEN_H

#include "base/err.h"

struct task;

/** task_shorten_if_full() - at 80 % of the window */
int task_shorten_if_full(struct task *t, struct err *e);
/** task_shorten() - the server said that the context is too long; @level 1, then 2
 *  (harder) */
int task_shorten(struct task *t, unsigned level, struct err *e);

#endif
