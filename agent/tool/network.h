/* tool_network - what happened on the box's network since the last look: refusals, and ports
 * on which something began to listen. Sentences for the model.
 * Needs:  a running box; silent where it has no gate.
 * Owns:   its place in the record of the monitor.
 * Never:  repeats itself; says more than a few lines at a time; fails. */
#ifndef AGENT_TOOL_NETWORK_H
#define AGENT_TOOL_NETWORK_H

#include "base/buf.h"
#include "base/json.h"

struct box;

enum { TOOL_NETWORK_PORTS = 64, TOOL_NETWORK_LINES = 6 };

struct tool_network {
	bool on;
	int64_t next; /* place in the record */
	uint16_t ports[TOOL_NETWORK_PORTS];
	size_t n_ports; /* that were seen listening */
};

/** tool_network_start() - from now on; what happened before is not told. @b may be NULL */
void tool_network_start(struct tool_network *n, struct box *b);

/** tool_network_anew() - another box has taken the place of the one before */
void tool_network_anew(struct tool_network *n);

/** tool_network_take() - append "[network: …]" lines to @out, each behind a newline */
void tool_network_take(struct tool_network *n, struct box *b, struct buf *out);

/* The two halves of tool_network_take(), from the monitor's answer. */
void tool_network_events(struct tool_network *n, const struct json *answer,
			 struct buf *out);
void tool_network_ports(struct tool_network *n, const struct json *answer,
			struct buf *out);

#endif
