/* markdown - Markdown as rows of a terminal.
 * Needs:  the words of a model: hostile, UTF-8 or not.
 * Owns:   nothing.
 * Never:  passes on what is hidden, HTML, or a link without the place that it leads to. */
#ifndef CLI_SHOW_MARKDOWN_H
#define CLI_SHOW_MARKDOWN_H

#include "base/buf.h"
#include "base/err.h"

enum { MARKDOWN_ROWS = 4 << 20 };

struct markdown_look {
	unsigned cols; /* of a row; 0 = they are not broken */
	bool color;
};

/**
 * markdown_rows() - append @s as rows, each with a newline
 * Return: 0; -ENOPKG and others: libmd4c cannot be used, and @s is wrapped as it is.
 */
int markdown_rows(const char *s, size_t len, const struct markdown_look *look,
		  struct buf *out, struct err *e);

#endif
