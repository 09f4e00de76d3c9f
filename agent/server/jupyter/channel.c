#include "agent/server/jupyter/channel.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/server/exchange/exchange.h"
#include "base/list.h"
#include "base/sys/sys.h"
#include "base/text.h"

enum { HEADER_MAX = 16 << 10, DATE = 40, VALUES_MAX = 64 << 10 };

struct channel {
	struct channel *next;
	struct channels *all; /* borrowed */
	struct exchange *x;
};

void channel_make_id(char ret[CHANNEL_ID])
{
	uint8_t b[16] = { 0 };
	char *p = ret;

	(void)sys_getrandom(b, sizeof(b));
	b[6] = (uint8_t)((b[6] & 0x0f) | 0x40);
	b[8] = (uint8_t)((b[8] & 0x3f) | 0x80);
	for (size_t i = 0; i < sizeof(b); i++)
		p += snprintf(p, 4, "%s%02x",
			      i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "", b[i]);
}

unsigned channel_count(const struct channels *all)
{
	unsigned n = 0;

	for (const struct channel *c = all->first; c; c = c->next)
		n++;
	return n;
}

void channel_cork(struct channels *all, bool cork)
{
	for (struct channel *c = all->first; c; c = c->next) {
		if (cork)
			exchange_cork(c->x);
		else
			exchange_uncork(c->x);
	}
}

bool channel_slow(const struct channels *all)
{
	for (const struct channel *c = all->first; c; c = c->next)
		if (exchange_backlog(c->x) > EXCHANGE_FULL)
			return true;
	return false;
}

static struct json *make_header(const struct channels *all, const char *type,
				const char *id)
{
	struct json *header = json_object();
	struct timespec now = sys_wall();
	char date[DATE];

	json_set_str(header, "msg_id", id);
	json_set_str(header, "msg_type", type);
	json_set_str(header, "username", "cubby");
	json_set_str(header, "session", all->session);
	json_set_str(header, "date",
		     text_time(date, sizeof(date), now.tv_sec, now.tv_nsec));
	json_set_str(header, "version", "5.3");
	return header;
}

/* Instead of a message that is too large: its cell has an end all the same. */
static void tell_left_out(struct channels *all, struct channel *only,
			  const struct json *parent)
{
	struct channel_message m = { "iopub", "stream", parent, json_object() };

	json_set_str(m.content, "name", "stderr");
	json_set_str(m.content, "text", "[more than 8 MiB at once: left out]\n");
	channel_tell(all, only, &m);
}

void channel_tell(struct channels *all, struct channel *only,
		  const struct channel_message *m)
{
	_cleanup_buf_ struct buf text = BUF_INIT(EXCHANGE_OUT_MAX / 2);
	_cleanup_json_ struct json *j = json_object();
	char id[CHANNEL_ID];

	channel_make_id(id);
	json_set(j, "header", make_header(all, m->type, id));
	json_set_str(j, "msg_id", id);
	json_set_str(j, "msg_type", m->type);
	json_set(j, "parent_header", m->parent ? json_dup(m->parent) : json_object());
	json_set(j, "metadata", json_object());
	json_set(j, "content", m->content);
	json_set_str(j, "channel", m->channel);
	json_set(j, "buffers", json_array());
	if (json_print(j, false, &text) < 0) {
		if (strcmp(m->type, "stream") != 0)
			tell_left_out(all, only, m->parent);
		return;
	}
	for (struct channel *c = all->first; c; c = c->next)
		if (!only || c == only)
			exchange_ws_send(c->x, EXCHANGE_TEXT, text.data, text.len);
	all->pace(all->ctx);
}

/* What is answered with the same words each time. */
static const struct fixed {
	const char *type, *reply, *content;
} fixed[] = {
	{ "kernel_info_request", "kernel_info_reply",
	  "{\"status\":\"ok\",\"protocol_version\":\"5.3\",\"implementation\":"
	  "\"cubby\","
	  "\"implementation_version\":\"1\",\"language_info\":{\"name\":\"python\","
	  "\"version\":\"3\",\"mimetype\":\"text/x-python\",\"file_extension\":\".py\","
	  "\"pygments_lexer\":\"ipython3\",\"codemirror_mode\":{\"name\":\"ipython\","
	  "\"version\":3},\"nbconvert_exporter\":\"python\"},\"banner\":\"Python in a "
	  "box\",\"help_links\":[],\"debugger\":false}" },
	{ "comm_info_request", "comm_info_reply", "{\"status\":\"ok\",\"comms\":{}}" },
	{ "is_complete_request", "is_complete_reply", "{\"status\":\"unknown\"}" },
	{ "history_request", "history_reply", "{\"status\":\"ok\",\"history\":[]}" },
	{ "interrupt_request", "interrupt_reply", "{\"status\":\"ok\"}" },
	{ "shutdown_request", "shutdown_reply", "{\"status\":\"ok\"}" },
};

bool channel_fixed(const char *type, struct channel_message *m)
{
	for (size_t i = 0; i < ARRAY_SIZE(fixed); i++)
		if (strcmp(type, fixed[i].type) == 0) {
			m->type = fixed[i].reply;
			return json_parse(fixed[i].content, strlen(fixed[i].content),
					  &m->content, ERR_IGNORED) == 0;
		}
	return false;
}

static void on_message(void *ctx, enum exchange_message kind, const char *data,
		       size_t len)
{
	_cleanup_json_ struct json *m = NULL;
	_cleanup_buf_ struct buf header = BUF_INIT(HEADER_MAX);
	struct channel *c = ctx;
	size_t values = VALUES_MAX;

	if (kind != EXCHANGE_TEXT ||
	    json_parse_within(data, len, &values, &m, ERR_IGNORED) < 0)
		return;
	/* it is sent back with all that is about it */
	if (json_print(json_get(m, "header"), false, &header) == 0)
		c->all->said(c->all->ctx, c, m);
}

static void on_gone(void *ctx)
{
	struct channel *c = ctx;
	struct channels *all = c->all;

	(void)list_drop(all->first, c);
	free(c);
	all->pace(all->ctx);
}

static void on_drained(void *ctx)
{
	const struct channel *c = ctx;

	c->all->pace(c->all->ctx);
}

static const struct exchange_hooks hooks = { .gone = on_gone,
					     .drained = on_drained,
					     .message = on_message };

int channel_add(struct channels *all, struct exchange *x, struct err *e)
{
	struct channel *c = calloc(1, sizeof(*c));

	if (!c)
		return err_sys(e, -ENOMEM, "cannot take a WebSocket");
	c->all = all;
	c->x = x;
	c->next = all->first;
	all->first = c;
	exchange_later(x, &hooks, c);
	exchange_ws_accept(x);
	return 0;
}

void channel_close_all(struct channels *all, const char *why)
{
	while (all->first) {
		struct channel *c = all->first;

		all->first = c->next;
		exchange_ws_close(c->x, 1001, why);
		free(c);
	}
}
