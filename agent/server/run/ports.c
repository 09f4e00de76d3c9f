/* Which ports of a box something listens on, as the monitor knows them, and whose they are,
 * as far as a program in the box may see it. Source of the contract: Open Terminal, /ports. */
#include <stdlib.h>

#include "agent/server/exchange/exchange.h"
#include "agent/server/files/fileop.h"
#include "agent/server/tenant/tenant.h"

enum { PORTS = 256, OWNERS_BYTES = 64 << 10 };

static int by_number(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

/* Each once, in their order: how many there are. */
static int listening(const struct json *told, int ports[PORTS])
{
	int n = 0, kept = 0;

	json_each(it, json_get(told, "listening"))
	{
		if (n < PORTS)
			ports[n++] = (int)json_get_int(it, "port", 0);
	}
	qsort(ports, (size_t)n, sizeof(ports[0]), by_number);
	for (int i = 0; i < n; i++)
		if (!i || ports[i] != ports[i - 1])
			ports[kept++] = ports[i];
	return kept;
}

/* @owners comes from the box: numbers and a text, or nothing. */
static struct json *describe(int port, const struct json *owners)
{
	struct json *j = json_object(), *pid = NULL, *process = NULL;

	json_each(it, owners)
	{
		int64_t number = json_get_int(it, "pid", 0);
		const char *name = json_get_str(it, "process");

		if (pid || json_get_int(it, "port", 0) != port || number <= 0)
			continue;
		pid = json_number((double)number);
		process = name ? json_string(name) : NULL;
	}
	json_set_int(j, "port", port);
	json_set(j, "pid", pid ? pid : json_null());
	json_set(j, "process", process ? process : json_null());
	return j;
}

struct asking {
	struct exchange *x;  /* borrowed */
	struct json *owners; /* owned; NULL = not known */
	struct tenant_question question;
};

static void asking_free(struct asking *a)
{
	tenant_unask(&a->question);
	json_free(&a->owners);
	free(a);
}

static void on_told(void *ctx, const struct json *told, const struct err *why)
{
	struct asking *a = ctx;
	struct exchange *x = a->x;
	struct json *j, *list;
	int ports[PORTS], n = listening(told, ports);

	exchange_later(x, NULL, NULL);
	if (told) {
		j = json_object();
		list = json_array();
		for (int i = 0; i < n; i++)
			json_add(list, describe(ports[i], a->owners));
		json_set(j, "ports", list);
		exchange_reply(x, 200, j);
	} else {
		exchange_fail_err(x, why);
	}
	asking_free(a);
}

static void on_gone(void *ctx)
{
	asking_free(ctx);
}

/* @owners is taken over. */
static int ask(struct exchange *x, struct json *owners, struct err *e)
{
	static const struct exchange_hooks hooks = { .gone = on_gone };
	_cleanup_json_ struct json *args = json_object();
	struct asking *a = calloc(1, sizeof(*a));
	int r;

	if (!a) {
		json_free(&owners);
		return err_sys(e, -ENOMEM, "cannot ask for ports");
	}
	*a = (struct asking){ x, owners, { .answered = on_told, .ctx = a } };
	json_set_str(args, "op", "ports");
	r = tenant_ask(exchange_tenant(x), "net", args, &a->question, e);
	if (r < 0)
		asking_free(a);
	else
		exchange_later(x, &hooks, a);
	return r;
}

static int owners_known(struct exchange *x, struct buf *out, struct err *e)
{
	struct json *owners = NULL;
	size_t values = 4L * PORTS + 1;

	(void)json_parse_within(buf_cstr(out), out->len, &values, &owners, ERR_IGNORED);
	return ask(x, owners, e);
}

/* That there are ports is known all the same. */
static int owners_unknown(struct exchange *x, const struct err *, struct err *e)
{
	return ask(x, NULL, e);
}

static int get_ports(struct exchange *x, struct err *e)
{
	static const char *const argv[] = { "owners", NULL };
	const struct fileop_conf c = { .argv = argv,
				       .gather = OWNERS_BYTES,
				       .gathered = owners_known,
				       .failed = owners_unknown };

	return fileop_run(x, &c, e);
}

static const struct route rows[] = {
	{ "GET", "/ports", get_ports, ROUTE_KEY, .box = true },
};

const struct route_table ports_routes = { rows, ARRAY_SIZE(rows) };
