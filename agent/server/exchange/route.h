/* route - the table of what the server answers: method, path, right, function.
 * Needs:  rows that outlive the server.
 * Owns:   nothing.
 * Never:  decodes a '/' into a separator: "%2F" stays within its parameter. */
#ifndef AGENT_SERVER_EXCHANGE_ROUTE_H
#define AGENT_SERVER_EXCHANGE_ROUTE_H

#include "base/buf.h"
#include "base/err.h"

struct exchange;

/* Whom a route answers. */
enum route_right {
	ROUTE_ANYBODY, /* no key is asked for */
	ROUTE_KEY,     /* the server's key, in "Authorization: Bearer" */
	ROUTE_TOKEN,   /* the same, and as clients of Jupyter have it: "Authorization:
			  token", or "token" in the query */
	ROUTE_HOLDER,  /* the server's key, but not for a user of a service (X-User-Id):
			  a service passes on what its users ask for, with its key */
	ROUTE_FIRST    /* a WebSocket whose first message has the key: the handler asks
			  exchange_key_is() */
};

enum route_body {
	ROUTE_NO_BODY, /* what comes is thrown away before the handler runs */
	ROUTE_JSON,    /* read and parsed before: exchange_json(). None = NULL */
	ROUTE_STREAM   /* to hooks.body as it comes: exchange_later() */
};

/**
 * route_fn() - answer, or take hooks (exchange_later()) and answer later
 * Return: 0; negative: @e becomes the answer (exchange.h says which status that is).
 */
typedef int route_fn(struct exchange *x, struct err *e);

struct route {
	const char *method; /* "GET"; "WEBSOCKET" = an upgrade to one; "*" = any */
	const char
		*path; /* "/execute/{id}/status"; a last "{rest*}" takes slashes, too */
	route_fn *run;
	enum route_right right;
	enum route_body body;
	bool box;	       /* runs when the caller's box does: exchange_tenant() */
	const char *operation; /* operationId in /openapi.json, which makes it a tool of
				  the model: its description is in openapi.json. NULL.
				  Of a ROUTE_HOLDER: in /v1/openapi.json and rest.json */
	const void *how;       /* what @run makes of it: exchange_route() */
};

struct route_table {
	const struct route *rows; /* borrowed */
	size_t count;
};

enum { ROUTE_PARAMS = 3, ROUTE_PARAM_NAME = 24 };

struct route_match {
	const struct route *route; /* borrowed; NULL = none */
	bool path_known;	   /* another method would have had one */
	struct {
		char name[ROUTE_PARAM_NAME];
		char *value; /* owned; decoded */
	} params[ROUTE_PARAMS];
	unsigned count;
};
void route_match_done(struct route_match *m);

/**
 * route_find() - the row for a request
 * @path: as it came, without the query; outlives @ret
 * Return: 0 (look at ret->route), -EINVAL (a bad "%XX", or a NUL), -ENOMEM.
 */
int route_find(const struct route_table *tables, size_t n, const char *method,
	       const char *path, struct route_match *ret);

/**
 * route_query() - the @nth value of a name in a query, decoded
 * Return: 1 and @ret filled; 0: there is none; -EINVAL, -ENOMEM, -EMSGSIZE.
 */
int route_query(const char *query, const char *name, unsigned nth, struct buf *ret);
/** route_query_is_text() - is each "%XX" in it one, and none a NUL? */
bool route_query_is_text(const char *query);

#endif
