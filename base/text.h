/* text - strings for people: escaping of foreign bytes, UTF-8, sizes, times.
 * Needs:  nothing.
 * Owns:   nothing.
 * Never:  trusts its input; lets a control character reach a terminal. */
#ifndef BASE_TEXT_H
#define BASE_TEXT_H

#include <stdint.h>

#include "base/buf.h"

/**
 * text_escape() - append @s with what is hidden, invalid UTF-8 and backslashes as \n,
 *                 \t, \\ or \xNN: one printable line, whatever came in
 */
int text_escape(struct buf *out, const char *s, size_t len);

/** text_escaped() - the same into a fixed buffer, cut with "…" when too long; @out */
char *text_escaped(char *out, size_t size, const char *s, size_t len);

enum { TEXT_SHOWN_MAX = 256 };
char *text_show(char out[TEXT_SHOWN_MAX], const char *s);
/** text_shown() - a string as a message shows it: escaped, and cut when it is longer than
 *  TEXT_SHOWN_MAX; lives as long as the block that it is written in */
#define text_shown(s) text_show((char[TEXT_SHOWN_MAX]){ "" }, s)

#define TEXT_REPLACEMENT "\xef\xbf\xbd" /* U+FFFD */

/** text_utf8() - append @s with every invalid byte replaced by U+FFFD */
int text_utf8(struct buf *out, const char *s, size_t len);

/** text_seen() - append @s with what is hidden as <U+202E>, for a terminal, or for a page
 *  (@html); newlines and tabs stay */
void text_seen(struct buf *out, const char *s, size_t len, bool html);

/**
 * text_utf8_len() - length of the UTF-8 sequence at @s
 * Return: 1 to 4; 0 = the sequence is cut off at @len; -1 = invalid byte at @s.
 */
int text_utf8_len(const char *s, size_t len);

/** text_whole() - how many bytes of @s there are before a character that is cut off at its end */
size_t text_whole(const char *s, size_t len);

/** text_decode() - the character at @s; returns as text_utf8_len() */
int text_decode(const char *s, size_t len, unsigned *ret);
/** text_encode() - @c, which is below 0x110000, in UTF-8; returns its 1 to 4 bytes */
size_t text_encode(unsigned c, char ret[4]);

/** text_turns() - a mark that turns the direction of the text around it */
bool text_turns(unsigned c);

/**
 * text_hidden() - a person does not see that it is there: a control character, a mark
 *                 of direction, what has no width
 * @before: the character in front of it; 0 = none. What joins or varies the picture in
 *          front of it, or letters of a script that is written so, is seen there.
 */
bool text_hidden(unsigned before, unsigned c);

enum { TEXT_FIGURE = 32 };
char *text_put_bytes(char *out, size_t size, uint64_t n);
/** text_bytes() - 1536 → "1.5 KiB"; lives as text_shown() */
#define text_bytes(n) text_put_bytes((char[TEXT_FIGURE]){ "" }, TEXT_FIGURE, n)

char *text_put_ms(char *out, size_t size, uint64_t ms);
/** text_ms() - 72000 → "1m12s", 350 → "0.4s"; lives as text_shown() */
#define text_ms(ms) text_put_ms((char[TEXT_FIGURE]){ "" }, TEXT_FIGURE, ms)

/** text_setting() - the next line of a text of settings: ended in place, without the blanks
 *  before it; those that are empty or begin with '#' are left out. NULL: no more
 *  @number: of the line before, then of this */
char *text_setting(char **rest, unsigned *number);

/** text_line() - the next line of a text that comes from a file, without its end; empty when
 *  it is not shorter than @size. false: there is none. */
bool text_line(const char **rest, char *ret, size_t size);

/** text_time() - seconds and nanoseconds since 1970 as RFC 3339 UTC with ms; @out */
char *text_time(char *out, size_t size, int64_t sec, long nsec);

/** text_copy() - strlcpy: always terminated; 0 or -ENAMETOOLONG (and cut) */
int text_copy(char *out, size_t size, const char *s);

/** text_order() - of two elements of a list of strings, for qsort() */
int text_order(const void *a, const void *b);

/** text_is_word() - letters, digits, '_' and '-', at least one and fewer than @size */
bool text_is_word(const char *s, size_t size);

bool text_starts(const char *s, const char *prefix);
bool text_ends(const char *s, const char *suffix);

/** text_is_in() - is @path, as it is spelt, @dir or below it? */
bool text_is_in(const char *path, const char *dir);
/** text_is_below() - is it below @dir, and not @dir itself? */
bool text_is_below(const char *path, const char *dir);

#endif
