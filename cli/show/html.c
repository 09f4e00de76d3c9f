#include "cli/show/html.h"

#include <stdlib.h>
#include <string.h>

#include "base/def.h"
#include "base/text.h"

enum { BITS = 6, PARAMS = 32, RGB = 0x1000000 };

static const struct html_style plain = { 0, -1, -1 };

void html_text(struct buf *out, const char *s, size_t len)
{
	text_seen(out, s, len, true);
}

static bool same(struct html_style a, struct html_style b)
{
	return a.bits == b.bits && a.color == b.color && a.background == b.background;
}

static void add_color(struct buf *out, const char *what, char class, int32_t c)
{
	if (c >= RGB)
		buf_addf(out, "\" style=\"%s:#%06x", what, (unsigned)(c & 0xffffff));
	else if (c >= 0)
		buf_addf(out, " %c%d", class, (int)c);
}

/* Classes come first: a colour that has none ends them. */
static void show_style(struct html *h)
{
	struct html_style s = h->now;
	struct buf *out = h->out;

	if (same(h->now, h->shown))
		return;
	if (!same(h->shown, plain))
		buf_adds(out, "</span>");
	h->shown = h->now;
	if (same(s, plain))
		return;
	if (s.color >= RGB && s.background >= 0) /* one attribute of each kind */
		s.background = -1;
	buf_adds(out, "<span class=\"s");
	for (unsigned i = 0; i < BITS; i++)
		if (s.bits & 1U << i)
			buf_addf(out, " a%u", i);
	add_color(out, "background", 'b', s.background < RGB ? s.background : -1);
	add_color(out, "color", 'c', s.color < RGB ? s.color : -1);
	add_color(out, "color", 'c', s.color >= RGB ? s.color : -1);
	add_color(out, "background", 'b', s.background >= RGB ? s.background : -1);
	buf_adds(out, "\">");
}

/* 16 to 255: a cube of 6, then greys (xterm). */
static int32_t indexed(unsigned long n)
{
	static const unsigned char steps[] = { 0, 95, 135, 175, 215, 255 };

	if (n < 16)
		return (int32_t)n;
	if (n > 255)
		return -1;
	if (n >= 232)
		return RGB | (int32_t)((8 + 10 * (n - 232)) * 0x10101);
	n -= 16;
	return RGB | steps[n / 36] << 16 | steps[n / 6 % 6] << 8 | steps[n % 6];
}

/* 38;5;N and 38;2;R;G;B; returns how many numbers belong to it. */
static size_t long_color(const unsigned long *p, size_t n, int32_t *ret)
{
	if (n >= 3 && p[1] == 5) {
		*ret = indexed(p[2]);
		return 3;
	}
	if (n >= 5 && p[1] == 2) {
		*ret = RGB |
		       (int32_t)((p[2] & 255) << 16 | (p[3] & 255) << 8 | (p[4] & 255));
		return 5;
	}
	return n;
}

static size_t apply(struct html_style *s, const unsigned long *p, size_t n)
{
	static const unsigned char bits[] = {
		[1] = 1, [2] = 2, [3] = 4, [4] = 8, [7] = 32, [9] = 16
	};
	static const unsigned char offs[] = {
		[22] = 3, [23] = 4, [24] = 8, [27] = 32, [29] = 16
	};
	const unsigned long c = *p;

	if (c == 0)
		*s = plain;
	else if (c == 38 || c == 48)
		return long_color(p, n, c == 38 ? &s->color : &s->background);
	else if (c < ARRAY_SIZE(bits))
		s->bits |= bits[c];
	else if (c < ARRAY_SIZE(offs))
		s->bits &= ~(unsigned)offs[c];
	else if (c >= 30 && c <= 39)
		s->color = c == 39 ? -1 : (int32_t)(c - 30);
	else if (c >= 40 && c <= 49)
		s->background = c == 49 ? -1 : (int32_t)(c - 40);
	else if (c >= 90 && c <= 97)
		s->color = (int32_t)(c - 82);
	else if (c >= 100 && c <= 107)
		s->background = (int32_t)(c - 92);
	return 1;
}

static void on_style(struct html *h, const char *s, size_t len)
{
	unsigned long p[PARAMS] = { 0 };
	size_t n = 0;

	for (size_t at = 2; at < len && n < PARAMS; at++) {
		if (s[at] >= '0' && s[at] <= '9')
			p[n] = p[n] * 10 + (unsigned long)(s[at] - '0');
		else if (s[at] == ';' || s[at] == 'm')
			n++;
		else
			return; /* a private one */
	}
	for (size_t at = 0; at < n;)
		at += apply(&h->now, p + at, n - at);
}

static void on_piece(void *ctx, const char *data, size_t len)
{
	struct html *h = ctx;

	if (*data == '\033') {
		if (len > 2 && data[1] == '[' && data[len - 1] == 'm')
			on_style(h, data, len);
		return;
	}
	for (size_t at = 0; at < len;) {
		const char *s = data + at;
		size_t n = 0;

		while (at + n < len &&
		       (strchr("\n\t", s[n]) || (unsigned char)s[n] >= ' ') && s[n] &&
		       s[n] != 0x7f)
			n++;
		if (n) {
			show_style(h);
			html_text(h->out, s, n);
		}
		at += n + (at + n < len); /* what places the cursor goes */
	}
}

void html_begin(struct html *h)
{
	*h = (struct html){ .now = plain, .shown = plain };
	escape_init(&h->escape, on_piece, h);
}

void html_feed(struct html *h, const char *s, size_t len, struct buf *out)
{
	h->escape.ctx = h;
	h->out = out;
	escape_feed(&h->escape, s, len);
}

void html_end(struct html *h, struct buf *out)
{
	h->escape.ctx = h;
	h->out = out;
	escape_end(&h->escape);
	h->now = plain;
	show_style(h);
}
