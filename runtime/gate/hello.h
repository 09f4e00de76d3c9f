/* gate_hello - which names the first bytes of a connection say: the server names of a TLS
 * ClientHello, or the hosts of an HTTP/1 request.
 * Needs:  all bytes from the first on, as far as they are known.
 * Owns:   nothing; the same bytes always give the same answer.
 * Never:  decrypts, or knows what comes after the first ClientHello or request.
 *
 * The bytes come from programs of the box, which may lie in any way: what a lenient server
 * could read otherwise than we do is GATE_HELLO_BAD. Other protocols are told from these two
 * by their first bytes, with no need for more than they send before they wait. */
#ifndef RUNTIME_GATE_HELLO_H
#define RUNTIME_GATE_HELLO_H

#include <stddef.h>

#include "base/def.h"

enum {
	GATE_HELLO_MAX = 16 << 10, /* bytes; who has said no more by then is refused */
	GATE_HELLO_NAMES = 4,
	GATE_HELLO_NAME = 256
};

enum gate_hello_verdict {
	GATE_HELLO_MORE,  /* could still become either */
	GATE_HELLO_OTHER, /* neither TLS nor HTTP/1 */
	GATE_HELLO_DONE,  /* all names are there, maybe none */
	GATE_HELLO_BAD	  /* TLS or HTTP/1, and cannot be read in one way only */
};

struct gate_hello {
	const char *protocol; /* "TLS", "HTTP"; static; NULL: neither, or not known */
	unsigned n;
	struct gate_hello_name {
		char host[GATE_HELLO_NAME]; /* lower case, no final dot, no brackets */
		uint16_t port;		    /* 0 = it says none */
		bool target; /* of a request to a proxy, which goes there in turn */
	} names[GATE_HELLO_NAMES];
};

/** gate_hello_parse() - @ret holds the names that are known so far, in any case; of more than
 *  GATE_HELLO_MAX bytes those are read, and the answer is never GATE_HELLO_MORE */
enum gate_hello_verdict gate_hello_parse(const void *data, size_t len,
					 struct gate_hello *ret);

#endif
