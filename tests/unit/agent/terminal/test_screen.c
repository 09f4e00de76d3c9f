#include "agent/terminal/screen.h"

#include <stdio.h>
#include <string.h>

#include "tests/unit/unit.h"

#define HEAD(at, more) "[screen of 4 rows and 10 columns, cursor " at more "]\n"

static const struct row {
	const char *name, *in, *want;
} rows[] = {
	{ "empty", "", HEAD("in row 1 column 1", "") },
	{ "text", "ab\r\ncd", HEAD("in row 2 column 3", "") "ab\ncd\n" },
	{ "scrolled", "1\r\n2\r\n3\r\n4\r\n5\r\n",
	  HEAD("in row 4 column 1", "") "3\n4\n5\n" },
	{ "wrapped", "0123456789ab", HEAD("in row 2 column 3", "") "0123456789\vab\n" },
	{ "full to the last row", "\033[4;1H0123456789",
	  HEAD("in row 4 column 10", "") "\n\n\n0123456789\n" },
	{ "ends at the margin", "0123456789\r\nab",
	  HEAD("in row 2 column 3", "") "0123456789\vab\n" },
	{ "a wide one at the margin",
	  "01234567\xe4\xb8\xad"
	  "ab",
	  HEAD("in row 2 column 3", "") "01234567\xe4\xb8\xad\vab\n" },
	{ "addressed", "\033[3;4Hx", HEAD("in row 3 column 5", "") "\n\n   x\n" },
	{ "wide",
	  "\xe4\xb8\xad"
	  "a",
	  HEAD("in row 1 column 4", "") "\xe4\xb8\xad"
					"a\n" },
	{ "title", "\033]2;my title\007",
	  HEAD("in row 1 column 1", ", title \"my title\"") },
	{ "full screen", "\033[?1049h\033[Hx",
	  HEAD("in row 1 column 2", ", full-screen program") "x\n" },
	{ "back again", "a\033[?1049hdrawn\033[?1049l",
	  HEAD("in row 1 column 2", "") "a\n" },
	{ "hidden cursor", "\033[?25l", HEAD("hidden in row 1 column 1", "") },
	{ "thirty parameters",
	  "\033[;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;1mx\033[;;;;;;;;;;;;;;;;;1;1;1;1;1;1Hy",
	  HEAD("in row 1 column 3", "") "xy\n" },
	{ "another encoding", "\033%@\x9b;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;1mx",
	  HEAD("in row 4 column 5",
	       "") "\xef\xbf\xbd;;;;;;;;;\v;;;;;;;;;;\v;;;;;;;;;;\v;1mx\n" },
	{ "a string in pieces", "\033[\xb5\033]2;t\033\\\033[\xb5\033]\033\\x",
	  HEAD("in row 1 column 4", ", title \"t\"") "\xef\xbf\xbd\xef\xbf\xbdx\n" },
	{ "no control moves the cursor out", "\xc2\x9c\xc2\x9c\xc2\x9c\033Hx\033[gy",
	  HEAD("in row 1 column 9", "") "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf"
					"\xbd\xef\xbf\xbd\xef\xbf\xbdxy\n" },
	{ "colours", "\033[1;31mred\033[m", HEAD("in row 1 column 4", "") "red\n" },
};

static void show(struct screen *s, const char *want)
{
	_cleanup_buf_ struct buf got = BUF_INIT(4096);

	assert_int_equal(screen_text(s, &got), 0);
	assert_string_equal(buf_cstr(&got), want);
}

static struct screen *make(void)
{
	struct screen *s = NULL;
	struct err e = ERR_NONE;

	unit_ok(screen_new(4, 10, &s, &e), &e);
	return s;
}

static void test_row(const void *p)
{
	const struct row *row = p;
	size_t len = strlen(row->in);

	for (size_t step = 1; step <= MAX(len, (size_t)1); step++) {
		struct screen *s = make();

		for (size_t i = 0; i < len; i += step)
			screen_feed(s, row->in + i, MIN(step, len - i));
		show(s, row->want);
		screen_free(&s);
	}
}

/* Skipping what scrolled away must not be seen. */
static void much_plain_text(void)
{
	struct screen *s = make();
	char line[32];

	screen_feed(s, "\033[31mtop\033[m\r\n", 13);
	for (int i = 0; i < 100000; i++) {
		snprintf(line, sizeof(line), "%d\r\n", i);
		screen_feed(s, line, strlen(line));
	}
	show(s, HEAD("in row 4 column 1", "") "99997\n99998\n99999\n");
	screen_free(&s);
}

/* As it comes from a fast program: many lines at once. */
static void feed_lines(struct screen *s, int n)
{
	_cleanup_buf_ struct buf b = BUF_INIT(1 << 16);

	for (int i = 0; i < n; i++) {
		assert_int_equal(buf_addf(&b, "%d\r\n", i), 0);
		if (b.len < 4000 && i + 1 < n)
			continue;
		screen_feed(s, b.data, b.len);
		buf_truncate(&b, 0);
	}
}

/* One that never ends hides what follows for a while, not for ever; and its end is seen
 * in what would be skipped. */
static void a_string_without_end(void)
{
	struct screen *s = make();

	screen_feed(s, "\033]2;title\r\n", 11);
	feed_lines(s, 100000);
	show(s, HEAD("in row 4 column 1", "") "99997\n99998\n99999\n");
	screen_feed(s, "\033]2;t", 5);
	screen_settle(s);
	screen_feed(s, "\007", 1);
	feed_lines(s, 100000);
	show(s, HEAD("in row 4 column 1", ", title \"t\"") "99997\n99998\n99999\n");
	screen_free(&s);
}

static void overprinted_without_newlines(void)
{
	struct screen *s = make();
	char line[32];

	screen_feed(s, "stays\r\n", 7);
	for (int i = 0; i < 100000; i++) {
		snprintf(line, sizeof(line), "\r%d", i);
		screen_feed(s, line, strlen(line));
	}
	show(s, HEAD("in row 2 column 6", "") "stays\n99999\n");
	screen_free(&s);
}

#define LIKE(n) "[\xe2\x80\xa6 " n " rows like the one above \xe2\x80\xa6]\n"
#define ROW "0123456\n"

static const struct fold {
	const char *name, *in, *want;
} folds[] = {
	{ "nothing", "", "" },
	{ "no rows are alike", "a\nb\n", "a\nb\n" },
	{ "five rows stay", "a\n" ROW ROW ROW ROW ROW "b\n",
	  "a\n" ROW ROW ROW ROW ROW "b\n" },
	{ "seven do not", "a\n" ROW ROW ROW ROW ROW ROW ROW "b\n",
	  "a\n" ROW LIKE("6") "b\n" },
	{ "what is longer said than shown", "~\n~\n~\n~\n~\n~\n~\n~\nb\n",
	  "~\n~\n~\n~\n~\n~\n~\n~\nb\n" },
	{ "an editor's empty rows",
	  "~\n~\n~\n~\n~\n~\n~\n~\n~\n~\n~\n~\n~\n~\n~\n~\n~\n~\n~\n~\n~\n~\nb",
	  "~\n" LIKE("21") "b" },
	{ "two runs", ROW ROW ROW ROW ROW ROW ROW "b\n" ROW ROW ROW ROW ROW ROW ROW ROW,
	  ROW LIKE("6") "b\n" ROW LIKE("7") },
	{ "a last row without an end", ROW ROW ROW ROW ROW ROW ROW "0123456",
	  ROW LIKE("6") "0123456" },
};

static void test_fold(const void *p)
{
	const struct fold *row = p;
	_cleanup_buf_ struct buf text = BUF_INIT(4096);

	assert_int_equal(buf_adds(&text, row->in), 0);
	screen_fold(&text);
	assert_string_equal(buf_cstr(&text), row->want);
}

static void on_answer(void *ctx, const char *data, size_t len)
{
	assert_return_code(buf_add(ctx, data, len), 0);
}

static void answers(void)
{
	_cleanup_buf_ struct buf got = BUF_INIT(256);
	struct screen *s = make();

	screen_on_answer(s, on_answer, &got);
	screen_feed(s, "ab\033[6n", 6);
	assert_true(screen_pending(s));
	screen_settle(s);
	assert_string_equal(buf_cstr(&got), "\033[1;3R");
	assert_false(screen_pending(s));
	screen_free(&s);
}

static void keys_and_calm(void)
{
	struct screen *s = make();

	assert_false(screen_application_keys(s));
	screen_feed(s, "\033[?1h\033[?1049h\033[?25l", 19);
	assert_true(screen_application_keys(s));
	screen_calm(s);
	assert_false(screen_application_keys(s));
	screen_free(&s);
}

static void feed(struct screen *s, const char *text)
{
	screen_feed(s, text, strlen(text));
}

/* But what it has shown stays, and the next goes on behind it. */
static void what_was_shown_stays(void)
{
	struct screen *s = make();

	feed(s, "\033[31mred\033[m\r\n");
	screen_calm(s);
	feed(s, "two\r\n");
	screen_calm(s);
	show(s, HEAD("in row 3 column 1", "") "red\ntwo\n");
	feed(s, "\033[?1049hdrawn");
	screen_calm(s);
	feed(s, "end");
	show(s, HEAD("in row 3 column 4", "") "red\ntwo\nend\n");
	screen_free(&s);
}

/* What a command leaves behind is no part of the next, also when it has been seen. */
static void nothing_is_left(void)
{
	static const char *const left[] = {
		"\033[4h",    "\033[2;3r", "\033[?6h\033[2;3r", "\033(0",
		"\033)0\016", "\033]0;",   "\033P$q",		"\033[?69h\033[3;5s",
	};

	for (size_t i = 0; i < ARRAY_SIZE(left); i++) {
		struct screen *s = make();

		feed(s, left[i]);
		screen_settle(s);
		screen_calm(s);
		feed(s, "1\r\n2\r\nqqqqq\r\n4\r\n5\r\nab\rc");
		show(s, HEAD("in row 4 column 2", "") "qqqqq\n4\n5\ncb\n");
		screen_free(&s);
	}
}

static void count(void *ctx, const char *, size_t)
{
	++*(int *)ctx;
}

/* A query waits for whoever may answer it, but no screenfuls of sequences behind it. */
static void sequences_do_not_pile_up(void)
{
	struct screen *s = make();
	int answers = 0;

	screen_on_answer(s, count, &answers);
	feed(s, "\033[6n");
	assert_int_equal(answers, 0);
	assert_true(screen_pending(s));
	for (int i = 0; i < SCREEN_WAITING / 4; i++)
		feed(s, "\033[2J");
	assert_int_equal(answers, 1);
	screen_free(&s);
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "much plain text is skipped unseen", much_plain_text },
		{ "a string without end", a_string_without_end },
		{ "overprinting is not skipped", overprinted_without_newlines },
		{ "O3: queries are answered", answers },
		{ "keys, calm, resize", keys_and_calm },
		{ "nothing is left", nothing_is_left },
		{ "what was shown stays", what_was_shown_stays },
		{ "sequences do not pile up", sequences_do_not_pile_up },
	};

	return unit_rows("screen (X12)", rows, test_row) +
	       unit_rows("screen_fold", folds, test_fold) + unit_cases("screen", cases);
}
