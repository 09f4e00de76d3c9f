#include "base/pieces.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"

enum { HALF = 3, ESCAPE = 6 /* \uXXXX */, NO_UNIT = 0x10000 };

/* ---- halves as bytes -------------------------------------------------------------- */

/* The half that these bytes stand for, or NO_UNIT. */
static unsigned half_at(const char *s, size_t len)
{
	const unsigned char *u = (const unsigned char *)s;

	if (len < HALF || u[0] != 0xed || u[1] < 0xa0 || u[1] > 0xbf ||
	    (u[2] & 0xc0) != 0x80)
		return NO_UNIT;
	return 0xd000 | (u[1] & 0x3fu) << 6 | (u[2] & 0x3fu);
}

static bool is_high(unsigned unit)
{
	return unit >= 0xd800 && unit <= 0xdbff;
}

static bool is_low(unsigned unit)
{
	return unit >= 0xdc00 && unit <= 0xdfff;
}

static void put_pair(unsigned high, unsigned low, char ret[4])
{
	unsigned c = 0x10000 + ((high & 0x3ff) << 10 | (low & 0x3ff));

	ret[0] = (char)(0xf0 | c >> 18);
	ret[1] = (char)(0x80 | (c >> 12 & 0x3f));
	ret[2] = (char)(0x80 | (c >> 6 & 0x3f));
	ret[3] = (char)(0x80 | (c & 0x3f));
}

/* ---- a stream --------------------------------------------------------------------- */

/* At something that is no character: how much of it was taken, 0 = more must come. */
static size_t take_broken(const char *s, size_t len, struct buf *out, int *r)
{
	unsigned high = half_at(s, len), low = NO_UNIT;
	char whole[4];

	if (is_high(high)) {
		if (len == HALF)
			return 0;
		low = half_at(s + HALF, len - HALF);
	}
	if (is_low(low)) {
		put_pair(high, low, whole);
		*r = buf_add(out, whole, sizeof(whole));
		return HALF + HALF;
	}
	*r = buf_adds(out, TEXT_REPLACEMENT);
	if (high != NO_UNIT)
		return HALF;
	return len > 1 && memcmp(s, "\xc0\x80", 2) == 0 ? 2 : 1;
}

static int add(struct pieces *p, const char *s, size_t len, struct buf *out)
{
	for (size_t at = 0; at < len;) {
		size_t good = at, took;
		int n = 1, r;

		while (good < len && (n = text_utf8_len(s + good, len - good)) > 0)
			good += (size_t)n;
		r = buf_add(out, s + at, good - at);
		if (r < 0 || good == len)
			return r;
		took = n == 0 ? 0 : take_broken(s + good, len - good, out, &r);
		if (r < 0)
			return r;
		if (!took) {
			p->n = (unsigned)(len - good);
			memcpy(p->held, s + good, p->n);
			return 0;
		}
		at = good + took;
	}
	return 0;
}

int pieces_add(struct pieces *p, const char *s, size_t len, struct buf *out)
{
	char joined[2 * PIECES_HELD + 2];
	size_t more = MIN(len, sizeof(joined) - p->n), n = p->n + more;
	int r;

	if (!p->n)
		return add(p, s, len, out);
	/* what was held and a little of what follows: enough to decide about it */
	memcpy(joined, p->held, p->n);
	memcpy(joined + p->n, s, more);
	p->n = 0;
	if (more == len)
		return add(p, joined, n, out);
	r = add(p, joined, n, out);
	if (r < 0)
		return r;
	/* what is held now came with this piece, and is looked at again with the rest */
	more -= p->n;
	p->n = 0;
	return add(p, s + more, len - more, out);
}

int pieces_end(struct pieces *p, struct buf *out)
{
	int r = p->n ? buf_adds(out, TEXT_REPLACEMENT) : 0;

	p->n = 0;
	return r;
}

int pieces_whole(struct buf *text)
{
	_cleanup_buf_ struct buf pieces = take(text, BUF_INIT(text->max));
	struct pieces p = { .n = 0 };
	int r = pieces.len ? pieces_add(&p, pieces.data, pieces.len, text) : 0;

	return r < 0 ? r : pieces_end(&p, text);
}

void pieces_join(struct buf *text)
{
	size_t to = 0;
	char *s = text->data;

	if (!text->len || !memchr(s, 0xed, text->len))
		return;
	for (size_t at = 0; at < text->len;) {
		unsigned high = half_at(s + at, text->len - at), low;

		low = is_high(high) ? half_at(s + at + HALF, text->len - at - HALF)
				    : NO_UNIT;
		if (!is_low(low)) {
			s[to++] = s[at++];
			continue;
		}
		put_pair(high, low, s + to);
		to += 4;
		at += HALF + HALF;
	}
	buf_truncate(text, to);
}

/* ---- JSON ------------------------------------------------------------------------- */

static unsigned unit_at(const char *s, size_t len)
{
	char digits[5] = "";
	unsigned unit;
	int end = 0;

	if (len < ESCAPE || s[0] != '\\' || s[1] != 'u')
		return NO_UNIT;
	memcpy(digits, s + 2, 4);
	if (strspn(digits, "0123456789abcdefABCDEF") != 4 ||
	    sscanf(digits, "%x%n", &unit, &end) != 1)
		return NO_UNIT;
	return unit;
}

static int add_both(struct buf *shape, const char *a, struct buf *raw, const char *b,
		    size_t len)
{
	int r = buf_adds(shape, a);

	return r < 0 ? r : buf_add(raw, b, len);
}

static int same_in_both(struct buf *shape, struct buf *raw, const char *s, size_t len)
{
	int r = buf_add(shape, s, len);

	return r < 0 ? r : buf_add(raw, s, len);
}

/* An escape that no text can hold; 0 = it is none. */
static size_t take_escape(const char *s, size_t len, struct buf *shape, struct buf *raw,
			  int *r)
{
	unsigned unit = unit_at(s, len);
	char half[HALF];

	if (unit == 0) {
		*r = add_both(shape, "\\ufffd", raw, "\xc0\x80", 2);
		return ESCAPE;
	}
	if (unit == NO_UNIT || unit < 0xd800 || unit > 0xdfff)
		return 0;
	if (is_high(unit) && is_low(unit_at(s + ESCAPE, len - ESCAPE))) {
		*r = same_in_both(shape, raw, s, ESCAPE + ESCAPE);
		return ESCAPE + ESCAPE;
	}
	half[0] = (char)0xed;
	half[1] = (char)(0x80 | (unit >> 6 & 0x3f));
	half[2] = (char)(0x80 | (unit & 0x3f));
	*r = add_both(shape, "\\ufffd", raw, half, HALF);
	return ESCAPE;
}

int pieces_json(const char *text, size_t len, struct buf *shape, struct buf *raw)
{
	bool changed = false;

	for (size_t at = 0; at < len;) {
		size_t n = 0;
		int r = 0, u = 1;

		if (text[at] == '\\') {
			n = take_escape(text + at, len - at, shape, raw, &r);
			changed |= n == ESCAPE;
			if (!n) {
				n = MIN(len - at, (size_t)2);
				/* what is escaped may be broken, too: the grammar
				 * has no such escape */
				r = same_in_both(shape, raw, text + at, n);
			}
		} else if ((unsigned char)text[at] >= 0x80) {
			u = text_utf8_len(text + at, len - at);
		}
		if (u <= 0) {
			changed = true;
			n = 1;
			r = add_both(shape, "?", raw, text + at, 1);
		} else if (!n) {
			n = (size_t)u;
			r = same_in_both(shape, raw, text + at, n);
		}
		if (r < 0)
			return r;
		at += n;
	}
	return changed;
}
