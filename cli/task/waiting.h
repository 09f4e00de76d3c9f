/* waiting - what waits in a task's box while its project is under review: for the model,
 * the record of the task and the list at its end.
 * Needs:  a box that is open.
 * Owns:   nothing.
 * Never:  takes anything over. */
#ifndef CLI_TASK_WAITING_H
#define CLI_TASK_WAITING_H

#include "agent/task/task.h"
#include "base/buf.h"

enum { WAITING_PATCH = 256 << 10 /* bytes of a patch; what follows is left out */ };

struct boxsetup;

/** waiting_review() - for a task; @setup is borrowed, and has its open box */
struct task_review waiting_review(struct boxsetup *setup);

/** waiting_patch() - as git writes it; @path: only what is there and below it, absolute or
 *  below the project; NULL = all */
int waiting_patch(void *setup, const char *path, struct buf *ret, struct err *e);

#endif
