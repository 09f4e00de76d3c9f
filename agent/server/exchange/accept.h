/* accept - the connections of a server: they come, have a place or wait for one, and end.
 * Needs:  sockets that listen; the server's loop.
 * Owns:   the connections (struct server).
 * Never:  waits for a client, but for a moment at the end. */
#ifndef AGENT_SERVER_EXCHANGE_ACCEPT_H
#define AGENT_SERVER_EXCHANGE_ACCEPT_H

#include "base/def.h"
#include "base/err.h"

struct server;

/** accept_begin() - take connections from now on */
int accept_begin(struct server *s, struct err *e);
/** accept_tidy() - between two rounds of the loop: those that died go; is there a place
 *  again? */
void accept_tidy(struct server *s);
/** accept_tick() - look at their deadlines */
void accept_tick(struct server *s, uint64_t now_ms);
/** accept_end() - no more requests; what is being answered may be, for a moment */
int accept_end(struct server *s, struct err *e);
void accept_close_all(struct server *s);

#endif
