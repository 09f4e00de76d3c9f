#include <stdio.h>
#include <string.h>

#include "base/num.h"
#include "cli/box/asked.h"
#include "cli/box/setup.h"
#include "cli/opt/cmd.h"
#include "cli/opt/words.h"
#include "cli/show/render.h"
#include "cli/show/table.h"

struct args {
	struct words publish, unpublish; /* owned */
};

static const struct table_column columns[] = {
	{ "PORT", "port", TABLE_NUMBER },
	{ "LISTENS ON", "address", TABLE_TEXT },
	{ "HOST", "host", TABLE_TEXT },
};

static int ask(struct box *b, const char *op, uint64_t host_port, struct json **ret,
	       struct err *e)
{
	_cleanup_json_ struct json *q = json_object();

	json_set_str(q, "op", op);
	json_set_int(q, "host_port", (int64_t)host_port);
	return json_failed(q) < 0 ? err_sys(e, -ENOMEM, "cannot ask about ports")
				  : box_ask(b, "net", q, ret, e);
}

static int change(const struct app *app, struct box *b, const struct args *a,
		  struct err *e)
{
	for (size_t i = 0; i < a->unpublish.n; i++) {
		uint64_t port = 0;
		int r;

		(void)num_u64(a->unpublish.v[i], &port); /* check_port() has */
		r = ask(b, "unpublish", port, NULL, e);
		if (r < 0)
			return r;
	}
	for (size_t i = 0; i < a->publish.n; i++) {
		int r = asked_publish(b, a->publish.v[i], render_note_line,
				      (void *)(uintptr_t)app, e);

		if (r < 0)
			return r;
	}
	return 0;
}

static const char *host_of(const struct json *published, char *out, size_t size)
{
	const char *addr = json_get_str(published, "address");

	if (!addr)
		return NULL;
	snprintf(out, size, strchr(addr, ':') ? "[%s]:%lld" : "%s:%lld", addr,
		 (long long)json_get_int(published, "host_port", 0));
	return out;
}

static bool has_port(const struct json *list, int64_t port)
{
	json_each(it, list) if (json_get_int(it, "port", 0) == port) return true;
	return false;
}

static void add_row(struct table *t, int64_t port, const char *address,
		    const char *host)
{
	const struct table_cell cells[ARRAY_SIZE(columns)] = {
		{ .n = port },
		{ .text = address },
		{ .text = host },
	};

	table_add(t, cells);
}

/* A row for each way to the port that the host has. */
static void add_published(struct table *t, const struct json *outside, int64_t port,
			  const char *address)
{
	char host[96];

	json_each(it, outside)
	{
		if (json_get_int(it, "port", 0) == port)
			add_row(t, port, address, host_of(it, host, sizeof(host)));
	}
}

/* What listens, with the host's addresses if it has some; then what is published although
 * nothing listens there yet. */
static void add_rows(struct table *t, const struct json *answer)
{
	const struct json *inside = json_get(answer, "listening");
	const struct json *outside = json_get(answer, "published");
	char host[96];

	json_each(it, inside)
	{
		int64_t port = json_get_int(it, "port", 0);
		const char *address = json_get_str(it, "address");

		if (has_port(outside, port))
			add_published(t, outside, port, address);
		else
			add_row(t, port, address, NULL);
	}
	json_each(it, outside)
	{
		int64_t port = json_get_int(it, "port", 0);

		if (!has_port(inside, port))
			add_row(t, port, NULL, host_of(it, host, sizeof(host)));
	}
}

static int work(struct app *app, void *args, struct err *e)
{
	const struct args *a = args;
	_cleanup_boxsetup_ struct boxsetup s = BOXSETUP(app);
	_cleanup_json_ struct json *answer = NULL;
	_cleanup_table_ struct table *t = table_new(columns, ARRAY_SIZE(columns));
	int r = boxsetup_running(&s, e);

	if (r < 0)
		return r;
	r = change(app, s.box, a, e);
	if (r < 0)
		return r;
	r = ask(s.box, "ports", 0, &answer, e);
	if (r < 0)
		return r;
	add_rows(t, answer);
	return table_show(t, app, 0, "nothing listens in this box", "list the ports",
			  e);
}

static int check_publish(struct app *, void *, const char *text, struct err *e)
{
	return config_check(CONFIG_PUBLISH, text, e);
}

static int check_port(struct app *, void *, const char *text, struct err *e)
{
	uint64_t port;

	return num_range(text, 1, 65535, &port) < 0
		       ? err_set(e, -EINVAL,
				 "bad port '%s'; 'cubby ports' lists what is published",
				 text)
		       : 0;
}

static const struct cmd_option options[] = {
	{ "publish", 'p', "[IP:]HOSTPORT:PORT",
	  "let the host reach PORT of the box (HOSTPORT 0: any that is free)",
	  CMD_LIST_IF(struct args, publish, check_publish) },
	{ "unpublish", 0, "HOSTPORT", "end that",
	  CMD_LIST_IF(struct args, unpublish, check_port) },
	{ 0 },
};

const struct cmd cmd_ports = {
	.name = "ports",
	.group = CMD_NETWORK,
	.summary = "list the ports on which the box listens, or publish one",
	.doc = "List the TCP ports on which the running box listens and those that "
	       "the host can reach, or publish a port until the box stops.",
	.options = options,
	.size = sizeof(struct args),
	.work = work,
};
