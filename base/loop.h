/* loop - a small epoll loop: descriptors and timers call functions, one at a time.
 * Needs:  a single thread.
 * Owns:   its epoll descriptor and its sources; never the descriptors in them.
 * Never:  calls a source that was removed, even by another source of the same round. */
#ifndef BASE_LOOP_H
#define BASE_LOOP_H

#include <stdint.h>

#include "base/err.h"
#include "base/scope.h"

struct loop;
struct loop_source; /* owned by the loop; dies with loop_remove() or loop_free() */

/* @events: EPOLLIN, EPOLLOUT, EPOLLHUP, …; 0 for a timer. A negative errno ends
 * loop_run() with it; fill @e then. */
typedef int loop_fn(void *ctx, uint32_t events, struct err *e);

int loop_new(struct loop **ret, struct err *e);
void loop_free(struct loop **l);
#define _cleanup_loop_ _cleanup_(loop_free)

/** loop_add() - call @fn for @events of @fd; a regular file is always ready; a
 * descriptor can be there once. Return: 0 or a negative errno. */
int loop_add(struct loop *l, int fd, uint32_t events, loop_fn *fn, void *ctx,
	     struct loop_source **ret);
int loop_modify(struct loop *l, struct loop_source *s, uint32_t events);
/** loop_urgent() - serve @s, which is no file, before all others of each round, however
 * many those are, and between them where they take long; for two sources at the most,
 * level-triggered ones */
void loop_urgent(struct loop *l, struct loop_source *s);
/** loop_timer() - call once, @ms from now; loop_remove() cancels, and releases it after
 * it fired. @ret NULL = the loop releases it itself. */
int loop_timer(struct loop *l, uint64_t ms, loop_fn *fn, void *ctx,
	       struct loop_source **ret);
/** loop_rearm() - set a timer anew, fired or not */
void loop_rearm(struct loop *l, struct loop_source *s, uint64_t ms);
void loop_remove(struct loop *l, struct loop_source **s); /* NULL inside: nothing */

/** loop_eager() - while events come less than @us after each other, do not sleep between
 * them, but look for the next one that long. For a loop on whose way somebody waits each
 * time, where there is more than one processor; a pause costs @us of one, once. */
void loop_eager(struct loop *l, unsigned us);

/** loop_step() - wait once (at most @timeout_ms, -1 = until something happens) */
int loop_step(struct loop *l, int timeout_ms, struct err *e);
/** loop_run() - step until loop_stop(); 0, or the first failure */
int loop_run(struct loop *l, struct err *e);
void loop_stop(struct loop *l);
/** loop_rounds() - how often it has waited: tells one that spins from one that idles */
uint64_t loop_rounds(const struct loop *l);

#endif
