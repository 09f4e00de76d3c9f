/* gitwork - a process that reads what a box left for git, beside the monitor, and says
 * lines.
 * Needs:  nothing.
 * Owns:   the process and the pipe of its words.
 * Never:  waits, but in gitwork_wait() and for a process that has closed its pipe; lets
 *         the process outlive the monitor, or have more privileges than it. */
#ifndef RUNTIME_MONITOR_GITWORK_H
#define RUNTIME_MONITOR_GITWORK_H

#include "base/buf.h"
#include "base/err.h"

struct gitwork {
	pid_t pid;	 /* -1 = none */
	int words;	 /* owned; -1 = none */
	struct buf said; /* owned: what came of the words until now */
};
enum { GITWORK_LINES = 64 * 1024 };
#define GITWORK_NONE                                                    \
	(struct gitwork)                                                \
	{                                                               \
		.pid = -1, .words = -1, .said = BUF_INIT(GITWORK_LINES) \
	}

/* One line for the person. */
typedef void gitwork_say_fn(void *ctx, const char *line);

/* What the process does; what it returns becomes its status: 0 = all of it. */
typedef int gitwork_fn(void *ctx, int words);

/** gitwork_begin() - start it
 *  Return: a descriptor, borrowed, that is ready to be read when it says or has ended. */
int gitwork_begin(struct gitwork *w, gitwork_fn *work, void *ctx, struct err *e);
/** gitwork_word() - in the process: say a line */
void gitwork_word(int words, const char *line);
/** gitwork_more() - read some of it when it is ready; false: the work has ended */
bool gitwork_more(struct gitwork *w);
/** gitwork_kill() - what it does takes too long: it ends soon */
void gitwork_kill(const struct gitwork *w);
/** gitwork_wait() - until it has ended, or after @ms is killed */
void gitwork_wait(struct gitwork *w, unsigned ms);
/**
 * gitwork_end() - after that: say what there is to say
 * @say: NULL = nobody listens
 * Return: the status; -EINTR when it was killed, -ESRCH when there is none.
 */
int gitwork_end(struct gitwork *w, gitwork_say_fn *say, void *ctx);

#endif
