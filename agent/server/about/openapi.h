/* openapi - /openapi.json from the tables of routes: what a model may call, and how.
 * Needs:  openapi.json beside it, which describes operations by their name.
 * Owns:   nothing.
 * Never:  shows a route that has no operation. */
#ifndef AGENT_SERVER_ABOUT_OPENAPI_H
#define AGENT_SERVER_ABOUT_OPENAPI_H

#include "agent/server/exchange/route.h"
#include "base/json.h"

/**
 * openapi_document() - @ret: owned
 * Return: 0, -ENOMEM, or -EINVAL: an operation is not described.
 */
int openapi_document(const struct route_table *tables, size_t n, const char *version,
		     struct json **ret, struct err *e);

/** openapi_own() - the same of what is cubby's own, with rest.json beside it */
int openapi_own(const struct route_table *table, const char *version, struct json **ret,
		struct err *e);

#endif
