#include "agent/terminal/escape.h"

#include <string.h>

#include "base/buf.h"
#include "base/def.h"
#include "tests/unit/unit.h"

#define INVALID "\xef\xbf\xbd"
#define TEN_PARAMS "1;1;1;1;1;1;1;1;1;1;"

/* What comes through, each piece between angle brackets unless it is text. */
static const struct row {
	const char *name, *in, *want;
} rows[] = {
	{ "text", "ab\r\nc", "ab\r\nc" },
	{ "colour", "a\033[1;31mb\033[mc", "a<\033[1;31m>b<\033[m>c" },
	{ "private mode", "\033[?1049h", "<\033[?1049h>" },
	{ "intermediates", "\033[!p\033[1 q\033(0", "<\033[!p><\033[1 q><\033(0>" },
	{ "sub-parameters", "\033[38:2::1:2:3m", "<\033[38:2::1:2:3m>" },
	{ "two letters", "\0337\033c\033M", "<\0337><\033c><\033M>" },
	{ "title", "\033]2;t\007x", "<\033]2;t\007>x" },
	{ "title, ST", "\033]2;t\033\\x", "<\033]2;t\033\\>x" },
	{ "title in UTF-8", "\033]2;\xc3\xa9\033\\", "<\033]2;\xc3\xa9\033\\>" },
	{ "controls in a string are left out", "\033]2;a\r\nb\007", "<\033]2;ab\007>" },
	{ "requests", "\033P$qm\033\\\033P$q q\007",
	  "<\033P$qm\033\\><\033P$q q\007>" },
	{ "requests for what is not known",
	  "\033P$q\033\\\033P$q|\033\\\033P$qmm\033\\",
	  "<\033P$q\033\\><\033P$q\033\\><\033P$q\033\\>" },
	{ "other device control", "\033Pq#0;2;0\033\\\033P\033\\\033P+q544e\033\\x",
	  "x" },
	{ "strings that nobody reads", "\033Xa\033\\\033_b\033\\\033^c\033\\d", "d" },
	{ "the title of screen(1)", "a\033kt\033\\b", "ab" },
	{ "a string cancelled by a sequence", "\033]2;t\033[31mx", "<\033[31m>x" },
	{ "cancelled", "\033[1\030a\033]2;\032b\033\030c", "abc" },
	{ "begun again", "\033[1\033[2mx", "<\033[2m>x" },
	{ "controls within", "\033[1\r\n;\0072mx", "\r\n\007<\033[1;2m>x" },
	{ "delete within", "\033[1\177m\033\177cx", "<\033[1m><\033c>x" },
	{ "fifteen parameters", "\033[" TEN_PARAMS "1;1;1;1;1m",
	  "<\033[" TEN_PARAMS "1;1;1;1;1m>" },
	{ "sixteen", "\033[" TEN_PARAMS "1;1;1;1;1;1mx", "x" },
	{ "thirty", "\033[" TEN_PARAMS TEN_PARAMS TEN_PARAMS "mx", "x" },
	{ "a large number", "\033[99999;18446744073709551615Hx", "<\033[9999;1844H>x" },
	{ "not in order", "\033[1?hx\033[ 1mx\033[?!1hx", "xxx" },
	{ "UTF-8 ends it", "\033[1\xc3\xa9\033\xc3\xa9", "\xc3\xa9\xc3\xa9" },
	{ "another encoding", "\033%@\033%Gx", "x" },
	{ "intermediates before an opening", "\033![1bx\033(]2;t\007y", "1bx2;t\007y" },
	{ "repeats", "a\033[3bc\033[b", "aaaacc" },
	{ "repeats a row at the most", "a\033[9999b", "aaaaaaaaaaa" },
	{ "repeats nothing", "\033[9b\xc3\xa9\033[9b", "\xc3\xa9" },
	{ "repeats with a leader", "a\033[?2bx", "a<\033[?2b>x" },
	{ "characters", "a\xc3\xa9\xe4\xb8\xad\xf0\x9f\x98\x80z",
	  "a\xc3\xa9\xe4\xb8\xad\xf0\x9f\x98\x80z" },
	{ "half a character", "\xe4\xb8x\xe4\xb8\xe4\xb8\xad\xf0\x9f",
	  INVALID INVALID "x" INVALID INVALID "\xe4\xb8\xad" },
	{ "half a character before a sequence", "\xe4\033[mx", INVALID "<\033[m>x" },
	{ "no characters", "\xff\x9b\xc0\xaf\xed\xa0\x80",
	  INVALID INVALID INVALID INVALID INVALID INVALID INVALID },
	{ "controls of two bytes", "a\xc2\x9c\xc2\x80z\xc2\xa0",
	  "a" INVALID INVALID INVALID INVALID "z\xc2\xa0" },
	{ "unfinished", "a\033[1;3", "a" },
};

static void on_piece(void *ctx, const char *data, size_t len)
{
	struct buf *out = ctx;
	const bool sequence = len > 1 && data[0] == '\033';

	assert_true(len > 0);
	if (sequence)
		assert_return_code(buf_addc(out, '<'), 0);
	assert_return_code(buf_add(out, data, len), 0);
	if (sequence)
		assert_return_code(buf_addc(out, '>'), 0);
}

static void test_row(const void *p)
{
	const struct row *row = p;
	const size_t len = strlen(row->in);

	for (size_t step = 1; step <= len; step++) {
		_cleanup_buf_ struct buf got = BUF_INIT(4096);
		struct escape x;

		escape_init(&x, on_piece, &got);
		x.repeats_max = 10;
		for (size_t i = 0; i < len; i += step)
			escape_feed(&x, row->in + i, MIN(step, len - i));
		assert_string_equal(buf_cstr(&got), row->want);
	}
}

static void feed_n(struct escape *x, char c, int n)
{
	while (n--)
		escape_feed(x, &c, 1);
}

static void a_long_title_is_cut(void)
{
	_cleanup_buf_ struct buf got = BUF_INIT(4096);
	struct escape x;

	escape_init(&x, on_piece, &got);
	escape_feed(&x, "\033]2;", 4);
	feed_n(&x, 't', ESCAPE_STRING_MAX - 2);
	assert_int_equal(got.len, 0);
	escape_feed(&x, "\033\\after", 7);
	assert_int_equal(got.len, ESCAPE_MAX + 2 + 5);
	assert_memory_equal(got.data + got.len - 8, "\033\\>after", 8);
}

/* Whoever never ends it loses what it holds, and nothing behind. */
static void a_string_without_end_is_dropped(void)
{
	static const char *const opens[] = { "\033]2;", "\033Pq;", "\033_ab",
					     "\033Xab" };

	for (size_t i = 0; i < ARRAY_SIZE(opens); i++)
		for (int at_once = 0; at_once < 2; at_once++) {
			_cleanup_buf_ struct buf got = BUF_INIT(4096),
						 in = BUF_INIT(1 << 20);
			struct escape x;

			escape_init(&x, on_piece, &got);
			assert_int_equal(buf_adds(&in, opens[i]), 0);
			while (in.len < ESCAPE_STRING_MAX + 2) /* ESC and its letter */
				assert_int_equal(buf_addc(&in, '\n'), 0);
			assert_int_equal(buf_adds(&in, "after\033[mit"), 0);
			for (size_t n = 0; n < in.len && !at_once; n++)
				escape_feed(&x, in.data + n, 1);
			if (at_once)
				escape_feed(&x, in.data, in.len);
			assert_string_equal(buf_cstr(&got), "after<\033[m>it");
		}
}

static void a_long_sequence_is_dropped(void)
{
	_cleanup_buf_ struct buf got = BUF_INIT(4096);
	struct escape x;

	escape_init(&x, on_piece, &got);
	escape_feed(&x, "\033[", 2);
	feed_n(&x, '0', 100000);
	escape_feed(&x, "mone\033", 5);
	feed_n(&x, ' ', 100000);
	escape_feed(&x, "Ftwo", 4);
	assert_string_equal(buf_cstr(&got), "onetwo");
}

static void repeats_that_are_passed_on(void)
{
	_cleanup_buf_ struct buf got = BUF_INIT(4096);
	struct escape x;

	escape_init(&x, on_piece, &got);
	x.repeats_max = 0;
	escape_feed(&x, "a\033[99bx", 7);
	assert_string_equal(buf_cstr(&got), "a<\033[99b>x");
}

static void half_a_character_at_the_end(void)
{
	_cleanup_buf_ struct buf got = BUF_INIT(4096);
	struct escape x;

	escape_init(&x, on_piece, &got);
	escape_feed(&x, "a\xe4\xb8", 3);
	escape_end(&x);
	escape_feed(&x, "b\033[1", 4);
	escape_end(&x);
	escape_feed(&x, "c", 1);
	assert_string_equal(buf_cstr(&got), "a" INVALID INVALID "bc");
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "a long title is cut", a_long_title_is_cut },
		{ "a string without end is dropped", a_string_without_end_is_dropped },
		{ "a long sequence is dropped", a_long_sequence_is_dropped },
		{ "repeats that are passed on", repeats_that_are_passed_on },
		{ "half a character at the end", half_a_character_at_the_end },
	};

	return unit_rows("escape sequences", rows, test_row) +
	       unit_cases("escape sequences, long", cases);
}
