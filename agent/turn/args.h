/* args - the arguments of a call, as models write them: JSON, or nearly.
 * Needs:  nothing; it is pure.
 * Owns:   nothing.
 * Never:  guesses at a meaning: what cannot be read is refused with the position. */
#ifndef AGENT_TURN_ARGS_H
#define AGENT_TURN_ARGS_H

#include "base/err.h"
#include "base/json.h"

enum { ARGS_MAX = 4 << 20 };

/**
 * args_parse() - read the arguments of a call
 *
 * Tolerated: nothing at all (an empty object), an object printed into a JSON string,
 * raw control characters inside strings.
 * Return: 0 and an object in @ret (owned: json_free()), or -EINVAL with why.
 */
int args_parse(const char *text, size_t len, struct json **ret, struct err *e);

#endif
