#include "tests/unit/unit.h"

#include <stdio.h>

#include "agent/terminal/screen.h"
#include "cli/show/footer.h"

/* What is written is drawn by a terminal, and its screen compared. */
struct drawn {
	struct footer footer;
	struct screen *screen;
	char *text;
	size_t len, seen;
};

enum { ROWS = 6, COLS = 20 };

static void begin(struct drawn *d)
{
	struct err e = ERR_NONE;

	*d = (struct drawn){ .seen = 0 };
	footer_init(&d->footer, open_memstream(&d->text, &d->len), -1);
	d->footer.rows = ROWS;
	d->footer.cols = COLS;
	unit_ok(screen_new(ROWS, COLS, &d->screen, &e), &e);
	screen_feed(d->screen, "> cubby\r\n", 9);
}

static void draw(struct drawn *d, const char *stay, const char *change)
{
	_cleanup_buf_ struct buf a = BUF_INIT(4096), b = BUF_INIT(4096);

	buf_adds(&a, stay);
	buf_adds(&b, change);
	footer_draw(&d->footer, &a, &b);
	fflush(d->footer.file);
	screen_feed(d->screen, d->text + d->seen, d->len - d->seen);
	d->seen = d->len;
}

static void shows(struct drawn *d, const char *want)
{
	_cleanup_buf_ struct buf b = BUF_INIT(1 << 16);

	assert_int_equal(screen_text(d->screen, &b), 0);
	assert_string_equal(strchr(buf_cstr(&b), '\n') + 1, want);
}

static void end(struct drawn *d)
{
	footer_done(&d->footer);
	fclose(d->footer.file);
	free(d->text);
	screen_free(&d->screen);
}

static void rows_change_below_rows_that_stay(void)
{
	struct drawn d;

	begin(&d);
	draw(&d, "", "working\n");
	shows(&d, "> cubby\nworking\n");
	draw(&d, "one\n", "still\nworking\n");
	shows(&d, "> cubby\none\nstill\nworking\n");
	draw(&d, "two\n", "w\n");
	shows(&d, "> cubby\none\ntwo\nw\n");
	draw(&d, "", "");
	shows(&d, "> cubby\none\ntwo\n");
	draw(&d, "three\n", "");
	shows(&d, "> cubby\none\ntwo\nthree\n");
	end(&d);
}

static void what_is_the_same_is_not_written_again(void)
{
	struct drawn d;
	size_t before;

	begin(&d);
	draw(&d, "", "open\nstatus 1\n");
	before = d.len;
	draw(&d, "", "open\nstatus 1\n");
	assert_int_equal(d.len, before);
	draw(&d, "open\n", "status 1\n"); /* it stays, as it is */
	assert_int_equal(d.len, before);
	draw(&d, "", "status 2\n");
	assert_string_equal(d.text + before,
			    "\r\033[?7l\033[2Kstatus 2\033[K\033[?7h\033[J");
	shows(&d, "> cubby\nopen\nstatus 2\n");
	end(&d);
}

static void more_than_the_screen_scrolls_away(void)
{
	struct drawn d;

	begin(&d);
	draw(&d, "", "1\n2\n3\n4\n5\n6\n7\n8\n");
	shows(&d, "3\n4\n5\n6\n7\n8\n");
	draw(&d, "", "1 x\n2\n3\n4\n5\n6\n7\n8 x\n");
	shows(&d, "3\n4\n5\n6\n7\n8 x\n");
	draw(&d, "1 x\n2\n3\n4\n5\n6\n7\n8 x\n9\n", "");
	shows(&d, "5\n6\n7\n8 x\n9\n");
	end(&d);
}

static void fewer_rows_leave_nothing_behind(void)
{
	struct drawn d;

	begin(&d);
	draw(&d, "", "a\nb\nc\n");
	draw(&d, "", "a\n");
	shows(&d, "> cubby\na\n");
	draw(&d, "", "b\nc\n");
	shows(&d, "> cubby\nb\nc\n");
	footer_clear(&d.footer);
	draw(&d, "end\n", "");
	shows(&d, "> cubby\nend\n");
	end(&d);
}

/* A terminal that became narrower has broken the row in two. */
static void rows_of_a_wider_terminal_are_taken_back(void)
{
	struct drawn d;

	begin(&d);
	draw(&d, "", "a row of 18 columns\n");
	screen_feed(d.screen, "\033[H\033[2J> cubby\r\na row of 1\r\n8 columns", 37);
	d.footer.cols = 10;
	draw(&d, "", "short\n");
	shows(&d, "> cubby\nshort\n");
	end(&d);
}

static void without_a_terminal_rows_that_stay_are_written(void)
{
	struct drawn d;

	begin(&d);
	d.footer.cols = d.footer.rows = 0;
	draw(&d, "one\n", "status\n");
	draw(&d, "two\n", "status\n");
	assert_string_equal(d.text, "one\ntwo\n");
	assert_int_equal(footer_width(&d.footer), 0);
	end(&d);
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "rows change below rows that stay",
		  rows_change_below_rows_that_stay },
		{ "what is the same is not written again",
		  what_is_the_same_is_not_written_again },
		{ "more than the screen scrolls away",
		  more_than_the_screen_scrolls_away },
		{ "fewer rows leave nothing behind", fewer_rows_leave_nothing_behind },
		{ "rows of a wider terminal are taken back",
		  rows_of_a_wider_terminal_are_taken_back },
		{ "without a terminal rows that stay are written",
		  without_a_terminal_rows_that_stay_are_written },
	};

	return unit_cases("footer", cases);
}
