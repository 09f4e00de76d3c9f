/* The client that starts the box, on the socket that it left here: what the person should
 * know, until the box is there. Then it is a client like all others. */
#include <string.h>

#include "runtime/monitor/impl.h"

void monitor_starter_say(uint32_t type, const void *body, size_t len)
{
	struct wire_head head = { .type = type, .len = (uint32_t)len };

	wire_send(MONITOR_STARTER, &head, body, NULL, 0);
}

void monitor_starter_note(void *, const char *line)
{
	monitor_starter_say(WIRE_NOTE, line, strlen(line));
}
