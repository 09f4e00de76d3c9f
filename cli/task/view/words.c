#include "cli/task/view/words.h"

#include <string.h>

#include "base/text.h"

static int show(struct buf *out, unsigned c)
{
	return buf_addf(out, "<U+%04X>", c);
}

static int put(struct view_words *w, const char *s, size_t len, unsigned c,
	       struct buf *out)
{
	const unsigned before = w->before;
	const bool cr = w->cr;
	int r = 0;

	w->before = c;
	w->cr = c == '\r';
	if (cr && c != '\n')
		r = show(out, '\r');
	if (r < 0 || w->cr)
		return r;
	if (c == '\n' || c == '\t' || !text_hidden(before, c))
		return buf_add(out, s, len);
	return show(out, c);
}

/* The whole characters of part[]; an incomplete one stays. */
static int drain(struct view_words *w, struct buf *out)
{
	size_t at = 0;
	int r = 0;

	while (at < w->n && r == 0) {
		unsigned c = 0;
		int n = text_decode(w->part + at, w->n - at, &c);

		if (n == 0)
			break;
		if (n < 0)
			r = put(w, TEXT_REPLACEMENT, strlen(TEXT_REPLACEMENT), 0xfffd,
				out);
		else
			r = put(w, w->part + at, (size_t)n, c, out);
		at += n < 0 ? 1 : (size_t)n;
	}
	memmove(w->part, w->part + at, w->n - at);
	w->n -= at;
	return r;
}

int view_words_add(struct view_words *w, const char *s, size_t len, struct buf *out)
{
	int r = 0;

	for (size_t i = 0; i < len && r == 0; i++) {
		w->part[w->n++] = s[i];
		r = drain(w, out);
	}
	return r;
}

int view_words_all(const char *s, size_t len, struct buf *out)
{
	struct view_words w = { .n = 0 };
	int r = view_words_add(&w, s, len, out);

	if (r == 0 && w.cr)
		r = show(out, '\r');
	for (; r == 0 && w.n; w.n--)
		r = buf_adds(out, TEXT_REPLACEMENT);
	return r;
}
