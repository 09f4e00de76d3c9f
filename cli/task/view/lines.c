#include "cli/task/view/lines.h"

#include <string.h>

#include "cli/task/view/words.h"

static void put(struct view_lines *l, unsigned char c)
{
	if (c == '\b') {
		l->n -= l->n > 0;
		return;
	}
	if ((c < 0x20 && c != '\t') || c == 0x7f || l->n == VIEW_LINES_MAX - 1)
		return;
	l->line[l->n++] = (char)c;
}

static void emit(struct view_lines *l, view_lines_fn *fn, void *ctx)
{
	_cleanup_buf_ struct buf b = BUF_INIT((size_t)8 * VIEW_LINES_MAX);

	l->line[l->n] = '\0';
	if (view_words_all(l->line, l->n, &b) == 0)
		fn(ctx, buf_cstr(&b));
	l->n = 0;
	l->cr = false;
}

struct feed {
	struct view_lines *l;
	view_lines_fn *fn;
	void *ctx;
};

static bool is_one_of(const char *const *names, const char *s, size_t len)
{
	for (; *names; names++)
		if (strlen(*names) == len && memcmp(*names, s, len) == 0)
			return true;
	return false;
}

/* Sequences draw what is no line, but for those by which a progress bar goes. */
static void on_sequence(struct view_lines *l, const char *s, size_t len)
{
	static const char *const to_start[] = { "\033[G", "\033[0G", "\033[1G", NULL };
	static const char *const erase_rest[] = { "\033[K", "\033[0K", "\033[J",
						  "\033[0J", NULL };
	static const char *const erase_all[] = { "\033[2K", "\033[2J", NULL };

	if (is_one_of(to_start, s, len))
		l->cr = true;
	else if (is_one_of(erase_all, s, len) ||
		 (l->cr && is_one_of(erase_rest, s, len)))
		l->n = 0;
}

static void on_piece(void *ctx, const char *data, size_t len)
{
	const struct feed *f = ctx;
	struct view_lines *l = f->l;

	if (len && *data == '\033') {
		on_sequence(l, data, len);
		return;
	}
	for (size_t i = 0; i < len; i++) {
		if (data[i] == '\n') {
			emit(l, f->fn, f->ctx);
		} else if (data[i] == '\r') {
			l->cr = true;
		} else {
			if (l->cr)
				l->n = 0;
			l->cr = false;
			put(l, (unsigned char)data[i]);
		}
	}
}

void view_lines_add(struct view_lines *l, const char *s, size_t len, view_lines_fn *fn,
		    void *ctx)
{
	struct feed f = { .l = l, .fn = fn, .ctx = ctx };

	l->escape.fn = on_piece;
	l->escape.ctx = &f;
	escape_feed(&l->escape, s, len);
	l->escape.ctx = NULL;
}

void view_lines_end(struct view_lines *l, view_lines_fn *fn, void *ctx)
{
	struct feed f = { .l = l, .fn = fn, .ctx = ctx };

	l->escape.fn = on_piece;
	l->escape.ctx = &f;
	escape_end(&l->escape);
	if (l->n)
		emit(l, fn, ctx);
	*l = (struct view_lines){ .n = 0 };
}
