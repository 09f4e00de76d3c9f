/* wire_error - what a server that fails says, in the many shapes that servers use.
 * Needs:  the body of an answer, or one value of a stream.
 * Owns:   nothing.
 * Never:  keeps a byte that could not be shown: texts are escaped and cut. */
#ifndef AGENT_WIRE_ERROR_H
#define AGENT_WIRE_ERROR_H

#include "agent/wire/retry.h"
#include "base/json.h"

/**
 * wire_error_read() - find an error in a value: {"error": {…} or "…"}, a list of such,
 *                      {"type": "error"}, {"object": "error"}, {"detail": …}
 * @ret: code and text filled when there is one; a status inside is taken when none is
 *       known yet
 */
bool wire_error_read(const struct json *j, struct retry_cause *ret);

/** wire_error_body() - the same from the bytes of a body: JSON, HTML (its title) or
 *  plain text; text stays empty when there is nothing to show */
void wire_error_body(const char *body, size_t len, struct retry_cause *ret);

#endif
