#include "cli/task/view/output.h"

#include <stdio.h>
#include <string.h>

#include "agent/session/session.h"
#include "agent/terminal/screen.h"
#include "base/text.h"
#include "cli/show/cols.h"
#include "cli/show/render.h"
#include "cli/show/wrap.h"

enum { PIPE_COLS = 160, SCREEN_TEXT_MAX = 4 << 20, SPARE_ROWS = 6 };

void view_output_begin(struct view_output *o)
{
	view_output_done(o);
	*o = (struct view_output){ .n_lines = 0 };
}

void view_output_done(struct view_output *o)
{
	screen_free(&o->screen);
}

static void add_line(const char *front, const char *line, const struct view_look *look,
		     struct buf *out)
{
	const size_t len = strlen(line), used = cols_text(front, strlen(front));
	const size_t room = look->cols > used + 1 ? look->cols - used - 1 : PIPE_COLS;
	const size_t n =
		cols_text(line, len) <= room + 1 ? len : cols_cut(line, len, room);

	buf_addf(out, "%s%s%.*s%s%s\n", render_style_on(look->color, RENDER_DIM), front,
		 (int)n, line, n < len ? "…" : "", render_style_off(look->color));
}

struct adding {
	struct view_output *o;
	const struct view_look *look;
	struct buf *stay;
};

/* A tab would go to a place that nobody counted. */
static void on_line(void *ctx, const char *line)
{
	struct adding *a = ctx;
	struct view_output *o = a->o;
	char *tail = o->tail[o->n_lines % VIEW_RING];

	_cleanup_buf_ struct buf flat = BUF_INIT(64 << 10);
	const struct wrap w = { .anywhere = true };

	wrap_add(&flat, &w, line, strlen(line));
	buf_truncate(&flat, flat.len ? flat.len - 1 : 0);
	if (o->n_lines < VIEW_HEAD)
		add_line("  ", buf_cstr(&flat), a->look, a->stay);
	else
		(void)text_copy(tail, sizeof(o->tail[0]), buf_cstr(&flat));
	o->n_lines++;
}

/* The switch to the other screen, which a full-screen program makes first, and back, at
 * its end, wherever the bytes are cut. @ret: how many belong to what was before. */
static bool find_switch(struct view_output *o, const char *s, size_t len, char final,
			size_t *ret)
{
	static const char *const marks[] = { "\033[?1049", "\033[?1047", "\033[?47" };
	char seen[sizeof(o->before) + 1];

	for (*ret = 0; *ret < len;) {
		const char c = s[(*ret)++];

		if (o->n_before == sizeof(o->before))
			memmove(o->before, o->before + 1, --o->n_before);
		memcpy(seen, o->before, o->n_before);
		seen[o->n_before] = '\0';
		o->before[o->n_before++] = c;
		for (size_t i = 0; c == final && i < ARRAY_SIZE(marks); i++)
			if (text_ends(seen, marks[i]))
				return true;
	}
	return false;
}

static void switch_screen(struct view_output *o)
{
	if (o->screen)
		screen_free(&o->screen);
	else if (screen_new(SESSION_ROWS, SESSION_COLS, &o->screen, ERR_IGNORED) == 0)
		screen_feed(o->screen, "\033[?1049h", 8);
}

void view_output_add(struct view_output *o, const char *s, size_t len,
		     const struct view_look *look, struct buf *stay)
{
	struct adding a = { o, look, stay };

	o->drawn = true;
	while (len) {
		size_t n = len;
		const bool found =
			look->cols && find_switch(o, s, len, o->screen ? 'l' : 'h', &n);

		if (o->screen)
			screen_feed(o->screen, s, n);
		else
			view_lines_add(&o->lines, s, n, on_line, &a);
		if (found)
			switch_screen(o);
		s += n;
		len -= n;
	}
}

/* The rows of the screen, without the line that tells about it. */
static void add_screen(struct view_output *o, const struct view_look *look, size_t most,
		       struct buf *out)
{
	_cleanup_buf_ struct buf text = BUF_INIT(SCREEN_TEXT_MAX);
	char *row;

	if (screen_text(o->screen, &text) < 0 || !text.len)
		return;
	for (size_t i = 0; i < text.len; i++)
		if (text.data[i] == SCREEN_WRAP)
			text.data[i] = '\n';
	screen_fold(&text);
	row = strchr(text.data, '\n');
	while (row &&
	       row[1 + strspn(row + 1, " ")] == '\n') /* it begins further down */
		row = strchr(row + 1, '\n');
	while (row && *++row && most--) {
		char *const end = strchr(row, '\n');

		_cleanup_buf_ struct buf safe = BUF_INIT(SCREEN_TEXT_MAX);

		text_seen(&safe, row, end ? (size_t)(end - row) : strlen(row), false);
		add_line("  │ ", buf_cstr(&safe), look, out);
		row = end;
	}
}

static unsigned long beyond(const struct view_output *o)
{
	return o->n_lines > VIEW_HEAD ? o->n_lines - VIEW_HEAD : 0;
}

/* What came after the head: how much was left out, and the last lines; all of them where
 * there are no more than @most. */
static void add_tail(const struct view_output *o, const struct view_look *look,
		     unsigned long most, const char *where, struct buf *out)
{
	const unsigned long shown = beyond(o) <= most ? beyond(o) : VIEW_TAIL;
	char line[96];

	if (beyond(o) > shown) {
		snprintf(line, sizeof(line), "… %lu lines%s …", beyond(o) - shown,
			 where);
		add_line("  ", line, look, out);
	}
	for (unsigned long i = o->n_lines - shown; i < o->n_lines; i++)
		add_line("  ", o->tail[i % VIEW_RING], look, out);
}

void view_output_now(struct view_output *o, const struct view_look *look,
		     struct buf *change)
{
	if (o->screen)
		add_screen(o, look,
			   look->rows > SPARE_ROWS ? look->rows - SPARE_ROWS : 1,
			   change);
	else
		add_tail(o, look, VIEW_TAIL, "", change);
}

void view_output_end(struct view_output *o, const struct view_look *look,
		     const struct view_ended *ended, struct buf *stay)
{
	struct adding a = { o, look, stay };
	struct screen *screen;

	view_lines_end(&o->lines, on_line, &a);
	add_tail(o, look, VIEW_RING,
		 ended->cut ? ", 'cubby log --terminal' has them"
			    : ", 'cubby log -l' shows them",
		 stay);
	if (o->screen && o->drawn)
		add_screen(o, look, SESSION_ROWS, stay);
	screen = ended->open ? take(&o->screen, NULL) : NULL;
	view_output_begin(o);
	o->screen = screen;
}
