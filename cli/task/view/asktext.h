/* asktext - what a person is asked to permit: all of a call, and nothing hidden. Pure.
 * Needs:  a call.
 * Owns:   nothing.
 * Never:  leaves out a line or an argument; lets a line of the model begin where the
 *         lines of cubby do; lets through what a person does not see (words.h). */
#ifndef CLI_TASK_VIEW_ASKTEXT_H
#define CLI_TASK_VIEW_ASKTEXT_H

#include "agent/task/task.h"

/** asktext_whole() - append the call, no newline at the end; 0, -ENOMEM or -EMSGSIZE
 *  "$ make" and its further lines, or "edit_file notes.txt" and what goes and what comes.
 *  @was: of write_file: the text that the file has, of which the diff is shown; NULL = all of
 *  the new one is */
int asktext_whole(const struct task_call *c, const struct buf *was, struct buf *out);

#endif
