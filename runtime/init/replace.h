/* replace - the replacements that a model asked for, in a text.
 * Needs:  the whole text.
 * Owns:   nothing.
 * Never:  looks at what they mean. */
#ifndef RUNTIME_INIT_REPLACE_H
#define RUNTIME_INIT_REPLACE_H

#include "base/buf.h"
#include "base/err.h"

/**
 * replace_apply() - in order, each on the result of the one before
 * @list: as it comes to the applet (applets.h), @len bytes, and a NUL behind them
 * Return: 0; -EINVAL: a text is not there, or more than once, or @list makes no sense;
 *         -EMSGSIZE. After a failure @text may have been changed.
 */
int replace_apply(struct buf *text, const char *list, size_t len, struct err *e);

#endif
