/* asktext - what a person is asked to permit: all of a call, and nothing hidden. Pure.
 * Needs:  a call.
 * Owns:   nothing.
 * Never:  leaves out a line or an argument; lets a line of the model begin where the
 *         lines of cubby do; lets through what a person does not see (view_words.h). */
#ifndef CLI_TASK_ASKTEXT_H
#define CLI_TASK_ASKTEXT_H

#include "agent/task/task.h"

/** asktext_whole() - append the call, no newline at the end; 0, -ENOMEM or -EMSGSIZE
 *  "$ make" and its further lines, or "edit_file a.c" and what goes and what comes. */
int asktext_whole(const struct task_call *c, struct buf *out);

#endif
