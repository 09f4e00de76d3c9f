#include "tests/unit/unit.h"

#include "cli/show/mdhtml.h"

static const struct row {
	const char *name, *in, *want;
} rows[] = {
	{ "nothing", "", "" },
	{ "words", "a **b** _c_ ~~d~~ `e`",
	  "<p>a <strong>b</strong> <em>c</em> <del>d</del> <code>e</code></p>\n" },
	{ "HTML is text", "a <b onclick=x()>&lt;</b>\n\n<script>\ny()\n</script>",
	  "<p>a &#60;b onclick=x()&#62;&#60;&#60;/b&#62;</p>\n"
	  "<p>&#60;script&#62;\ny()\n&#60;/script&#62;</p>\n" },
	{ "what is hidden is seen",
	  "a\xe2\x80\xae"
	  "b\033[2J",
	  "<p>a&#60;U+202E&#62;b&#60;U+001B&#62;[2J</p>\n" },
	{ "a link is no link, and tells where it leads", "[bank](javascript:x('\"<'))",
	  "<p>bank <i>(javascript:x(&#39;&#34;&#60;&#39;))</i></p>\n" },
	{ "a link that is its own text", "<http://x.test/>",
	  "<p>http://x.test/</p>\n" },
	{ "a picture is not fetched", "![cat](http://x.test/\"on=)",
	  "<p>[picture: cat] <i>(http://x.test/&#34;on=)</i></p>\n" },
	{ "an address in words is words", "a **W [l]u*//http://x/b> c",
	  "<p>a *<em>W [l]u</em>//http://x/b&#62; c</p>\n" },
	{ "a heading", "## T", "<h3>T</h3>\n" },
	{ "lists", "- [x] a\n- b\n\n3. c",
	  "<ul><li>☑ a</li>\n<li>b</li>\n</ul>\n<ol start=\"3\"><li>c</li>\n</ol>\n" },
	{ "code", "```c\" onclick=\"\n<a>\n```", "<pre>&#60;a&#62;\n</pre>\n" },
	{ "a quote and a rule", "> q\n\n---",
	  "<blockquote><p>q</p>\n</blockquote>\n<hr>\n" },
	{ "a table", "|a|b|\n|---|--:|\n|<i>|1|",
	  "<table><tr><th>a</th>\n<th class=\"r\">b</th>\n</tr>\n"
	  "<tr><td>&#60;i&#62;</td>\n<td class=\"r\">1</td>\n</tr>\n</table>\n" },
};

static void test(const void *v)
{
	const struct row *r = v;
	_cleanup_buf_ struct buf out = BUF_INIT(1 << 16);
	struct err e = ERR_NONE;

	unit_ok(mdhtml_add(r->in, strlen(r->in), &out, &e), &e);
	assert_string_equal(buf_cstr(&out), r->want);
}

int main(void)
{
	return unit_rows("mdhtml", rows, test);
}
