#include "agent/server/exchange/route.h"

#include "tests/unit/unit.h"

static int nothing(struct exchange *, struct err *)
{
	return 0;
}

static const struct route rows[] = {
	{ "GET", "/health", nothing, .operation = "health" },
	{ "GET", "/execute", nothing, .operation = "list" },
	{ "POST", "/execute", nothing, .operation = "run" },
	{ "GET", "/execute/{id}/status", nothing, .operation = "status" },
	{ "GET", "/files/serve/{path*}", nothing, .operation = "serve" },
	{ "*", "/proxy/{port}/{rest*}", nothing, .operation = "proxy" },
};
static const struct route_table tables[] = { { rows, 3 }, { rows + 3, 3 } };

static const struct find {
	const char *name, *method, *path;
	int want;
	const char *found, *params; /* found NULL = none, "?" = of another method */
} finds[] = {
	{ "plain", "GET", "/health", 0, "health", "" },
	{ "HEAD is GET", "HEAD", "/health", 0, "health", "" },
	{ "by the method", "POST", "/execute", 0, "run", "" },
	{ "of another method", "PUT", "/execute", 0, "?", "" },
	{ "unknown", "GET", "/exec", 0, NULL, "" },
	{ "more than a row has", "GET", "/health/", 0, NULL, "" },
	{ "less", "GET", "/execute/1", 0, NULL, "" },
	{ "a parameter", "GET", "/execute/a-1/status", 0, "status", "id=a-1;" },
	{ "an empty one is none", "GET", "/execute//status", 0, NULL, "" },
	{ "a slash within", "GET", "/execute/a%2Fb/status", 0, "status", "id=a/b;" },
	{ "a plus is a plus", "GET", "/execute/a+b/status", 0, "status", "id=a+b;" },
	{ "the rest", "GET", "/files/serve/a/../b%20c", 0, "serve", "path=a/../b c;" },
	{ "an empty rest", "GET", "/files/serve/", 0, "serve", "path=;" },
	{ "two", "PATCH", "/proxy/80/x/y", 0, "proxy", "port=80;rest=x/y;" },
	{ "a NUL", "GET", "/files/serve/a%00b", -EINVAL, NULL, "" },
	{ "half an escape", "GET", "/files/serve/a%2", -EINVAL, NULL, "" },
	{ "no escape", "GET", "/files/serve/%zz", -EINVAL, NULL, "" },
};

static void test_find(const void *p)
{
	const struct find *f = p;
	struct route_match m = { 0 };
	_cleanup_buf_ struct buf seen = BUF_INIT(1000);

	assert_int_equal(route_find(tables, 2, f->method, f->path, &m), f->want);
	if (f->want < 0)
		return;
	if (!f->found || f->found[0] == '?') {
		assert_null(m.route);
		assert_int_equal(m.path_known, f->found != NULL);
		return;
	}
	assert_non_null(m.route);
	assert_string_equal(m.route->operation, f->found);
	for (unsigned i = 0; i < m.count; i++)
		buf_addf(&seen, "%s=%s;", m.params[i].name, m.params[i].value);
	assert_string_equal(buf_cstr(&seen), f->params);
	route_match_done(&m);
}

static const struct query {
	const char *name, *query, *key;
	unsigned nth;
	int want;
	const char *value;
} queries[] = {
	{ "one", "a=1", "a", 0, 1, "1" },
	{ "the second name", "a=1&b=2", "b", 0, 1, "2" },
	{ "the second value", "a=1&b=2&a=3", "a", 1, 1, "3" },
	{ "no third", "a=1&b=2&a=3", "a", 2, 0, "" },
	{ "none", "a=1", "b", 0, 0, "" },
	{ "no query", NULL, "b", 0, 0, "" },
	{ "without a value", "a&b=2", "a", 0, 1, "" },
	{ "an encoded name", "%61=x", "a", 0, 1, "x" },
	{ "spaces", "a=x+y%20z%2B", "a", 0, 1, "x y z+" },
	{ "an ampersand within", "a=x%26b=1", "b", 0, 0, "" },
	{ "the start of a name", "ab=1", "a", 0, 0, "" },
	{ "a NUL", "a=%00", "a", 0, -EINVAL, "" },
	{ "empty parts", "&&a=1&", "a", 0, 1, "1" },
};

static void test_query(const void *p)
{
	const struct query *q = p;
	_cleanup_buf_ struct buf b = BUF_INIT(100);

	assert_int_equal(route_query(q->query, q->key, q->nth, &b), q->want);
	if (q->want >= 0)
		assert_string_equal(buf_cstr(&b), q->value);
}

static const struct text {
	const char *name, *query;
	bool want;
} texts[] = {
	{ "no query is text", NULL, true },
	{ "escapes", "a=%20&%62=%fF", true },
	{ "a NUL among them", "a=b%00", false },
	{ "half an escape", "a=%2", false },
	{ "a sign alone", "a=100%", false },
	{ "none in a name", "a%zz=1", false },
	{ "the end of one in the next value", "a=%&b=2", false },
};

static void test_text(const void *p)
{
	const struct text *t = p;

	assert_int_equal(route_query_is_text(t->query), t->want);
}

int main(void)
{
	return unit_rows("route_find", finds, test_find) +
	       unit_rows("route_query", queries, test_query) +
	       unit_rows("route_query_is_text", texts, test_text);
}
