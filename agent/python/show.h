/* python_show - a message as lines of text, for a model or a person. Pure.
 * Needs:  a message (message.h).
 * Owns:   nothing.
 * Never:  makes it fit for a terminal: that is the caller's. */
#ifndef AGENT_PYTHON_SHOW_H
#define AGENT_PYTHON_SHOW_H

#include "agent/python/message.h"

/**
 * python_show() - append what a value or an exception looks like: whole lines
 *
 * Of a value's forms one is shown: Markdown, plain text, or the HTML of what has no better
 * text than its class and address. A picture is a line with its facts and its file.
 * Return: 0, -EMSGSIZE or -ENOMEM.
 */
int python_show(const struct python_message *m, struct buf *out);

#endif
