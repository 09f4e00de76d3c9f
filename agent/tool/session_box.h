/* session_box - the port of a session that starts its shell in a box.
 * Needs:  a running box.
 * Owns:   nothing: shells belong to their sessions, the box to the caller.
 * Never:  waits for an exit. */
#ifndef AGENT_TOOL_SESSION_BOX_H
#define AGENT_TOOL_SESSION_BOX_H

#include "agent/session/port.h"

struct box;

struct session_box {
	struct box *box; /* borrowed */
};

/** session_box_init() - @ret: the port; its ctx is @sb, which must stay where it is */
void session_box_init(struct session_box *sb, struct box *box,
		      struct session_port *ret);

#endif
