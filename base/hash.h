/* hash - SHA-256, the name of every image and box, and SHA-512, as an image may be named. Door of
 * libcrypto, which is loaded at the first use of a stream: a start of cubby that hashes only a
 * short string (the key of a directory) must not pay for it.
 * Needs:  libcrypto.so.3 at run time for streams.
 * Owns:   its state.
 * Never:  compares secrets. */
#ifndef BASE_HASH_H
#define BASE_HASH_H

#include "base/err.h"
#include "base/scope.h"

enum { HASH_HEX = 65 };	      /* 64 hex digits and a NUL */
enum { HASH_LONG_HEX = 129 }; /* of SHA-512 */

/** hash_preload() - load libcrypto now; whoever gives up its root first calls this before
 *  a stream. Return: 0, or what dl_load() failed with. */
int hash_preload(struct err *e);

struct hash;
int hash_new(struct hash **ret, struct err *e);
void hash_free(struct hash **h);
#define _cleanup_hash_ _cleanup_(hash_free)
int hash_update(struct hash *h, const void *data, size_t len, struct err *e);
/** hash_final() - the digest as lower-case hex; the stream takes no more after it */
int hash_final(struct hash *h, char ret[HASH_HEX], struct err *e);

/** hash_new_long() - of SHA-512 */
int hash_new_long(struct hash **ret, struct err *e);
/** hash_final_long() - of either: as many digits as it has */
int hash_final_long(struct hash *h, char ret[HASH_LONG_HEX], struct err *e);

/** hash_text() - digest of a short string (a path, a body) in one call */
void hash_text(const void *data, size_t len, char ret[HASH_HEX]);

/** hash_valid() - true for 64 lower-case hex digits and nothing else */
bool hash_valid(const char *hex);

#endif
