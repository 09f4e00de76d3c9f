#include "cli/show/termfilter.h"

#include <string.h>

#include "base/def.h"
#include "tests/unit/unit.h"

#define INVALID "\xef\xbf\xbd"

/* @end: what is written when the program has ended. */
static const struct row {
	const char *name, *in, *want, *end;
	bool questions;
} rows[] = {
	/* what draws */
	{ "text", "a\tb\r\nc\bd\fe\vf\a", "a\tb\r\nc\bd\fe\vf\a", "", false },
	{ "characters", "é漢👩‍👧", "é漢👩‍👧", "", false },
	{ "colour that is put back", "\033[1;38;2;1;2;3ma\033[0m",
	  "\033[1;38;2;1;2;3ma\033[0m", "", false },
	{ "colour that is left", "\033[38:5:1ma", "\033[38:5:1ma", "\033[m", false },
	{ "moves and erases",
	  "\033[2J\033[3J\033[1;1H\033[K\033[?K\033[5C\033M\0337\0338",
	  "\033[2J\033[3J\033[1;1H\033[K\033[?K\033[5C\033M\0337\0338", "", false },
	{ "a repeat", "a\033[5b", "a\033[5b", "", false },
	{ "a scroll", "\033[2S\033[2T", "\033[2S\033[2T", "", false },
	{ "lines", "\033(0lqk\033(B\033)0\016x\017", "\033(0lqk\033(B\033)0\016x\017",
	  "\033)B", false },
	{ "lines that are left", "\033(0\016", "\033(0\016", "\017\033(B", false },
	{ "a new start", "\033c\033[!p", "\033c\033[!p", "", false },
	/* modes */
	{ "the other screen, left", "\033[?1049h\033[22;0;0t\033[?25l",
	  "\033[?1049h\033[?25l", "\033[?1049l\033[?25h", false },
	{ "the other screen, put back", "\033[?1049h\033[?1049l",
	  "\033[?1049h\033[?1049l", "", false },
	{ "several at once", "\033[?1;12;25;7727;2004h",
	  "\033[?1h\033[?12h\033[?25h\033[?2004h", "\033[?2004l\033[?1l\033[?12l",
	  false },
	{ "the mouse", "\033[?1000;1006h", "\033[?1000h\033[?1006h",
	  "\033[?1000l\033[?1006l", false },
	{ "wrapping", "\033[?7l", "\033[?7l", "\033[?7h", false },
	{ "modes that nobody needs", "\033[?2h\033[?3h\033[?1001h\033[?40h\033[?8l", "",
	  "", false },
	{ "modes that are kept or taken back", "\033[?1s\033[?1r\033[?1$}", "", "",
	  false },
	{ "no mode at all", "\033[?h\033[?;h\033[?1:2h", "", "", false },
	{ "insertion; never the lock", "\033[4h\033[2h\033[4;2h\033[20h", "\033[4h",
	  "\033[4l", false },
	{ "margins", "\033[2;5r", "\033[2;5r", "\0337\033[r\0338", false },
	{ "margins, put back", "\033[2;5r\033[r", "\033[2;5r\033[r", "", false },
	{ "the keypad", "\033=", "\033=", "\033>", false },
	{ "the cursor", "\033[5 q", "\033[5 q", "\033[0 q", false },
	{ "the cursor, put back", "\033[5 q\033[0 q", "\033[5 q\033[0 q", "", false },
	/* what is more than drawing */
	{ "clipboard", "a\033]52;c;bHM=\007b\033]52;c;bHM=\033\\c", "abc", "", true },
	{ "title", "\033]0;t\007\033]1;t\007\033]2;t\033\\\033kt\033\\x", "x", "",
	  true },
	{ "title, told back", "\033[21t\033[20t\033[22t\033[23;0t", "", "", true },
	{ "place, link, notices",
	  "\033]7;file:///\007\033]8;;http://x\007y\033]8;;\007\033]9;n\007\033]777;n;"
	  "t;b\007\033]99;;n\007\033]133;A\007\033]1337;File=:AA\007",
	  "y", "", true },
	{ "font, log, colours",
	  "\033]50;x\007\033]46;/x\007\033]4;1;red\007\033]10;#fff\007", "", "", true },
	{ "device control", "\033P$qm\033\\\033P+q544e\033\\\033Pq#0\033\\x", "x", "",
	  true },
	{ "privacy, start, application", "\033^a\033\\\033Xa\033\\\033_Gt=f;x\033\\b",
	  "b", "", true },
	{ "controls of one byte",
	  "a\x9b"
	  "5i\x9d"
	  "0;t\x07",
	  "a" INVALID "5i" INVALID "0;t\a", "", true },
	{ "controls of two bytes",
	  "a\xc2\x9b"
	  "5i",
	  "a" INVALID INVALID "5i", "", true },
	{ "printer", "\033[5i\033[?5i\033[4ix", "x", "", true },
	{ "window", "\033[3;9;9t\033[8;1;1t\033[2tx", "x", "", true },
	{ "screen told back", "\033[1;1;1;1;1;1*y\033[1$w\033[#R\033[#|x", "x", "",
	  true },
	{ "following the mouse", "\033[1;2;3;4;5Tx", "x", "", true },
	{ "keyboard", "\033[>4;2m\033[>1u\033[=1u\033[?u\033[1qx", "x", "", true },
	{ "eight bits, other sets", "\033 G\033%@\033%G\033n\033}\033.A\033#8x", "x",
	  "", true },
	{ "who are you, flow, fill", "a\005b\021\023\0c\177d\001", "ab", "", true },
	{ "turned text",
	  "a\xe2\x80\xae"
	  "b\xe2\x81\xa6"
	  "c\xd8\x9c"
	  "d\xe2\x80\x8f€",
	  "abcd€", "", false },
	{ "two leaders", "\033[??1h\033[?>1hx", "x", "", true },
	{ "two intermediates", "\033[! px\033[ !qx", "xx", "", true },
	{ "numbers that are none", "\033[1<2Hx\033[1:2Hy", "xy", "", true },
	/* questions */
	{ "questions, where nobody reads the answer",
	  "\033[c\033[>c\033[6n\033[?6n\033]11;?\007\033[14t\033[?2026$p\033[>0qx", "x",
	  "", false },
	{ "questions", "\033[c\033[>0c\033[6n\033]11;?\007\033]4;12;?\033\\\033[18t",
	  "\033[c\033[>0c\033[6n\033]11;?\007\033]4;12;?\033\\\033[18t", "", true },
	{ "modes", "\033[?2026$p\033[>q\033[?996n", "\033[?2026$p\033[>q\033[?996n", "",
	  true },
	{ "the question that is ours", "\033[5nx", "x", "", true },
	{ "no such question",
	  "\033]110;?\007\033]1;?\007\033]4;?\007\033]10;?x\007\033]4;1"
	  ";?;2;?\007\033[6;6n\033[1c\033[=cx",
	  "x", "", true },
	/* cut off */
	{ "half a sequence", "a\033[3", "a", "", false },
	{ "half a character", "a\xe4\xb8", "a", INVALID INVALID, false },
};

static void run(const struct row *row, size_t step, struct buf *got, struct buf *end)
{
	const size_t len = strlen(row->in);
	struct termfilter f;

	termfilter_init(&f, row->questions);
	for (size_t i = 0; i < len; i += step)
		assert_int_equal(
			termfilter_feed(&f, row->in + i, MIN(step, len - i), got), 0);
	assert_int_equal(termfilter_end(&f, end), 0);
}

/* In pieces of every length, byte by byte among them. */
static void test(const void *p)
{
	const struct row *row = p;

	for (size_t step = 1; step <= strlen(row->in); step++) {
		_cleanup_buf_ struct buf got = BUF_INIT(4096), end = BUF_INIT(4096);

		run(row, step, &got, &end);
		assert_string_equal(buf_cstr(&got), row->want);
		assert_string_equal(buf_cstr(&end), row->end);
	}
}

static void questions_are_counted(void)
{
	_cleanup_buf_ struct buf got = BUF_INIT(4096);
	struct termfilter f;

	termfilter_init(&f, true);
	assert_int_equal(termfilter_feed(&f, "\033[c\033[5n\033[6n\033[mx", 15, &got),
			 0);
	assert_int_equal(f.asked, 2);
}

static void a_second_end_says_nothing(void)
{
	_cleanup_buf_ struct buf got = BUF_INIT(4096), end = BUF_INIT(4096);
	struct termfilter f;

	termfilter_init(&f, false);
	assert_int_equal(termfilter_feed(&f, "\033[?25l\033[1m", 10, &got), 0);
	assert_int_equal(termfilter_end(&f, &end), 0);
	assert_string_equal(buf_cstr(&end), "\033[?25h\033[m");
	assert_int_equal(termfilter_end(&f, &end), 0);
	assert_string_equal(buf_cstr(&end), "\033[?25h\033[m");
}

static void a_full_buffer_is_told(void)
{
	_cleanup_buf_ struct buf got = BUF_INIT(4);
	struct termfilter f;

	termfilter_init(&f, false);
	assert_int_equal(termfilter_feed(&f, "hello", 5, &got), -EMSGSIZE);
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "questions are counted", questions_are_counted },
		{ "a second end says nothing", a_second_end_says_nothing },
		{ "a full buffer is told", a_full_buffer_is_told },
	};

	return unit_rows("termfilter", rows, test) + unit_cases("termfilter", cases);
}
