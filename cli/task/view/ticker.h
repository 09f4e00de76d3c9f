/* ticker - what happens at the person's terminal while a task waits for something else:
 * time passes, the window changes its size, keys are pressed, another job has it or no more
 * (^Z, fg, bg).
 * Needs:  a caller that looks at ticker_aside() whenever it waits.
 * Owns:   the descriptors; SIGWINCH and SIGCONT are blocked from then on (the latter goes on all
 *         the same).
 * Never:  waits; has keys read that are another job's. */
#ifndef CLI_TASK_VIEW_TICKER_H
#define CLI_TASK_VIEW_TICKER_H

#include "base/aside.h"
#include "base/err.h"

enum { TICKER_MS = 200, TICKER_MORE = 2 };

struct ticker {
	int epfd, timer, signals;	/* owned; -1 = none */
	struct aside more[TICKER_MORE]; /* looked at as well */
	size_t n_more;
	void (*tick)(void *ctx);
	void (*resized)(void *ctx);
	/* It is ours again, also after we were stopped, or another job's. May be NULL */
	void (*moved)(void *ctx, bool here);
	bool (*keys)(void *ctx); /* they can be read; false = never again */
	void *ctx;		 /* borrowed */
	int in;			 /* borrowed; where keys come from; -1 = none */
	int terminal; /* borrowed; whose foreground is asked for; -1 = none */
	bool away;    /* it is another job's */
};
#define TICKER_NONE       \
	((struct ticker){ \
		.epfd = -1, .timer = -1, .signals = -1, .in = -1, .terminal = -1 })

/** ticker_open() - begin; the callbacks are set already, or there is no terminal */
int ticker_open(struct ticker *t, struct err *e);
void ticker_close(struct ticker *t);

/** ticker_add() - something else that has to be looked at: @more.fd may be -1. TICKER_MORE
 *  of them at the most */
int ticker_add(struct ticker *t, struct aside more, struct err *e);

/** ticker_keys() - look at @fd, or at no keys with -1 */
int ticker_keys(struct ticker *t, int fd, struct err *e);

/** ticker_aside() - for whoever waits; ready NULL where it is not open */
struct aside ticker_aside(struct ticker *t);

#endif
