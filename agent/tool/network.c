#include "agent/tool/network.h"

#include <string.h>

#include "runtime/box/box.h"

static int ask(struct box *b, int64_t since, struct json **ret)
{
	_cleanup_json_ struct json *q = json_object();

	json_set_str(q, "op", "news");
	json_set_int(q, "since", since);
	return json_failed(q) ?: box_ask(b, "net", q, ret, ERR_IGNORED);
}

/* A failure to say it is no failure of the call that it would have been said about. */
static void say(struct buf *out, const char *text)
{
	(void)buf_addf(out, "\n[%s]", text);
}

void tool_network_events(struct tool_network *n, const struct json *answer,
			 struct buf *out)
{
	const struct json *list = json_get(answer, "events");
	size_t lines = 0, left = json_len(list);

	json_each(it, list)
	{
		const char *text = json_get_str(it, "text");

		if (lines == TOOL_NETWORK_LINES)
			break;
		left--;
		lines++;
		if (text)
			say(out, text);
	}
	if (left)
		(void)buf_addf(out, "\n[network: %zu more refusals]", left);
	n->next = json_get_int(answer, "next", n->next);
}

static bool listening(const struct json *list, uint16_t port)
{
	json_each(it, list) if (json_get_int(it, "port", 0) == port) return true;
	return false;
}

/* With where, if that is one address of many. */
static void say_port(const struct json *list, const struct json *one, uint16_t port,
		     struct buf *out)
{
	const char *at = json_get_str(one, "address");
	bool all = !at || strcmp(at, "0.0.0.0") == 0 || strcmp(at, "::") == 0;

	json_each(it, list) all |= it != one && json_get_int(it, "port", 0) == port;

	(void)buf_addf(out, "\n[network: port %u is listening now%s%s%s]", port,
		       all ? "" : ", on ", all ? "" : at, all ? "" : " only");
}

static bool known(const struct tool_network *n, uint16_t port)
{
	for (size_t i = 0; i < n->n_ports; i++)
		if (n->ports[i] == port)
			return true;
	return false;
}

void tool_network_ports(struct tool_network *n, const struct json *answer,
			struct buf *out)
{
	const struct json *list = json_get(answer, "listening");
	size_t kept = 0;

	if (!list)
		return;
	for (size_t i = 0; i < n->n_ports; i++) /* a port may come again */
		if (listening(list, n->ports[i]))
			n->ports[kept++] = n->ports[i];
	n->n_ports = kept;
	json_each(it, list)
	{
		uint16_t port = (uint16_t)json_get_int(it, "port", 0);

		if (known(n, port) || n->n_ports == TOOL_NETWORK_PORTS)
			continue;
		n->ports[n->n_ports++] = port;
		if (out)
			say_port(list, it, port, out);
	}
}

void tool_network_start(struct tool_network *n, struct box *b)
{
	_cleanup_json_ struct json *answer = NULL;

	*n = (struct tool_network){ 0 };
	if (!b || ask(b, INT32_MAX, &answer) < 0)
		return;
	n->on = true;
	n->next = json_get_int(answer, "next", 0);
	tool_network_ports(n, answer, NULL);
}

void tool_network_anew(struct tool_network *n)
{
	n->next = 0;
	n->n_ports = 0;
}

void tool_network_take(struct tool_network *n, struct box *b, struct buf *out)
{
	_cleanup_json_ struct json *answer = NULL;

	if (!n->on || ask(b, n->next, &answer) < 0)
		return;
	tool_network_events(n, answer, out);
	tool_network_ports(n, answer, out);
}
