#include "cli/view_words.h"

#include <string.h>

#include "base/text.h"

static bool shown(const char *s, int n)
{
	unsigned char c = (unsigned char)s[0];

	if (n == 1)
		return c == '\n' || c == '\t' || (c >= 0x20 && c != 0x7f);
	return !(n == 2 && c == 0xc2 && (unsigned char)s[1] < 0xa0);
}

/* The whole characters of part[]; an incomplete one stays. */
static int drain(struct view_words *w, struct buf *out)
{
	size_t at = 0;
	int r = 0;

	while (at < w->n && r == 0) {
		int n = text_utf8_len(w->part + at, w->n - at);

		if (n == 0)
			break;
		if (n < 0)
			r = buf_adds(out, "\xef\xbf\xbd");
		else if (shown(w->part + at, n))
			r = buf_add(out, w->part + at, (size_t)n);
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

size_t view_words_cut(const char *s, size_t cols)
{
	size_t at = 0;

	for (; s[at] && cols; cols--) {
		at++;
		while (((unsigned char)s[at] & 0xc0) == 0x80)
			at++;
	}
	return at;
}
