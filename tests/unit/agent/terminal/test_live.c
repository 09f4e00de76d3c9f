#include "agent/terminal/live.h"
#include "base/buf.h"
#include "tests/unit/unit.h"

static void on_out(void *ctx, const char *data, size_t len)
{
	assert_return_code(buf_add(ctx, data, len), 0);
}

static const struct row {
	const char *name, *in, *want; /* NULL: the same */
} rows[] = {
	{ "text", "hello\r\n\tw\xc3\xb6rld\n", NULL },
	{ "colours", "\033[1;31mred\033[0m", NULL },
	{ "cursor", "\033[3A\033[2K\033[10;20H\033[s\033[u", NULL },
	{ "modes", "\033[?1049h\033[?25l\033[!p", NULL },
	{ "cursor shape", "\033[2 q", NULL },
	{ "title", "\033]0;a title\a", NULL },
	{ "title ended by ST", "\033]2;a title\033\\", NULL },
	{ "link", "\033]8;;http://x/\033\\text\033]8;;\033\\", NULL },
	{ "charset", "\033(B\033=\0337\0338", NULL },
	{ "DSR", "a\033[6nb\033[5nc", "abc" },
	{ "DA", "a\033[cb\033[>c\033[=c\033Z", "ab" },
	{ "DECRQM", "a\033[?1$pb", "ab" },
	{ "XTVERSION", "a\033[>qb", "ab" },
	{ "window", "a\033[18tb\033[21t", "ab" },
	{ "kitty", "a\033[?ub", "ab" },
	{ "DECRQSS", "a\033P$qm\033\\b", "ab" },
	{ "XTGETTCAP", "a\033P+q544e\033\\b", "ab" },
	{ "colour query", "a\033]11;?\ab", "ab" },
	{ "title query", "a\033]2;?\ab", "ab" },
	{ "clipboard", "a\033]52;c;QQ==\ab", "ab" },
	{ "answerback", "a\005b", "ab" },
	{ "answerback in a sequence", "a\033[\005b", "ab" },
	{ "reset", "a\033cb", "ab" },
	{ "APC", "a\033_Gx\033\\b", "ab" },
	{ "abandoned", "a\033[12\033[6nb\033]0;x\033[1mc", "ab\033[1mc" },
	{ "newline in a sequence", "a\033[1\nb", "a\nb" },
	{ "unfinished at the end", "a\033]0;title", "a" },
};

static void test_row(const void *p)
{
	const struct row *row = p;
	size_t len = strlen(row->in);

	for (size_t step = 1; step <= len; step++) {
		static struct live l;
		_cleanup_buf_ struct buf got = BUF_INIT(4096);

		live_init(&l, on_out, &got);
		for (size_t i = 0; i < len; i += step)
			live_feed(&l, row->in + i, MIN(step, len - i));
		live_end(&l);
		assert_string_equal(buf_cstr(&got), row->want ? row->want : row->in);
	}
}

int main(void)
{
	return unit_rows("live (O2)", rows, test_row);
}
