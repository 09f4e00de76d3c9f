/* what the server says of itself: health, configuration, metrics */
#include "agent/server/about/about.h"

#include <inttypes.h>
#include <sys/utsname.h>

#include "agent/server/about/docs.h"
#include "agent/server/about/openapi.h"
#include "agent/server/conf/conf.h"
#include "agent/server/exchange/exchange.h"
#include "agent/server/exchange/state.h"
#include "agent/server/tenant/tenant.h"
#include "base/sys/sys.h"

static int get_health(struct exchange *x, struct err *)
{
	exchange_reply_text(x, 200, "application/json", "{\"status\":\"ok\"}");
	return 0;
}

static int get_config(struct exchange *x, struct err *)
{
	exchange_reply_text(x, 200, "application/json",
			    "{\"features\":{\"terminal\":true,\"notebooks\":true,"
			    "\"system\":true}}");
	return 0;
}

static int get_openapi(struct exchange *x, struct err *e)
{
	const struct server *s = exchange_server(x);
	struct json *doc;
	int r = openapi_document(s->tables, s->n_tables, s->conf->version, &doc, e);

	if (r < 0)
		return r;
	exchange_reply(x, 200, doc);
	return 0;
}

/* The same, for people. */
static int get_docs(struct exchange *x, struct err *e)
{
	static const char *const headers[] = {
		"Content-Security-Policy: default-src 'none'; base-uri 'none'; "
		"form-action 'none'; frame-ancestors 'none'",
		"Referrer-Policy: no-referrer", NULL
	};
	const struct server *s = exchange_server(x);
	_cleanup_buf_ struct buf page = BUF_INIT(1 << 20);
	_cleanup_json_ struct json *doc = NULL;
	int r = openapi_document(s->tables, s->n_tables, s->conf->version, &doc, e)
			?: docs_page(doc, &page);

	if (r < 0)
		return e->code ? r : err_sys(e, r, "cannot describe the routes");
	exchange_begin(x, 200, "text/html; charset=utf-8", headers, (int64_t)page.len);
	exchange_write(x, page.data, page.len);
	exchange_end(x);
	return 0;
}

/* For the model's instructions. */
static int get_system(struct exchange *x, struct err *e)
{
	struct json *j = json_object();
	_cleanup_buf_ struct buf b = BUF_INIT(32 << 10);
	const char *user = exchange_conf(x)->user;
	struct utsname u;
	int r = sys_uname(&u);

	if (r == 0)
		buf_addf(&b,
			 "You have tools that act in a sealed Linux machine (a "
			 "container; kernel %s, %s) of this conversation's user. You "
			 "are %s in it and may install software with its package "
			 "manager; what is installed stays. Files are in '%s'. "
			 "Use the tools instead of guessing: look before you change "
			 "something, and look at the result. No output of a command "
			 "usually means success.",
			 u.release, u.machine, user ? user : "root",
			 tenant_home(exchange_tenant(x)));
	if (r == 0 && exchange_conf(x)->info)
		buf_addf(&b, "\n\n%s", exchange_conf(x)->info);
	r = r < 0 ? r : buf_failed(&b) ?: json_set_str(j, "prompt", buf_cstr(&b));
	if (r < 0) {
		json_free(&j);
		return err_sys(e, r, "cannot describe the machine");
	}
	exchange_reply(x, 200, j);
	return 0;
}

static int get_info(struct exchange *x, struct err *)
{
	struct json *j = json_object();

	json_set_str(j, "info", exchange_conf(x)->info);
	exchange_reply(x, 200, j);
	return 0;
}

static int get_metrics(struct exchange *x, struct err *e)
{
	const struct server *s = exchange_server(x);
	const struct server_counts *c = &s->counts;
	const struct {
		const char *name, *kind;
		uint64_t value;
	} rows[] = {
		{ "requests_total", "counter", c->requests },
		{ "refused_requests_total", "counter", c->refused },
		{ "connections_total", "counter", c->connections },
		{ "sent_bytes_total", "counter", c->bytes_out },
		{ "connections", "gauge", s->n_exchanges },
		{ "boxes_open", "gauge", tenants_open_count(s->tenants) },
		{ "programs", "gauge", tenants_programs(s->tenants) },
		{ "terminals", "gauge", c->terminals },
		{ "uptime_seconds", "gauge", (sys_now_ms() - s->began_ms) / 1000 },
	};
	_cleanup_buf_ struct buf b = BUF_INIT(16 << 10);
	int r;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		buf_addf(&b, "# TYPE cubby_%s %s\ncubby_%s %" PRIu64 "\n", rows[i].name,
			 rows[i].kind, rows[i].name, rows[i].value);
	buf_adds(&b, "# TYPE cubby_answers_total counter\n");
	for (int i = 2; i < 6; i++)
		buf_addf(&b, "cubby_answers_total{class=\"%dxx\"} %" PRIu64 "\n", i,
			 c->by_class[i]);
	r = buf_failed(&b);
	if (r < 0)
		return err_sys(e, r, "cannot count");
	exchange_reply_text(x, 200, "text/plain; version=0.0.4", buf_cstr(&b));
	return 0;
}

static const struct route rows[] = {
	{ "GET", "/health", get_health, .right = ROUTE_ANYBODY },
	{ "GET", "/api/config", get_config, .right = ROUTE_ANYBODY },
	{ "GET", "/openapi.json", get_openapi, .right = ROUTE_ANYBODY },
	{ "GET", "/docs", get_docs, .right = ROUTE_ANYBODY },
	{ "GET", "/system", get_system, ROUTE_KEY, .box = true },
	{ "GET", "/metrics", get_metrics, .right = ROUTE_KEY },
};

const struct route_table about_routes = { rows, ARRAY_SIZE(rows) };

/* Where there is something to say: it is a tool of the model. */
static const struct route info_rows[] = {
	{ "GET", "/info", get_info, ROUTE_KEY, .operation = "get_info" },
};

const struct route_table about_info_routes = { info_rows, ARRAY_SIZE(info_rows) };
