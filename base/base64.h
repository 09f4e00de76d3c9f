/* base64 - bytes as text (RFC 4648, with padding).
 * Needs:  nothing; it is pure.
 * Owns:   nothing.
 * Never:  breaks lines. */
#ifndef BASE_BASE64_H
#define BASE_BASE64_H

#include "base/buf.h"

/** base64_add() - append @data to @out; 0 or what buf_add() returns */
int base64_add(struct buf *out, const void *data, size_t len);

#endif
