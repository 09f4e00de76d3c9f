/* relay - the answer that a program of a box gave, made fit for a connection that another
 * user's requests may share.
 * Needs:  nothing: pure.
 * Owns:   nothing.
 * Never:  lets the program say how long the connection lives, or where its answer ends in
 *         two ways; passes on what makes a proxy in front fetch something else, or what
 *         comes behind the end. */
#ifndef AGENT_SERVER_HTTP_RELAY_H
#define AGENT_SERVER_HTTP_RELAY_H

#include "agent/server/http/chunked.h"
#include "base/buf.h"

enum { RELAY_HEAD_MAX = 64 << 10 };

/* What is asked for, and what comes of it. */
struct relay {
	bool websocket; /* it was asked for: 101 is an answer */
	bool to_head;	/* HEAD was asked: there is no body */
	int status;	/* of the answer; below 200 and not 101: another head follows */
	bool whole;	/* all of it has come */

	/* private */
	unsigned interim; /* heads that came before it */
	bool chunks;
	int64_t left; /* of a body with a length; -1 = to the end */
	struct chunked at;
};

/**
 * relay_head() - read the head at the front of @in, and append what is said of it
 * @out: as it was, if another head follows
 * Return: bytes of @in that it took; 0: it is not complete; -EPROTO: it makes no sense;
 *         -EMSGSIZE: it is too large; -ENOMEM.
 */
ssize_t relay_head(struct relay *r, const char *in, size_t len, struct buf *out);

/**
 * relay_body() - how much of @in, which follows, belongs to the answer
 * Return: bytes from its front; -EPROTO: it is no body as the head has said.
 */
ssize_t relay_body(struct relay *r, const char *in, size_t len);

#endif
