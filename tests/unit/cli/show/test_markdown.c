#include "tests/unit/unit.h"

#include "cli/show/markdown.h"

static const struct row {
	const char *name, *in, *want;
	unsigned cols;
	bool color;
} rows[] = {
	{ "words are not broken", "one two three four", "one two\nthree four\n", 10,
	  false },
	{ "a long word is", "abcdefghijkl m", "abcdefghij\nkl m\n", 10, false },
	{ "wide characters are counted by their width", "你好世界 再见",
	  "你好世\n界 再见\n", 7, false },
	{ "paragraphs", "a\nb\n\nc", "a b\n\nc\n", 40, false },
	{ "a hard break", "a  \nb", "a\nb\n", 40, false },
	{ "a heading", "# Title\ntext", "\033[0;1mTitle\033[0m\n\ntext\n", 40, true },
	{ "styles over two rows", "**bold words** _i_",
	  "\033[0;1mbold\033[0m\n\033[0;1mwords\033[0m \033[0;3mi\033[0m\n", 7, true },
	{ "a list that hangs", "- one two three\n- b\n  1. x\n  2. y",
	  "• one two\n  three\n• b\n  1. x\n  2. y\n", 10, false },
	{ "a numbered list begins where it says", "9. a\n10. b", "9. a\n10. b\n", 40,
	  false },
	{ "a loose list", "- a\n\n- b", "• a\n\n• b\n", 40, false },
	{ "tasks", "- [x] a\n- [ ] b", "☑ a\n☐ b\n", 40, false },
	{ "code keeps its blanks", "x\n```c\nint  a;\n\tb\n```\ny",
	  "x\n\n    int  a;\n        b\n\ny\n", 40, false },
	{ "code in words has a mark without colours", "run `make -j`",
	  "run `make -j`\n", 40, false },
	{ "code in words has a colour", "run `x`", "run \033[0;36mx\033[0m\n", 40,
	  true },
	{ "a quote", "> a b c\n>\n> d", "│ a b\n│ c\n│ \n│ d\n", 6, false },
	{ "a link tells where it leads", "[bank](http://evil.test/)",
	  "bank (http://evil.test/)\n", 40, false },
	{ "a link that is its own text", "<http://x.test/>", "http://x.test/\n", 40,
	  false },
	{ "a picture", "![cat](c.png)", "[picture: cat] (c.png)\n", 40, false },
	{ "a rule", "a\n\n---\n\nb", "a\n\n──────\n\nb\n", 6, false },
	{ "a table", "| a | n |\n|---|--:|\n| xyz | 1 |\n| 你 | 23 |",
	  "a   │  n\n────┼───\nxyz │  1\n你  │ 23\n", 40, false },
	{ "a table that is too wide", "| a | b |\n|---|---|\n| one two three | x |",
	  "a       │ b\n────────┼──\none two │ x\nthree   │\n", 11, false },
	{ "HTML is text", "a <b>x</b> <script>", "a <b>x</b> <script>\n", 40, false },
	{ "entities", "a &amp; b &foo; &#27;[2J", "a & b &foo; &#27;[2J\n", 40, false },
	{ "what is hidden is shown", "a\033[2Jb \xe2\x80\xae c",
	  "a<U+001B>[2Jb <U+202E> c\n", 80, false },
	{ "what is hidden in a link's place", "[a](<x\033[0m\xc2\x9b>)",
	  "a (x<U+001B>[0m<U+009B>)\n", 80, false },
	{ "no UTF-8", "a\xff z", "a\xef\xbf\xbd z\n", 40, false },
	{ "a mark of ours is no mark", "a\001aab", "a<U+0001>aab\n", 40, false },
};

static void test_render(const void *v)
{
	const struct row *row = v;
	const struct markdown_look look = { row->cols, row->color };
	_cleanup_buf_ struct buf out = BUF_INIT(1 << 20);
	struct err e = ERR_NONE;

	unit_ok(markdown_rows(row->in, strlen(row->in), &look, &out, &e), &e);
	assert_string_equal(buf_cstr(&out), row->want);
}

int main(void)
{
	return unit_rows("markdown_rows", rows, test_render);
}
