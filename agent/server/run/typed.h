/* typed - what a model wants typed: it writes "\n" and "\x03" as it would in a string.
 * Needs:  nothing: pure.
 * Owns:   nothing.
 * Never:  drops what it does not know: that stays as it is. */
#ifndef AGENT_SERVER_RUN_TYPED_H
#define AGENT_SERVER_RUN_TYPED_H

#include "base/buf.h"

/** typed_unescape() - append @text with \n \r \t \b \e \a \0 \\ \xNN and \u00NN replaced */
void typed_unescape(const char *text, struct buf *out);

#endif
