/* page - the page at "/": its files, out of a directory.
 * Needs:  server_conf.page.
 * Owns:   nothing.
 * Never:  gives out another file than those of its table. */
#ifndef AGENT_SERVER_PAGE_PAGE_H
#define AGENT_SERVER_PAGE_PAGE_H

#include "agent/server/exchange/route.h"

extern const struct route_table page_routes;

#endif
