/* cookie - a value in a Cookie field (RFC 6265, 4.2.1).
 * Needs:  nothing; pure.
 * Owns:   nothing.
 * Never:  takes the end of another's name for a name; gives a part of a value. */
#ifndef AGENT_SERVER_HTTP_COOKIE_H
#define AGENT_SERVER_HTTP_COOKIE_H

enum { COOKIE_VALUE = 128 };

/** cookie_value() - the first of @name in @field (NULL = none came); "" = there is none, or
 *  it does not fit */
void cookie_value(const char *field, const char *name, char ret[COOKIE_VALUE]);

#endif
