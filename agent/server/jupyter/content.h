/* content - what messages of Jupyter's protocol say, made of what an interpreter says. Pure.
 * Needs:  messages that were checked.
 * Owns:   nothing: each content is the caller's.
 * Never:  knows who asked. */
#ifndef AGENT_SERVER_JUPYTER_CONTENT_H
#define AGENT_SERVER_JUPYTER_CONTENT_H

#include "agent/python/message.h"

/** content_value() - of "display_data", "execute_result" and "update_display_data" */
struct json *content_value(const struct python_message *m);

/** content_error() - of "error", and of a reply with the status "error"
 *  @tb: NULL = no lines */
struct json *content_error(const char *ename, const char *evalue,
			   const struct json *tb);

/** content_look() - of the reply to a look at names; NULL: @m is none */
struct json *content_look(const struct python_message *m);

/** content_reply() - the type of the reply to what asks for @look; READY: to a cell */
const char *content_reply(enum python_kind look);

#endif
