/* about - what the server says of itself: health, configuration, its routes, metrics.
 * Needs:  an exchange (exchange.h).
 * Owns:   nothing.
 * Never:  says anything of a box without its key. */
#ifndef AGENT_SERVER_ABOUT_ABOUT_H
#define AGENT_SERVER_ABOUT_ABOUT_H

#include "agent/server/exchange/route.h"

extern const struct route_table about_routes;
/* where the server was given something to say of the machine: a tool of the model */
extern const struct route_table about_info_routes;

#endif
