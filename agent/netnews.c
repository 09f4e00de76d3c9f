#include "agent/netnews.h"

#include <string.h>

#include "runtime/box.h"

static int ask(struct box *b, int64_t since, struct json **ret)
{
	_cleanup_json_ struct json *q = json_object();
	struct err e = ERR_NONE;

	if (!q || json_set_str(q, "op", "news") < 0 ||
	    json_set_int(q, "since", since) < 0)
		return -ENOMEM;
	return box_ask(b, "net", q, ret, &e);
}

/* A failure to say it is no failure of the call that it would have been said about. */
static void say(struct buf *out, const char *text)
{
	(void)buf_addf(out, "\n[%s]", text);
}

void netnews_events(struct netnews *n, const struct json *answer, struct buf *out)
{
	const struct json *list = json_get(answer, "events");
	size_t lines = 0, left = json_len(list);

	json_each(it, list)
	{
		const char *text = json_get_str(it, "text");

		if (lines == NETNEWS_LINES)
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

static bool known(const struct netnews *n, uint16_t port)
{
	for (size_t i = 0; i < n->n_ports; i++)
		if (n->ports[i] == port)
			return true;
	return false;
}

void netnews_ports(struct netnews *n, const struct json *answer, struct buf *out)
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

		if (known(n, port) || n->n_ports == NETNEWS_PORTS)
			continue;
		n->ports[n->n_ports++] = port;
		if (out)
			(void)buf_addf(out, "\n[network: port %u is listening now]",
				       port);
	}
}

void netnews_start(struct netnews *n, struct box *b)
{
	_cleanup_json_ struct json *answer = NULL;

	*n = (struct netnews){ 0 };
	if (!b || ask(b, INT32_MAX, &answer) < 0)
		return;
	n->on = true;
	n->next = json_get_int(answer, "next", 0);
	netnews_ports(n, answer, NULL);
}

void netnews_anew(struct netnews *n)
{
	n->next = 0;
	n->n_ports = 0;
}

void netnews_take(struct netnews *n, struct box *b, struct buf *out)
{
	_cleanup_json_ struct json *answer = NULL;

	if (!n->on || ask(b, n->next, &answer) < 0)
		return;
	netnews_events(n, answer, out);
	netnews_ports(n, answer, out);
}
