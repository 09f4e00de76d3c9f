#include "tests/unit/unit.h"

#include "cli/show/html.h"

static const struct row {
	const char *name, *in, *want;
} rows[] = {
	{ "text", "a < b && \"c\" 'd' >",
	  "a &#60; b &#38;&#38; &#34;c&#34; &#39;d&#39; &#62;" },
	{ "a script is text", "<script>alert(1)</script>",
	  "&#60;script&#62;alert(1)&#60;/script&#62;" },
	{ "colours", "\033[1;31mred\033[0m x", "<span class=\"s a0 c1\">red</span> x" },
	{ "a style that changes", "\033[31ma\033[32mb\033[39mc",
	  "<span class=\"s c1\">a</span><span class=\"s c2\">b</span>c" },
	{ "a style without text leaves nothing", "\033[31m\033[0mx", "x" },
	{ "what is open is closed", "\033[4mx", "<span class=\"s a3\">x</span>" },
	{ "bright ones and backgrounds", "\033[94;103mx\033[m",
	  "<span class=\"s b11 c12\">x</span>" },
	{ "256 colours", "\033[38;5;196mx\033[38;5;244my\033[38;5;3mz",
	  "<span class=\"s\" style=\"color:#ff0000\">x</span>"
	  "<span class=\"s\" style=\"color:#808080\">y</span>"
	  "<span class=\"s c3\">z</span>" },
	{ "true colours", "\033[48;2;1;2;3;1mx",
	  "<span class=\"s a0\" style=\"background:#010203\">x</span>" },
	{ "a colour cut short", "\033[38;5mx", "x" },
	{ "one attribute of each", "\033[38;2;1;2;3;48;2;4;5;6mx",
	  "<span class=\"s\" style=\"color:#010203\">x</span>" },
	{ "what moves and asks goes", "a\033[2J\033[5;5Hb\033]0;t\007\033[cc\r\b\007",
	  "abc" },
	{ "no UTF-8", "a\xff", "a\xef\xbf\xbd" },
	{ "what is hidden is shown", "\xe2\x80\xae<", "&#60;U+202E&#62;&#60;" },
	{ "newlines and tabs stay", "a\r\n\tb", "a\n\tb" },
};

static void test(const void *p)
{
	const struct row *r = p;

	for (size_t step = 1; step < 100; step += 98) {
		_cleanup_buf_ struct buf out = BUF_INIT(4096);
		const size_t len = strlen(r->in);
		struct html h;

		html_begin(&h);
		for (size_t i = 0; i < len; i += step)
			html_feed(&h, r->in + i, MIN(step, len - i), &out);
		html_end(&h, &out);
		assert_string_equal(buf_cstr(&out), r->want);
	}
}

int main(void)
{
	return unit_rows("html", rows, test);
}
