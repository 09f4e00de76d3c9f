/* nethello - which names the first bytes of a connection say: the server names of a TLS
 * ClientHello, or the hosts of an HTTP/1 request.
 * Needs:  all bytes from the first on, as far as they are known.
 * Owns:   nothing; the same bytes always give the same answer.
 * Never:  decrypts, or knows what comes after the first ClientHello or request.
 *
 * The bytes come from programs of the box, which may lie in any way: what a lenient server
 * could read otherwise than we do is NETHELLO_BAD. Other protocols are told from these two
 * by their first bytes, with no need for more than they send before they wait. */
#ifndef RUNTIME_NETHELLO_H
#define RUNTIME_NETHELLO_H

#include <stddef.h>

#include "base/def.h"

enum {
	NETHELLO_MAX = 16 << 10, /* bytes; who has said no more by then is refused */
	NETHELLO_NAMES = 4,
	NETHELLO_NAME = 256
};

enum nethello_verdict {
	NETHELLO_MORE,	/* could still become either */
	NETHELLO_OTHER, /* neither TLS nor HTTP/1 */
	NETHELLO_DONE,	/* all names are there, maybe none */
	NETHELLO_BAD	/* TLS or HTTP/1, and cannot be read in one way only */
};

struct nethello {
	const char *protocol; /* "TLS", "HTTP"; static; NULL: neither, or not known */
	unsigned n;
	struct nethello_name {
		char host[NETHELLO_NAME]; /* lower case, no final dot, no brackets */
		uint16_t port;		  /* 0 = it says none */
		bool target; /* of a request to a proxy, which goes there in turn */
	} names[NETHELLO_NAMES];
};

/** nethello_parse() - @ret holds the names that are known so far, in any case; of more than
 *  NETHELLO_MAX bytes those are read, and the answer is never NETHELLO_MORE */
enum nethello_verdict nethello_parse(const void *data, size_t len,
				     struct nethello *ret);

#endif
