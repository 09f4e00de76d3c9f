/* jupyter - Python that stays, as clients of Jupyter, of E2B and of notebooks ask for it.
 * Needs:  an exchange whose tenant's box is open.
 * Owns:   nothing.
 * Never:  knows how an interpreter is driven: kernel.h does. */
#ifndef AGENT_SERVER_JUPYTER_JUPYTER_H
#define AGENT_SERVER_JUPYTER_JUPYTER_H

#include "agent/server/exchange/route.h"

extern const struct route_table jupyter_routes, e2b_routes, notebook_routes;

/** e2b_execute() - POST /execute of that contract */
int e2b_execute(struct exchange *x, struct err *e);

#endif
