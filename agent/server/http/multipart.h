/* multipart - the file out of a multipart/form-data body, as it comes.
 * Needs:  the boundary from the content-type.
 * Owns:   what it holds back to find the boundary: 16 KiB at the most.
 * Never:  keeps the file; takes a second one. Source: RFC 7578, RFC 2046, 5.1.1. */
#ifndef AGENT_SERVER_HTTP_MULTIPART_H
#define AGENT_SERVER_HTTP_MULTIPART_H

#include "base/buf.h"

enum { MULTIPART_BOUNDARY = 70, MULTIPART_HEAD = 8 << 10, MULTIPART_NAME = 4096 };

/* A negative return ends the reading with it. */
struct multipart_calls {
	/* the part "file" begins; @name: as the client sent it */
	int (*begin)(void *ctx, const char *name);
	int (*data)(void *ctx, const char *data, size_t len);
	int (*end)(void *ctx);
};

struct multipart {
	char delimiter[MULTIPART_BOUNDARY + 8]; /* "\r\n--BOUNDARY" */
	int state;
	bool wanted, found; /* this part is the file; there was one */
	struct buf kept;
};

/** multipart_init() - 0, or -EINVAL: not multipart/form-data, or no good boundary */
int multipart_init(struct multipart *m, const char *content_type);
void multipart_done(struct multipart *m);

/** multipart_feed() - 0; -EBADMSG: malformed, or a name that is too long; or what a call
 *  returned */
int multipart_feed(struct multipart *m, const char *data, size_t len,
		   const struct multipart_calls *calls, void *ctx);

/** multipart_complete() - the end was there, and a file */
bool multipart_complete(const struct multipart *m);

#endif
