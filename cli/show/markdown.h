/* markdown - Markdown as rows of a terminal, also while it streams. Door of libmd4c.
 * Needs:  the words of a model: hostile, UTF-8 or not, cut anywhere.
 * Owns:   the block whose end has not come.
 * Never:  passes on what is hidden, HTML, or a link without the place that it leads to;
 *         parses more than MARKDOWN_BLOCK bytes at once. */
#ifndef CLI_SHOW_MARKDOWN_H
#define CLI_SHOW_MARKDOWN_H

#include "base/buf.h"
#include "base/err.h"

enum { MARKDOWN_BLOCK = 16 << 10, MARKDOWN_ROWS = 4 << 20 };

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

/* Words that stream. */
struct markdown {
	struct buf open; /* owned; from the start of the block that has not ended */
	size_t looked;	 /* bytes of it whose lines were looked at */
	size_t cut;	 /* where a block may end; 0 = nowhere yet */
	char fence[4];	 /* what ends the code that is open; "" = none is */
	bool began;	 /* a block was shown before */
};

void markdown_init(struct markdown *m);
void markdown_done(struct markdown *m);

/** markdown_add() - more words; rows of the blocks that they end are appended to @stay,
 *  those of the block that is open to @open */
void markdown_add(struct markdown *m, const char *s, size_t len,
		  const struct markdown_look *look, struct buf *stay, struct buf *open);
/** markdown_open() - the rows of the open block alone: the size is another */
void markdown_open(const struct markdown *m, const struct markdown_look *look,
		   struct buf *open);
/** markdown_end() - no more words: the rest to @stay; another text may begin */
void markdown_end(struct markdown *m, const struct markdown_look *look,
		  struct buf *stay);

#endif
