#include "cli/task/view/notify.h"

#include "tests/unit/unit.h"

static const struct row {
	const char *name, *term;
	bool vte;
	const char *want;
} rows[] = {
	{ "one that is not known better", "xterm-256color", false,
	  "\a\033]9;cubby: ended\033\\" },
	{ "kitty", "xterm-kitty", false, "\a\033]9;cubby: ended\033\\" },
	{ "GNOME's", "xterm-256color", true, "\a\033]777;notify;cubby;ended\033\\" },
	{ "rxvt", "rxvt-unicode-256color", false,
	  "\a\033]777;notify;cubby;ended\033\\" },
	{ "foot", "foot", false, "\a\033]777;notify;cubby;ended\033\\" },
	{ "tmux, within GNOME's", "tmux-256color", true, "\a" },
	{ "screen", "screen.xterm-256color", false, "\a" },
	{ "the console", "linux", false, "\a" },
	{ "an old terminal", "vt220", false, "\a" },
	{ "no word", "", true, "\a" },
	{ "nothing said", NULL, false, "\a" },
};

static void test(const void *p)
{
	const struct row *row = p;
	_cleanup_buf_ struct buf b = BUF_INIT(100);

	assert_int_equal(notify_text(row->term, row->vte, "ended", &b), 0);
	assert_string_equal(buf_cstr(&b), row->want);
}

int main(void)
{
	return unit_rows("notify_text", rows, test);
}
