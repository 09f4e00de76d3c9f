/* chunked - the body of a request in chunks becomes bytes.
 * Needs:  nothing: pure.
 * Owns:   nothing.
 * Never:  takes an extension of a chunk or a trailer for more than bytes to be skipped;
 *         takes a size that is not hexadecimal digits alone. Source: RFC 9112, 7.1. */
#ifndef AGENT_SERVER_HTTP_CHUNKED_H
#define AGENT_SERVER_HTTP_CHUNKED_H

#include "base/def.h"

struct chunked {
	int state;     /* 0 = at the start */
	uint64_t left; /* of a chunk */
	unsigned digits, skipped;
};

struct chunked_data {
	const char *data; /* in what was fed */
	size_t len;	  /* 0 = no data among it */
};

/**
 * chunked_feed() - take from the front of @in, up to the end of the first data in it
 * @used: bytes that were taken
 * Return: 1 = the body is complete, 0 = it goes on, -EBADMSG.
 */
int chunked_feed(struct chunked *c, const char *in, size_t len, size_t *used,
		 struct chunked_data *ret);

#endif
