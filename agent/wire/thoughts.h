/* thoughts - the reasoning of a turn, in each of the forms that servers send it.
 * Needs:  the deltas of a Chat Completions stream.
 * Owns:   every form as it came: each goes back to the server that sent it.
 * Never:  shows the same words twice: the first form that has any is the one shown. */
#ifndef AGENT_WIRE_THOUGHTS_H
#define AGENT_WIRE_THOUGHTS_H

#include "agent/turn/turn.h"

enum { THOUGHTS_FIELDS = 2 };

struct thoughts {
	struct buf field[THOUGHTS_FIELDS]; /* owned; reasoning_content, reasoning */
	bool has[THOUGHTS_FIELDS];
	struct json *details; /* owned; reasoning_details, all but the last one */
	struct json *detail;  /* owned; the last one, which may still grow */
	int shown;	      /* the form that is shown; -1 = none yet */
};

void thoughts_init(struct thoughts *th);
void thoughts_done(struct thoughts *th);

/** thoughts_take() - from a delta: append to what there is, show what is new in @t */
int thoughts_take(struct thoughts *th, const struct json *delta, struct turn *t,
		  const struct turn_sink *to);
/** thoughts_part() - from a part of a content list; raw parts do not go back */
int thoughts_part(struct thoughts *th, const struct json *part, struct turn *t,
		  const struct turn_sink *to);
/** thoughts_put() - set the members of the assistant message; ends the collection */
int thoughts_put(struct thoughts *th, struct json *message);

#endif
