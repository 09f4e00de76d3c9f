/* boxend - the end of a box: stopped, or removed with all that is in it.
 * Needs:  an open store.
 * Owns:   nothing.
 * Never:  removes a box that runs; touches the project directory. */
#ifndef CLI_STORE_BOXEND_H
#define CLI_STORE_BOXEND_H

#include "base/json.h"
#include "rootfs/store/store.h"

struct app;
struct box;
struct boxend_grace;

/** boxend_first - ends what is to end before all else in a box
 *  @grace: NULL = only say whether there is anything of that kind; that is the result
 */
typedef bool boxend_first(struct box *box, const struct boxend_grace *grace);

/** boxend_stop() - end every process of box @key and wait until it is gone; 0 also when
 *  it was not running. A monitor that does not answer in time is killed, and the box with it */
int boxend_stop(const struct store *st, const char *key, struct err *e);

/* How long the processes of a box may take to end by themselves. */
struct boxend_grace {
	uint64_t until_ms;   /* of sys_now_ms() */
	int interrupt;	     /* borrowed; readable = no longer; -1 = none */
	boxend_first *first; /* NULL = nothing is */
	bool *killed;	     /* set where its monitor did not answer; NULL = not told */
};
/** boxend_ask() - ask the processes of box @key to end, and wait for nothing; not where
 *  there is something to end @first */
int boxend_ask(const struct store *st, const char *key, boxend_first *first,
	       struct err *e);
/** boxend_within() - the same in each box, wait, then boxend_stop() */
int boxend_within(const struct store *st, const char *key,
		  const struct boxend_grace *grace, struct err *e);

/** boxend_question() - put to the monitor of a running box (box_ask()); @args is borrowed, and
 *  may be NULL; @ret is owned */
int boxend_question(const struct store *st, const char *key, const char *what,
		    const struct json *args, struct json **ret, struct err *e);
/** boxend_info() - what it says of the box; @ret is owned */
int boxend_info(const struct store *st, const char *key, struct json **ret,
		struct err *e);

/** boxend_lingers() - whether box @key runs nothing and waits for the next command */
bool boxend_lingers(const struct store *st, const char *key);

/** boxend_idle() - end box @key if nobody uses it and nothing was asked to stay in it:
 *  it may be on its way out already. 0 when it is gone, -EBUSY when it is in use, or what it
 *  changed is just taken over. */
int boxend_idle(const struct store *st, const char *key, struct err *e);

/** boxend_look_back() - for a box that is not to be started there again: what it made for git,
 *  and its monitor, which was killed, has not looked at */
void boxend_look_back(const struct app *app, const char *key);

/** boxend_remove() - after that remove box @key, files of every user of it, the logs of what
 *  was done in it unless @keep_logs; -EBUSY: it runs */
int boxend_remove(const struct app *app, const char *key, bool keep_logs,
		  struct err *e);

#endif
