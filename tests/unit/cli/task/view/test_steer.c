#include "tests/unit/unit.h"

#include "cli/task/view/steer.h"

static const struct row {
	const char *name, *keys, *said, *line;
} rows[] = {
	{ "a line", "use tea\n", "use tea", "" },
	{ "two lines", "a\rb\r", "a\nb", "" },
	{ "the line is open", "half", "", "half" },
	{ "empty lines say nothing", "\n  \n", "", "" },
	{ "backspace takes a whole character", "a你\177\177b\n", "b", "" },
	{ "backspace at the start", "\177\bx", "", "x" },
	{ "a word, and all of it", "one two\027\025x", "", "x" },
	{ "a word alone", "one two  \027x", "", "one x" },
	{ "arrows are no text", "a\033[A\033OBb\033[1;5Cc", "", "abc" },
	{ "what is pasted is one line", "\033[200~a\nb\033[201~c\n", "a\nbc", "" },
	{ "escapes in what is pasted", "\033[200~\033[2Ja\033[201~\n", "a", "" },
	{ "Alt and a key", "\033fx", "", "x" },
	{ "control characters", "a\004\007\tb", "", "a\tb" },
	{ "a sequence without an end",
	  "\033[11111111111111111111111111111111111111111111x", "", "1111111111111x" },
};

static void feed(struct steer *s, const char *keys, size_t step)
{
	const size_t len = strlen(keys);

	for (size_t i = 0; i < len; i += step)
		steer_feed(s, keys + i, MIN(step, len - i));
}

static void test(const void *p)
{
	const struct row *r = p;

	for (size_t step = 1; step < 100; step += 98) {
		struct steer s;

		steer_init(&s, -1);
		feed(&s, r->keys, step);
		assert_string_equal(buf_cstr(&s.said), r->said);
		assert_string_equal(buf_cstr(&s.line), r->line);
		steer_done(&s);
	}
}

int main(void)
{
	return unit_rows("steer_feed", rows, test);
}
