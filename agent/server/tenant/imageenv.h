/* imageenv - the environment of a program in a box, with what the box's image says of it.
 * Needs:  nothing; it is pure.
 * Owns:   nothing.
 * Never:  lets the image say what somebody else says. */
#ifndef AGENT_SERVER_TENANT_IMAGEENV_H
#define AGENT_SERVER_TENANT_IMAGEENV_H

#include "base/json.h"

/** imageenv_add() - @env (NULL = none) and what else the "env" of @image says (NULL = nothing);
 *  NULL-ended, to be freed; the words are borrowed. NULL: no memory */
const char **imageenv_add(const struct json *image, const char *const *env);

#endif
