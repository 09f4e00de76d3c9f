/* asked - what is asked of a monitor: questions, and programs whose answer is not waited for.
 * Needs:  nothing.
 * Owns:   what came and was not taken yet.
 * Never:  gives an answer twice. */
#ifndef RUNTIME_BOX_ASKED_H
#define RUNTIME_BOX_ASKED_H

#include "runtime/box/box.h"

struct asked_one {
	uint32_t id;
	enum box_io io;
	bool came;
	struct box_proc proc; /* owned; when it came and runs */
	struct err why;	      /* when it came and does not */
};

struct asked {
	struct asked_one *list; /* owned */
	size_t n;
};
void asked_done(struct asked *a);

/** asked_question() - as the monitor reads it */
int asked_question(const char *what, const struct json *args, struct buf *out);

/** asked_reserve() - so that asked_add() cannot fail; 0 or -ENOMEM */
int asked_reserve(struct asked *a, struct err *e);
void asked_add(struct asked *a, uint32_t id, enum box_io io);
/** asked_find() - one that has not come; NULL = none of that id */
struct asked_one *asked_find(const struct asked *a, uint32_t id);
/** asked_came() - has any of them, that asked_take() would take? */
bool asked_came(const struct asked *a);
/** asked_take() - the first that came; false = none has */
bool asked_take(struct asked *a, uint32_t *id, struct box_proc *ret, struct err *why);

#endif
