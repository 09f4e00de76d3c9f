/* run - what runs in a box for a client: commands, terminals, and programs behind ports.
 * Needs:  an exchange whose tenant's box is open.
 * Owns:   nothing.
 * Never:  waits for any of them. */
#ifndef AGENT_SERVER_RUN_RUN_H
#define AGENT_SERVER_RUN_RUN_H

#include "agent/server/exchange/route.h"

extern const struct route_table execute_routes, ports_routes, proxy_routes,
	terminal_routes;

#endif
