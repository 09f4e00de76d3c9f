/* rest - /v1: what the person at the terminal may, by cubby's own commands.
 * Needs:  an exchange; server_conf.command.
 * Owns:   nothing.
 * Never:  is for a user of a service. */
#ifndef AGENT_SERVER_V1_REST_H
#define AGENT_SERVER_V1_REST_H

#include "agent/server/exchange/route.h"

extern const struct route_table rest_routes;

#endif
