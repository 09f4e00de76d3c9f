/* alike - two outputs are alike when only clocks and process ids differ in them.
 * Needs:  nothing; it is pure.
 * Owns:   nothing.
 * Never:  takes another number away: a count that changes is a difference. */
#ifndef AGENT_TURN_ALIKE_H
#define AGENT_TURN_ALIKE_H

#include "base/buf.h"

/** alike_text() - append @text with process ids, times and durations replaced */
int alike_text(const char *text, struct buf *out);

#endif
