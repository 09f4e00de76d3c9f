/* mdstream - Markdown as rows of a terminal, while it streams.
 * Needs:  the words of a model, cut anywhere.
 * Owns:   the block whose end has not come.
 * Never:  parses more than MDSTREAM_BLOCK bytes at once; takes back a row that stays. */
#ifndef CLI_SHOW_MDSTREAM_H
#define CLI_SHOW_MDSTREAM_H

#include "cli/show/markdown.h"

enum { MDSTREAM_BLOCK = 16 << 10 };

struct mdstream {
	struct buf open; /* owned; from the start of the block that has not ended */
	size_t looked;	 /* bytes of it whose lines were looked at */
	size_t cut;	 /* where a block may end; 0 = nowhere yet */
	char fence[4];	 /* what ends the code that is open; "" = none is */
	bool began;	 /* a block was shown before */
};

void mdstream_init(struct mdstream *m);
void mdstream_done(struct mdstream *m);

/** mdstream_add() - more words; rows of the blocks that they end are appended to @stay,
 *  those of the block that is open to @open */
void mdstream_add(struct mdstream *m, const char *s, size_t len,
		  const struct markdown_look *look, struct buf *stay, struct buf *open);
/** mdstream_open() - the rows of the open block alone: the size is another */
void mdstream_open(const struct mdstream *m, const struct markdown_look *look,
		   struct buf *open);
/** mdstream_end() - no more words: the rest to @stay; another text may begin */
void mdstream_end(struct mdstream *m, const struct markdown_look *look,
		  struct buf *stay);

#endif
