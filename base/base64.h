/* base64 - bytes as text (RFC 4648, with padding).
 * Needs:  nothing; it is pure.
 * Owns:   nothing.
 * Never:  breaks lines; takes what lacks its padding. */
#ifndef BASE_BASE64_H
#define BASE_BASE64_H

#include "base/buf.h"

/* The text of so many bytes, with its NUL. */
#define BASE64_SIZE(bytes) (((bytes) + 2) / 3 * 4 + 1)

/** base64_text() - @out, of BASE64_SIZE(@len) bytes, filled */
char *base64_text(char *out, const void *data, size_t len);

/** base64_add() - append @data to @out; 0 or what buf_reserve() returns */
int base64_add(struct buf *out, const void *data, size_t len);

/** base64_get() - append the bytes that @text stands for; blanks in it count for nothing
 *  Return: 0, -EINVAL (some bytes were added then), or what buf_add() returns. */
int base64_get(struct buf *out, const char *text, size_t len);

#endif
