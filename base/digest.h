/* digest - what content is called by its sum: "sha256:" or "sha512:", and the digits.
 * Needs:  libcrypto at run time, to sum up.
 * Owns:   nothing.
 * Never:  takes another algorithm, or digits that are not lower case: a name of a file is made of
 *         it. */
#ifndef BASE_DIGEST_H
#define BASE_DIGEST_H

#include "base/hash.h"

enum { DIGEST_TEXT = sizeof("sha512:") + HASH_LONG_HEX - 1, DIGEST_SHORT = 7 + 12 };

struct digest {
	char text[DIGEST_TEXT]; /* "" = none */
};

/** digest_parse() - Return: 0, or -EINVAL: another algorithm, or not as many digits as it has. */
int digest_parse(const char *text, struct digest *ret, struct err *e);

/** digest_sha256() - of 64 digits */
struct digest digest_sha256(const char hex[HASH_HEX]);

/** digest_path() - below blobs/ of an OCI layout: "sha256/HEX" */
void digest_path(const struct digest *d, char ret[DIGEST_TEXT]);

/** digest_kept() - as a store writes it: of sha256 the digits alone. Borrowed from @d */
const char *digest_kept(const struct digest *d);

/** digest_name() - what a store calls a directory of it: 64 digits, of sha512 the first ones,
 *  which are as hard to come by */
void digest_name(const struct digest *d, char ret[HASH_HEX]);

/** digest_begin() - a stream that is summed up as @like is */
int digest_begin(const struct digest *like, struct hash **ret, struct err *e);

/** digest_end() - its digest; @h takes no more after it */
int digest_end(struct hash *h, struct digest *ret, struct err *e);

/** digest_of() - of what is at hand, as @like is */
int digest_of(const struct digest *like, const void *data, size_t len,
	      struct digest *ret, struct err *e);

#endif
