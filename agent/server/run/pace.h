/* pace - how much of a server's time goes into output that is gathered.
 * Needs:  a clock; pure.
 * Owns:   nothing.
 * Never:  lets floods of output, of however many programs, take more than half of it: what
 *         is asked in between is answered in the other half. */
#ifndef AGENT_SERVER_RUN_PACE_H
#define AGENT_SERVER_RUN_PACE_H

#include "agent/server/exchange/state.h"

enum { PACE_MS = 10, PACE_LEAST = 16 << 10 };

/** pace_rest() - milliseconds for which nothing is to be read now; 0 = go on */
unsigned pace_rest(struct server_pace *p, uint64_t now_ms);

#endif
