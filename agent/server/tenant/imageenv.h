/* imageenv - the environment of a program, and what its box's image says of it.
 * Needs:  nothing.
 * Owns:   nothing.
 * Never:  lets the image say anything that somebody else says. */
#ifndef AGENT_SERVER_TENANT_IMAGEENV_H
#define AGENT_SERVER_TENANT_IMAGEENV_H

#include "base/json.h"

/** imageenv_add() - @env and what else @image says; to be freed, the words are borrowed
 *  @env: NULL-ended "K=V"; NULL = none. Return: NULL-ended; NULL: no memory. */
const char **imageenv_add(const struct json *image, const char *const *env);

#endif
