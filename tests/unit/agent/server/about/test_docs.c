#include "agent/server/about/docs.h"

#include "tests/unit/unit.h"

static const char document[] =
	"{\"info\":{\"title\":\"T <&>\",\"version\":\"1\"},\"paths\":{\"/a/{id}\":{\"post\":{"
	"\"operationId\":\"do_a\",\"summary\":\"S\",\"description\":\"<script>\","
	"\"parameters\":[{\"name\":\"id\",\"in\":\"path\",\"required\":true,\"schema\":{"
	"\"type\":\"string\"},\"description\":\"which\"}],\"requestBody\":{\"content\":{"
	"\"application/json\":{\"schema\":{\"properties\":{\"x\":{\"type\":\"integer\","
	"\"description\":\"a & b\"},\"y\":{\"type\":\"string\"}},\"required\":[\"y\"]}}}}}},"
	"\"/b\":{\"get\":{\"operationId\":\"b\",\"summary\":\"only this\",\"parameters\":[]}}}}";

static const char want[] =
	"<h2 id=\"do_a\">POST /a/{id}</h2>\n<h3>do_a</h3>\n<p>&lt;script></p>\n"
	"<table><tr><th>name<th><th>in<th>type<th>what it says\n"
	"<tr><td><code>id</code><td>needed<td>path<td>string<td>which\n"
	"<tr><td><code>x</code><td><td>body<td>integer<td>a &amp; b\n"
	"<tr><td><code>y</code><td>needed<td>body<td>string<td>\n"
	"</table>\n"
	"<h2 id=\"b\">GET /b</h2>\n<h3>b</h3>\n<p>only this</p>\n";

static void test_page(void)
{
	_cleanup_buf_ struct buf out = BUF_INIT(1 << 16), small = BUF_INIT(100);
	_cleanup_json_ struct json *doc = NULL;
	struct err e = ERR_NONE;

	unit_ok(json_parse(document, strlen(document), &doc, &e), &e);
	assert_int_equal(docs_page(doc, &out), 0);
	assert_non_null(strstr(buf_cstr(&out), "<title>T &lt;&amp;></title>\n"));
	assert_string_equal(strstr(buf_cstr(&out), "<h2"), want);
	assert_int_equal(docs_page(doc, &small), -EMSGSIZE);
}

int main(void)
{
	static const struct unit_case cases[] = { { "a page", test_page } };

	return unit_cases("docs", cases);
}
