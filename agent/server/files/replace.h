/* replace - the replacements that a model asked for, in a text.
 * Needs:  the whole text.
 * Owns:   nothing.
 * Never:  makes some of them: all, or the text stays. */
#ifndef AGENT_SERVER_FILES_REPLACE_H
#define AGENT_SERVER_FILES_REPLACE_H

#include "base/buf.h"
#include "base/err.h"
#include "base/json.h"

/**
 * replace_apply() - in order, each on the result of the one before
 * @list: of {"target", "replacement", "start_line"?, "end_line"?, "allow_multiple"?}
 * Return: 0; -EINVAL: a target is not there, or more than once; -EBADMSG: malformed;
 *         -EMSGSIZE.
 */
int replace_apply(struct buf *text, const struct json *list, struct err *e);

#endif
