/* answerkit - a service's answer, cut anywhere, must become the same turn.
 * Needs:  rows of events and of what they become.
 * Owns:   nothing.
 * Never:  knows a wire: each has its functions, and says in its own way what a turn is. */
#ifndef TESTS_UNIT_ANSWERKIT_H
#define TESTS_UNIT_ANSWERKIT_H

#include "agent/wire/answer.h"

struct answerkit_row {
	const char *name;
	const char *in;	 /* events, one a line */
	const char *out; /* as tell() says it, or the failure's text */
	int fail;
};

struct answerkit {
	const struct answer_ops *ops;
	void (*stream)(const char *in, struct buf *out); /* from a row's .in */
	void (*tell)(const struct turn *t, struct buf *out);
};

/** answerkit_row() - every step below 40, a thousand random ways, and as a whole */
void answerkit_row(const struct answerkit *k, const struct answerkit_row *row);

#endif
