/* inbox - what a task shall be told that has no terminal of its own: a file beside its
 * transcript, which others fill and the task empties.
 * Needs:  an open box directory, which a box cannot write.
 * Owns:   the file while the task runs; a task that was killed leaves it to the next one.
 * Never:  takes words for a task that has ended. */
#ifndef CLI_TASK_RECORD_INBOX_H
#define CLI_TASK_RECORD_INBOX_H

#include "base/buf.h"
#include "cli/task/record/tasklog.h"

enum { INBOX_MAX = 32 << 10 };

struct inbox {
	int dir, fd; /* owned; -1 = none */
	char file[TASKLOG_NAME + 8];
};
#define INBOX_NONE ((struct inbox){ .dir = -1, .fd = -1 })
void inbox_done(struct inbox *i);

/** inbox_open() - the one of @task, which begins */
int inbox_open(const struct boxdir *b, const char *task, struct inbox *ret,
	       struct err *e);

/** inbox_told() - task_conf.told, with a struct inbox as ctx */
int inbox_told(void *ctx, bool end, struct buf *words);

/** inbox_tell() - to @task; -ESRCH: it has ended; -EAGAIN: it has not heard what was said
 *  before; -E2BIG */
int inbox_tell(const struct boxdir *b, const char *task, const char *text,
	       struct err *e);

/** inbox_left() - append what @task was told and did not hear before it was killed */
void inbox_left(const struct boxdir *b, const char *task, struct buf *words);

#endif
