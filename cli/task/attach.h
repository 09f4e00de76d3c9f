/* attach - files that go with a task: pictures as pictures, text behind the task's own.
 * Needs:  names of files of the caller.
 * Owns:   what was read.
 * Never:  sends what is neither a picture that models take nor text. */
#ifndef CLI_TASK_ATTACH_H
#define CLI_TASK_ATTACH_H

#include "agent/task/task.h"

enum { ATTACH_MAX = 16, ATTACH_TEXT_MAX = 256 << 10, ATTACH_SCHEMA_MAX = 32 << 10 };

struct attach {
	struct task_picture pictures[ATTACH_MAX]; /* text and base64 owned */
	size_t n;
	struct buf text; /* owned; of the files that are text */
};
#define ATTACH_NONE ((struct attach){ .text = BUF_INIT(4 * (size_t)ATTACH_TEXT_MAX) })
void attach_done(struct attach *a);

/** attach_file() - -EINVAL: it is neither; -EMSGSIZE, -E2BIG: too large or too many */
int attach_file(struct attach *a, const char *name, struct err *e);

/** attach_schema() - of the answer; -EINVAL: it is none, or more than is supported */
int attach_schema(const char *name, struct json **ret, struct err *e);

#endif
