/* login - a password, as clients of Jupyter have it: the key, shown once, and then a cookie
 * for the routes of ROUTE_TOKEN. Source: jupyter_server, auth/login.py and its "_xsrf".
 * Needs:  keys of a server.
 * Owns:   the sessions, in struct server.
 * Never:  believes a cookie without the header X-XSRFToken beside it, which no page of
 *         another origin can set; tells a wrong password from another by the time it takes. */
#ifndef AGENT_SERVER_EXCHANGE_LOGIN_H
#define AGENT_SERVER_EXCHANGE_LOGIN_H

#include <stdint.h>

#include "agent/server/exchange/route.h"

struct exchange;
struct key;

enum {
	LOGIN_SESSIONS = 32,	  /* the one that was not used for longest goes */
	LOGIN_IDLE_MS = 43200000, /* and one of which nothing was heard for 12 hours */
	LOGIN_WRONG = 10,	  /* passwords, */
	LOGIN_WINDOW_MS = 60000,  /* in that time */
	LOGIN_ID = 65,		  /* digits and a NUL */
	LOGIN_BODY_MAX = 4 << 10
};

struct logins {
	struct {
		char id[LOGIN_ID];     /* "" = none */
		const struct key *key; /* borrowed */
		uint64_t used_ms;
	} list[LOGIN_SESSIONS];
	uint64_t since_ms; /* when the first of these was counted: */
	unsigned wrong;
};

/** login_key() - whose session the request's cookie is of; NULL = none */
const struct key *login_key(struct exchange *x);

extern const struct route_table login_routes;

#endif
