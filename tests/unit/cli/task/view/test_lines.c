#include "tests/unit/unit.h"

#include "base/buf.h"
#include "cli/task/view/lines.h"

static const struct row {
	const char *name, *in, *want; /* lines, each ended by '|' */
} rows[] = {
	{ "lines", "a\nb\n", "a|b|" },
	{ "the last without its end", "a\nb", "a|b|" },
	{ "CR LF is one end", "a\r\nb\r\n", "a|b|" },
	{ "a progress bar shows its last state", "10%\r20%\r99%\n", "99%|" },
	{ "a progress bar that erases itself is gone",
	  "(##) it\033[0m\033[K\r\r\033[K\033[?25h\r\na\n", "|a|" },
	{ "one that erases its line", "10%\033[2K\033[1Gdone\n", "done|" },
	{ "one that goes to its start", "10%\033[0G\033[Jdone\n", "done|" },
	{ "the rest of a line is erased behind its text", "a\033[K\nb\033[0J\n",
	  "a|b|" },
	{ "colours go", "\033[1;31mred\033[0m x\n", "red x|" },
	{ "titles go, ended by BEL or ST", "\033]0;t\007a\033]0;t\033\\b\n", "ab|" },
	{ "a device string goes", "\033Pq#0\033\\x\n", "x|" },
	{ "character sets go", "\033(Bx\033=y\n", "xy|" },
	{ "a cancelled sequence", "\033[3\030x\n", "x|" },
	{ "a sequence in a sequence", "\033[3\033[1mx\n", "x|" },
	{ "backspace takes one back", "ab\bc\b\b\b\bd\n", "d|" },
	{ "bells go, tabs stay", "a\007\tb\n", "a\tb|" },
	{ "the title of screen(1) goes", "\033kt\033\\x\n", "x|" },
	{ "what is hidden is shown",
	  "a\xe2\x80\xae"
	  "b\n",
	  "a<U+202E>b|" },
	{ "an empty line", "\n\n", "||" },
	{ "nothing", "", "" },
};

static void collect(void *ctx, const char *line)
{
	assert_int_equal(buf_addf(ctx, "%s|", line), 0);
}

static void test(const void *p)
{
	const struct row *r = p;

	for (int split = 0; split < 2; split++) {
		_cleanup_buf_ struct buf b = BUF_INIT(1024);
		struct view_lines l = { .n = 0 };

		for (size_t i = 0; split && r->in[i]; i++)
			view_lines_add(&l, r->in + i, 1, collect, &b);
		if (!split)
			view_lines_add(&l, r->in, strlen(r->in), collect, &b);
		view_lines_end(&l, collect, &b);
		assert_string_equal(buf_cstr(&b), r->want);
	}
}

static void a_long_line_is_cut(void)
{
	_cleanup_buf_ struct buf b = BUF_INIT(1 << 16);
	struct view_lines l = { .n = 0 };

	for (int i = 0; i < 10000; i++)
		view_lines_add(&l, "x", 1, collect, &b);
	view_lines_add(&l, "\n", 1, collect, &b);
	assert_int_equal(b.len, VIEW_LINES_MAX); /* one less, and the mark */
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "a long line is cut", a_long_line_is_cut },
	};
	int failed = unit_rows("view_lines", rows, test);

	return failed + unit_cases("view_lines", cases);
}
