/* wrap - text with styles becomes rows of a terminal. Pure.
 * Needs:  text of which nothing is hidden (text_hidden()) but newlines, tabs and marks.
 * Owns:   nothing.
 * Never:  breaks a word that fits into a row; leaves a style on at the end of a row.
 *
 * A mark is three bytes that no such text has: WRAP_MARK, 0x40 and bits of enum
 * wrap_style, a digit of enum wrap_color. It says how what follows looks. */
#ifndef CLI_SHOW_WRAP_H
#define CLI_SHOW_WRAP_H

#include "base/buf.h"

#define WRAP_MARK '\001'

enum wrap_style {
	WRAP_BOLD = 1,
	WRAP_DIM = 2,
	WRAP_ITALIC = 4,
	WRAP_UNDERLINE = 8,
	WRAP_STRIKE = 16
};

enum wrap_color {
	WRAP_PLAIN = 0,
	WRAP_RED = 1,
	WRAP_GREEN = 2,
	WRAP_YELLOW = 3,
	WRAP_CYAN = 6
};

/** wrap_mark() - append a mark; @style: bits of enum wrap_style */
void wrap_mark(struct buf *out, unsigned style, enum wrap_color color);

struct wrap {
	const char *first, *rest; /* in front of the first row, and of others; borrowed;
				     may have marks; NULL = "" */
	size_t cols;		  /* of a row with its front; 0 = rows are not broken */
	bool color;		  /* styles become sequences, else nothing */
	bool anywhere;		  /* not at words: code keeps its blanks */
};

/** wrap_add() - append @s as rows, each with a newline; no text is one empty row */
void wrap_add(struct buf *out, const struct wrap *w, const char *s, size_t len);

/** wrap_cols() - columns of text with marks */
size_t wrap_cols(const char *s, size_t len);

#endif
