#include "tests/unit/unit.h"

#include <stdio.h>

#include "base/buf.h"
#include "cli/task/view/output.h"

static const struct view_look terminal = { 40, 24, false }, wide = { 80, 24, false },
			      pipe_look = { 0, 0, false };

static void add(struct view_output *o, const char *s, const struct view_look *look,
		struct buf *stay)
{
	view_output_add(o, s, strlen(s), look, stay);
}

static void the_head_stays_and_the_end_is_seen(void)
{
	_cleanup_buf_ struct buf stay = BUF_INIT(8192), now = BUF_INIT(8192);
	struct view_output o = { .n_lines = 0 };
	char line[32];

	view_output_begin(&o);
	for (int i = 1; i <= 20; i++) {
		snprintf(line, sizeof(line), "%d\r\n", i);
		add(&o, line, &terminal, &stay);
	}
	assert_string_equal(
		buf_cstr(&stay),
		"  1\n  2\n  3\n  4\n  5\n  6\n  7\n  8\n  9\n  10\n  11\n  12\n");
	view_output_now(&o, &terminal, &now);
	assert_string_equal(buf_cstr(&now), "  … 4 lines …\n  17\n  18\n  19\n  20\n");
	buf_truncate(&stay, 0);
	view_output_end(&o, &terminal, &(struct view_ended){ 0 }, &stay);
	assert_string_equal(buf_cstr(&stay),
			    "  13\n  14\n  15\n  16\n  17\n  18\n  19\n  20\n");
	/* one more is worth its line */
	for (int i = 1; i <= 21; i++) {
		snprintf(line, sizeof(line), "%d\r\n", i);
		add(&o, line, &terminal, &now);
	}
	buf_truncate(&stay, 0);
	view_output_end(&o, &terminal, &(struct view_ended){ 0 }, &stay);
	assert_string_equal(buf_cstr(&stay),
			    "  … 5 lines, 'cubby log -l' shows them …\n"
			    "  18\n  19\n  20\n  21\n");
	/* the log has what the model got */
	for (int i = 1; i <= 21; i++) {
		snprintf(line, sizeof(line), "%d\r\n", i);
		add(&o, line, &wide, &now);
	}
	buf_truncate(&stay, 0);
	view_output_end(&o, &wide, &(struct view_ended){ .cut = true }, &stay);
	assert_string_equal(buf_cstr(&stay),
			    "  … 5 lines, 'cubby log --terminal' has them …\n"
			    "  18\n  19\n  20\n  21\n");
	view_output_done(&o);
}

static void lines_fit_by_width(void)
{
	_cleanup_buf_ struct buf stay = BUF_INIT(8192);
	const struct view_look narrow = { 10, 24, false };
	struct view_output o = { .n_lines = 0 };

	view_output_begin(&o);
	add(&o, "你好你好你\n12345678\na\tb\n", &narrow, &stay);
	assert_string_equal(buf_cstr(&stay), "  你好你…\n  12345678\n  a      …\n");
	view_output_done(&o);
}

/* Cut at each byte: the switch of screens is found wherever it is. */
static void a_full_screen_program_is_seen_as_its_screen(void)
{
	static const char all[] =
		"before\r\n\033[?1049h\033[2J\033[3;5HMenu\033[4;5H> one"
		"\033[31m two";

	for (size_t cut = 1; cut < sizeof(all) - 1; cut++) {
		_cleanup_buf_ struct buf stay = BUF_INIT(1 << 16),
					 now = BUF_INIT(1 << 16);
		struct view_output o = { .n_lines = 0 };

		view_output_begin(&o);
		view_output_add(&o, all, cut, &terminal, &stay);
		view_output_add(&o, all + cut, sizeof(all) - 1 - cut, &terminal, &stay);
		assert_string_equal(buf_cstr(&stay), "  before\n");
		view_output_now(&o, &terminal, &now);
		assert_string_equal(buf_cstr(&now), "  │     Menu\n"
						    "  │     > one two\n");
		add(&o, "\033[?1049lafter\r\n", &terminal, &stay);
		view_output_end(&o, &terminal, &(struct view_ended){ 0 }, &stay);
		assert_string_equal(buf_cstr(&stay), "  before\n  after\n");
		view_output_done(&o);
	}
}

/* What answers it draws on the screen that is there, which is shown again if it does. */
static void a_program_that_waits_keeps_its_screen(void)
{
	_cleanup_buf_ struct buf stay = BUF_INIT(1 << 16);
	struct view_output o = { .n_lines = 0 };

	view_output_begin(&o);
	add(&o, "\033[?1049h\033[3;5HMenu", &terminal, &stay);
	view_output_end(&o, &terminal, &(struct view_ended){ .open = true }, &stay);
	assert_string_equal(buf_cstr(&stay), "  │     Menu\n");
	buf_truncate(&stay, 0);
	view_output_end(&o, &terminal, &(struct view_ended){ .open = true }, &stay);
	assert_string_equal(buf_cstr(&stay), "");
	add(&o, "\033[3;5Hmenu", &terminal, &stay);
	view_output_end(&o, &terminal, &(struct view_ended){ .open = true }, &stay);
	assert_string_equal(buf_cstr(&stay), "  │     menu\n");
	buf_truncate(&stay, 0);
	add(&o, "\033[?1049lbye\r\n", &terminal, &stay);
	view_output_end(&o, &terminal, &(struct view_ended){ 0 }, &stay);
	assert_string_equal(buf_cstr(&stay), "  bye\n");
	assert_null(o.screen);
}

static void in_a_pipe_there_are_lines_alone(void)
{
	_cleanup_buf_ struct buf stay = BUF_INIT(8192);
	struct view_output o = { .n_lines = 0 };

	view_output_begin(&o);
	add(&o, "\033[?1049hx\033[5;5Hy\n", &pipe_look, &stay);
	view_output_end(&o, &pipe_look, &(struct view_ended){ 0 }, &stay);
	assert_string_equal(buf_cstr(&stay), "  xy\n");
	assert_null(o.screen);
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "the head stays and the end is seen",
		  the_head_stays_and_the_end_is_seen },
		{ "lines fit by width", lines_fit_by_width },
		{ "a full-screen program is seen as its screen",
		  a_full_screen_program_is_seen_as_its_screen },
		{ "a program that waits keeps its screen",
		  a_program_that_waits_keeps_its_screen },
		{ "in a pipe there are lines alone", in_a_pipe_there_are_lines_alone },
	};

	return unit_cases("view_output", cases);
}
