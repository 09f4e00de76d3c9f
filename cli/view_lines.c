#include "cli/view_lines.h"

#include "cli/view_words.h"

/* Where the reader is within an escape sequence (ECMA-48). */
enum state { PLAIN, ESCAPE, CSI, STRING, STRING_ESCAPE };

static enum state after_escape(unsigned char c)
{
	if (c == '[')
		return CSI;
	if (c == ']' || c == 'P' || c == '^' || c == '_' || c == 'X')
		return STRING;
	return c >= 0x20 && c <= 0x2f ? ESCAPE : PLAIN;
}

/* Steps over one byte of a sequence; CAN and ESC begin anew. */
static enum state skip(enum state st, unsigned char c)
{
	if (c == 0x1b)
		return st == STRING ? STRING_ESCAPE : ESCAPE;
	if (c == 0x18 || c == 0x1a)
		return PLAIN;
	switch (st) {
	case ESCAPE:
		return after_escape(c);
	case CSI:
		return c >= 0x40 && c <= 0x7e ? PLAIN : CSI;
	case STRING:
		return c == 0x07 ? PLAIN : STRING;
	case STRING_ESCAPE: /* ESC \ ends it, anything else is a new sequence */
		return c == '\\' ? PLAIN : after_escape(c);
	case PLAIN:
	default:
		return PLAIN;
	}
}

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
	_cleanup_buf_ struct buf b = BUF_INIT((size_t)4 * VIEW_LINES_MAX);
	struct view_words w = { .n = 0 };

	l->line[l->n] = '\0';
	if (view_words_add(&w, l->line, l->n, &b) == 0)
		fn(ctx, buf_cstr(&b));
	l->n = 0;
	l->cr = false;
}

void view_lines_add(struct view_lines *l, const char *s, size_t len, view_lines_fn *fn,
		    void *ctx)
{
	for (size_t i = 0; i < len; i++) {
		unsigned char c = (unsigned char)s[i];

		if (l->state != PLAIN || c == 0x1b) {
			l->state = (unsigned char)skip((enum state)l->state, c);
		} else if (c == '\n') {
			emit(l, fn, ctx);
		} else if (c == '\r') {
			l->cr = true;
		} else {
			if (l->cr)
				l->n = 0;
			l->cr = false;
			put(l, c);
		}
	}
}

void view_lines_end(struct view_lines *l, view_lines_fn *fn, void *ctx)
{
	if (l->n)
		emit(l, fn, ctx);
	*l = (struct view_lines){ .n = 0 };
}
