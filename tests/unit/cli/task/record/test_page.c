#include "tests/unit/unit.h"

#include "cli/task/record/page.h"

#define EVIL "</pre><script>x()</script>\\u001b[2J\\\"'&"
#define SAFE                                      \
	"&#60;/pre&#62;&#60;script&#62;x()&#60;/" \
	"script&#62;&#60;U+001B&#62;[2J&#34;&#39;&#38;"

static const struct row {
	const char *name, *record, *want;
} rows[] = {
	{ "a task",
	  "{\"type\":\"task\",\"task\":\"" EVIL "\",\"directory\":\"" EVIL "\"}",
	  "<h1>" SAFE "</h1>\n<dl>\n<dt>directory</dt><dd>" SAFE "</dd>\n</dl>\n" },
	{ "a model", "{\"type\":\"model\",\"model\":\"" EVIL "\"}",
	  "<dl>\n<dt>model</dt><dd>" SAFE "</dd>\n</dl>\n" },
	{ "words",
	  "{\"type\":\"response\",\"round\":2,\"message\":{\"content\":\"**b** <b>\"}}",
	  "<h2>Round 2</h2>\n<div class=\"words\">\n<p><strong>b</strong> "
	  "&#60;b&#62;</p>\n</div>\n" },
	{ "a command",
	  "{\"type\":\"call\",\"tool\":\"shell\",\"args\":{\"command\":\"" EVIL "\"}}",
	  "<pre class=\"call\">$ " SAFE "</pre>\n" },
	{ "Python",
	  "{\"type\":\"call\",\"tool\":\"python\",\"args\":{\"code\":\"a<b\"}}",
	  "<pre class=\"call\">python a&#60;b</pre>\n" },
	{ "another tool, of any name",
	  "{\"type\":\"call\",\"tool\":\"<i>\",\"args\":{\"a\":\"<\"}}",
	  "<pre class=\"call\">&#60;i&#62; {&#34;a&#34;:&#34;&#60;&#34;}</pre>\n" },
	{ "an edit that failed, with what was tried",
	  "{\"type\":\"call\",\"tool\":\"edit_file\",\"args\":{\"path\":\"<p>\","
	  "\"old\":\"<\",\"new\":\">\"}}\n"
	  "{\"type\":\"result\",\"outcome\":\"error\",\"text\":\"<no>\"}",
	  "<pre class=\"call\">edit_file &#60;p&#62;</pre>\n<pre class=\"result\">  "
	  "<span class=\"s c1\">-&#60;</span>\n  <span class=\"s "
	  "c2\">+&#62;</span>\n</pre>\n"
	  "<pre class=\"result bad\">&#60;no&#62;</pre>\n" },
	{ "an edit, once, as its result has it",
	  "{\"type\":\"call\",\"tool\":\"edit_file\",\"args\":{\"path\":\"p\","
	  "\"old\":\"a\",\"new\":\"b\"}}\n"
	  "{\"type\":\"result\",\"outcome\":\"ok\",\"text\":\"changed p: +0 -1\\n"
	  "@@ -1,2 +1,1 @@\\n <\\n->\\n\"}",
	  "<pre class=\"call\">edit_file p</pre>\n<pre class=\"result\">  "
	  "<span class=\"s c6\">@@ -1,2 +1,1 @@</span>\n  <span class=\"s a1\"> "
	  "&#60;</span>\n  <span class=\"s c1\">-&#62;</span>\n</pre>\n" },
	{ "a round that only ends has no heading",
	  "{\"type\":\"response\",\"round\":3,\"message\":{\"content\":null}}\n"
	  "{\"type\":\"call\",\"tool\":\"finish\",\"args\":{\"answer\":\"x\"}}\n"
	  "{\"type\":\"result\",\"outcome\":\"finished\",\"text\":\"x\"}",
	  "" },
	{ "a result", "{\"type\":\"result\",\"exit\":1,\"text\":\"" EVIL "\\n\"}",
	  "<pre class=\"result bad\">" SAFE "</pre>\n" },
	{ "the person", "{\"type\":\"user\",\"text\":\"" EVIL "\"}",
	  "<pre class=\"you\">you: " SAFE "</pre>\n" },
	{ "what only the model was told",
	  "{\"type\":\"notice\",\"to_model\":true,\"text\":\"x\"}", "" },
	{ "an end",
	  "{\"type\":\"end\",\"reason\":\"done\",\"answer\":\"<a>\",\"cost_micro\":"
	  "12300,"
	  "\"calls\":3,\"tokens_in\":5,\"tokens_out\":6,\"elapsed_ms\":72000}",
	  "<h2>End</h2>\n<div class=\"answer\">\n<p>&#60;a&#62;</p>\n</div>\n<dl>\n"
	  "<dt>end</dt><dd>done</dd>\n<dt>rounds</dt><dd>0, 3 calls</dd>\n"
	  "<dt>tokens</dt><dd>5 in, 6 out</dd>\n<dt>cost</dt><dd>about $0.0123</dd>\n"
	  "<dt>time</dt><dd>1m12s</dd>\n</dl>\n" },
	{ "a type of a later version", "{\"type\":\"<x>\"}", "" },
};

static void feed(struct page *p, const char *record)
{
	_cleanup_json_ struct json *j = unit_json(record);
	struct err e = ERR_NONE;

	unit_ok(page_record(p, j, &e), &e);
}

static void test(const void *v)
{
	const struct row *r = v;
	_cleanup_buf_ struct buf out = BUF_INIT(1 << 20);
	struct page p = { .out = &out };
	char *records = strdup(r->record), *rest = records;

	for (char *one; (one = strsep(&rest, "\n"));)
		feed(&p, one);
	assert_string_equal(buf_cstr(&out), r->want);
	free(records);
}

static void a_password_is_not_shown(void)
{
	_cleanup_buf_ struct buf out = BUF_INIT(1 << 20);
	struct page p = { .out = &out };

	feed(&p, "{\"type\":\"result\",\"state\":\"waiting\",\"text\":\"Password: "
		 "\\n[waiting for a password]\"}");
	feed(&p,
	     "{\"type\":\"call\",\"tool\":\"read_file\",\"args\":{\"path\":\"a\"}}");
	feed(&p, "{\"type\":\"result\",\"tool\":\"read_file\",\"text\":\"of a\"}");
	feed(&p,
	     "{\"type\":\"call\",\"tool\":\"input\",\"args\":{\"text\":\"s3cret\"}}");
	feed(&p,
	     "{\"type\":\"result\",\"tool\":\"input\",\"outcome\":\"error\",\"text\":"
	     "\"unknown key 's3cret'\"}");
	feed(&p, "{\"type\":\"call\",\"tool\":\"input\",\"args\":{\"keys\":\"C-c\"}}");
	assert_non_null(strstr(buf_cstr(&out), "input ***"));
	assert_non_null(strstr(buf_cstr(&out), "input C-c"));
	assert_null(strstr(buf_cstr(&out), "s3cret"));
}

static void a_page_has_no_scripts_and_ends(void)
{
	_cleanup_buf_ struct buf out = BUF_INIT(1 << 20);
	struct page p;

	page_begin(&p, "<t>", &out);
	page_end(&p, "\033[31m</pre>", 11);
	assert_non_null(strstr(buf_cstr(&out), "default-src 'none'"));
	assert_non_null(strstr(buf_cstr(&out), "<title>&#60;t&#62;</title>"));
	assert_non_null(
		strstr(buf_cstr(&out), "<span class=\"s c1\">&#60;/pre&#62;</span>"));
	assert_null(strstr(buf_cstr(&out), "<script"));
	assert_non_null(strstr(buf_cstr(&out), "</body></html>\n"));
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "a password is not shown", a_password_is_not_shown },
		{ "a page has no scripts and ends", a_page_has_no_scripts_and_ends },
	};

	return unit_rows("page_record", rows, test) + unit_cases("page", cases);
}
