/* relay - the head of an answer that a program of a box gave, made fit for a connection
 * that another user's requests may share.
 * Needs:  nothing: pure.
 * Owns:   nothing.
 * Never:  lets the program say how long the connection lives, or where its answer ends in
 *         two ways; passes on what makes a proxy in front fetch something else. */
#ifndef AGENT_SERVER_RELAY_H
#define AGENT_SERVER_RELAY_H

#include "base/buf.h"

enum { RELAY_HEAD_MAX = 64 << 10 };

/**
 * relay_head() - read the head at the front of @in, and append what is said of it
 * @websocket: it was asked for: 101 is an answer
 * @status:    of the answer; below 200 and not 101: another head follows, @out is as it was
 * Return: bytes of @in that it took; 0: it is not complete; -EPROTO: it makes no sense;
 *         -EMSGSIZE: it is too large; -ENOMEM.
 */
ssize_t relay_head(const char *in, size_t len, bool websocket, int *status,
		   struct buf *out);

#endif
