/* cell - an execute_request, or a look at names, that waits for its turn, or runs.
 * Needs:  how much all cells of a tenant may still take, which outlives it.
 * Owns:   copies of its header and code, and what they take of that.
 * Never:  runs anything. */
#ifndef AGENT_SERVER_JUPYTER_CELL_H
#define AGENT_SERVER_JUPYTER_CELL_H

#include <stdbool.h>

#include "agent/python/message.h"

struct kernel_watch;

enum { CELL_ALL = 8 << 20 }; /* bytes of code of a tenant's cells */

struct cell {
	struct cell *next;
	struct json *header; /* owned */
	char *code;	     /* owned */
	struct json *env;    /* owned: {NAME: text}; NULL = none */
	size_t *left, taken; /* left: borrowed */
	bool silent, stdin_allowed, stop_on_error;
	enum python_kind look; /* READY: it is run */
	int64_t pos;	       /* of a look */
	struct json *found; /* owned: what the reply to it says; NULL = not known yet */
	const struct kernel_watch *watch; /* borrowed; NULL = none */
};

/** cell_new() - @left: of CELL_ALL. NULL: @e says why, -EAGAIN: not enough of it
 *  @env: {NAME: text}; NULL = none */
struct cell *cell_new(const struct json *header, const char *code,
		      const struct json *env, size_t *left, struct err *e);
/** cell_free() - its watch hears that there is no more of it */
void cell_free(struct cell *c);
/** cell_drop() - the one of a list that has this watch, which hears nothing; was there one? */
bool cell_drop(struct cell **first, const struct kernel_watch *w);
/** cell_fits() - a header is small enough to be kept, and sent back with each answer */
bool cell_fits(const struct json *header);

#endif
