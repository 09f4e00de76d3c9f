/* streams - the requests of an HTTP/2 connection, each a connection of HTTP/1.1 to this server.
 * Needs:  an exchange whose TLS chose "h2"; what came of it, in its @in.
 * Owns:   the other end of each request's connection, and what is on its way there and back.
 * Never:  knows a route, a right or a body: that is one way for all requests (conn.c). */
#ifndef AGENT_SERVER_EXCHANGE_STREAMS_H
#define AGENT_SERVER_EXCHANGE_STREAMS_H

#include "base/def.h"

struct exchange;
struct streams;

enum { STREAMS_FULL = 64 << 10 }; /* of what has not left: no more is read */

/** streams_begin() - @x is one from now on; NULL = out of memory */
struct streams *streams_begin(struct exchange *x);
void streams_free(struct streams **sp);
/** streams_take() - what is in its @in */
void streams_take(struct exchange *x);
/** streams_turn() - there is room to send */
void streams_turn(struct exchange *x);
void streams_tick(struct exchange *x, uint64_t now_ms);
/** streams_goodbye() - no more requests; what is being answered may be */
void streams_goodbye(struct exchange *x);
/** streams_end() - nothing is going on, or has to */
void streams_end(struct exchange *x);
/** streams_idle() - no request is on it */
bool streams_idle(const struct exchange *x);

#endif
