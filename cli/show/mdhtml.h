/* mdhtml - Markdown as HTML.
 * Needs:  the words of a model: hostile, UTF-8 or not.
 * Owns:   nothing.
 * Never:  lets a byte of the text become markup; makes a link: the place stands beside it. */
#ifndef CLI_SHOW_MDHTML_H
#define CLI_SHOW_MDHTML_H

#include "base/buf.h"
#include "base/err.h"

/**
 * mdhtml_add() - append @s; every tag that it opens is closed
 * Return: 0; -ENOPKG and others: libmd4c cannot be used, and @s is appended as it is.
 */
int mdhtml_add(const char *s, size_t len, struct buf *out, struct err *e);

#endif
