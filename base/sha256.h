/* sha256 - the digest of a short string without libcrypto (docs/adr/0003).
 * Needs:  nothing.
 * Owns:   nothing.
 * Never:  is used for files: hash.c has the fast one, and streams. */
#ifndef BASE_SHA256_H
#define BASE_SHA256_H

#include "base/def.h"

enum { SHA256_SIZE = 32 };

/** sha256_digest() - SHA-256 of @len bytes (FIPS 180-4) */
void sha256_digest(const void *data, size_t len, uint8_t ret[SHA256_SIZE]);

#endif
