/* sha1 - the digest that git and WebSocket sum with; it keeps no secret and proves nothing.
 * Needs:  nothing.
 * Owns:   nothing.
 * Never:  is used where somebody could gain by two texts with one digest. */
#ifndef BASE_SHA1_H
#define BASE_SHA1_H

#include "base/def.h"

enum { SHA1_SIZE = 20 };

/** sha1_digest() - SHA-1 of @len bytes (FIPS 180-4) */
void sha1_digest(const void *data, size_t len, uint8_t ret[SHA1_SIZE]);

#endif
