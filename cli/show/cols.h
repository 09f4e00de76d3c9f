/* cols - how many columns of a terminal text takes. Pure.
 * Needs:  UTF-8; what is none takes a column a byte.
 * Owns:   nothing.
 * Never:  asks a locale: most commands have none. */
#ifndef CLI_SHOW_COLS_H
#define CLI_SHOW_COLS_H

#include <stddef.h>

/** cols_char() - 0 for what joins the character before it, 2 for East Asian wide
 *  characters and pictures, else 1 */
unsigned cols_char(unsigned c);

/** cols_text() - of @s; sequences of styles (ESC [ … m) take none */
size_t cols_text(const char *s, size_t len);

/** cols_cut() - bytes of @s that take at most @cols, never half a character */
size_t cols_cut(const char *s, size_t len, size_t cols);

#endif
