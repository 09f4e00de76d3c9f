/* The last events of a session's streams, for a client that lost one and asks for what came
 * after. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "agent/server/mcp/impl.h"

enum { BYTES = 4 << 20 };

static void drop_oldest(struct mcp_events *all)
{
	struct mcp_event *e = &all->list[all->first];

	all->bytes -= e->len;
	free(e->text);
	all->first = (all->first + 1) % MCP_EVENTS;
	all->count--;
}

void mcp_events_done(struct mcp_events *all)
{
	while (all->count)
		drop_oldest(all);
}

static void send_event(struct exchange *x, const struct mcp_event *e)
{
	char head[96];
	int n = snprintf(head, sizeof(head),
			 "id: %" PRIu64 "-%" PRIu64 "\nevent: message\ndata: ",
			 e->stream, e->number);

	exchange_write(x, head, (size_t)n);
	exchange_write(x, e->text, e->len);
	exchange_write(x, "\n\n", 2);
}

void mcp_events_add(struct mcp_events *all, struct exchange *x, uint64_t stream,
		    const char *text, size_t len)
{
	struct mcp_event *e;

	while (all->count == MCP_EVENTS || (all->count && all->bytes + len > BYTES))
		drop_oldest(all);
	e = &all->list[(all->first + all->count) % MCP_EVENTS];
	*e = (struct mcp_event){ stream, ++all->number, strndup(text, len), len };
	if (!e->text)
		return;
	all->count++;
	all->bytes += len;
	if (x)
		send_event(x, e);
}

void mcp_events_again(const struct mcp_events *all, struct exchange *x, uint64_t stream,
		      uint64_t number)
{
	for (size_t i = 0; i < all->count; i++) {
		const struct mcp_event *e = &all->list[(all->first + i) % MCP_EVENTS];

		if (e->stream == stream && e->number > number)
			send_event(x, e);
	}
}
