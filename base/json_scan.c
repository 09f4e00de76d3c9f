#include "base/json_scan.h"

#include <errno.h>
#include <string.h>

#include "base/num.h"
#include "base/text.h"

/* The place of the scan. Every step returns true and moves on, or false and leaves at
 * on the fault. */
struct scan {
	const char *s;
	size_t len, at;
	unsigned depth;
	size_t values; /* that may still come */
	bool many;     /* there were more */
};

/* 0 at the end, and for a NUL, which is valid nowhere. */
static char peek(const struct scan *x)
{
	return x->at < x->len ? x->s[x->at] : '\0';
}

static bool skip_char(struct scan *x, char c)
{
	if (x->at >= x->len || x->s[x->at] != c)
		return false;
	x->at++;
	return true;
}

static void skip_space(struct scan *x)
{
	while (x->at < x->len && memchr(" \t\n\r", x->s[x->at], 4))
		x->at++;
}

static bool word(struct scan *x, const char *w)
{
	for (; *w; w++)
		if (!skip_char(x, *w))
			return false;
	return true;
}

static bool digits(struct scan *x)
{
	size_t start = x->at;

	while (peek(x) >= '0' && peek(x) <= '9')
		x->at++;
	return x->at > start;
}

static bool number(struct scan *x)
{
	skip_char(x, '-');
	if (!skip_char(x, '0') && !digits(x))
		return false;
	if (skip_char(x, '.') && !digits(x))
		return false;
	if (skip_char(x, 'e') || skip_char(x, 'E')) {
		if (!skip_char(x, '+'))
			skip_char(x, '-');
		return digits(x);
	}
	return true;
}

/* The four digits behind "\u" */
static bool unit(struct scan *x, unsigned *ret)
{
	*ret = 0;
	for (int i = 0; i < 4; i++, x->at++) {
		int h = num_hex(peek(x));

		if (h < 0)
			return false;
		*ret = *ret * 16 + (unsigned)h;
	}
	return true;
}

static bool scan_escape(struct scan *x)
{
	unsigned first, second;
	char c = peek(x);

	if (c != 'u') {
		if (!c || !strchr("\"\\/bfnrt", c))
			return false;
		x->at++;
		return true;
	}
	x->at++;
	if (!unit(x, &first) || !first || (first >= 0xdc00 && first <= 0xdfff))
		return false;
	if (first < 0xd800 || first > 0xdbff)
		return true;
	return word(x, "\\u") && unit(x, &second) && second >= 0xdc00 &&
	       second <= 0xdfff;
}

static bool string(struct scan *x)
{
	if (!skip_char(x, '"'))
		return false;
	while (x->at < x->len) {
		unsigned char c = (unsigned char)x->s[x->at];
		int n = 1;

		if (c == '"' || c == '\\') {
			x->at++;
			if (c == '"')
				return true;
			if (!scan_escape(x))
				return false;
			continue;
		}
		if (c >= 0x80)
			n = text_utf8_len(x->s + x->at, x->len - x->at);
		if (c < 0x20 || n <= 0)
			return false;
		x->at += (size_t)n;
	}
	return false;
}

static bool value(struct scan *x);

static bool member(struct scan *x, bool named)
{
	skip_space(x);
	if (named) {
		if (!string(x))
			return false;
		skip_space(x);
		if (!skip_char(x, ':'))
			return false;
	}
	return value(x);
}

/* What stands between the brackets, and the closing one. */
static bool members(struct scan *x, bool named, char close)
{
	skip_space(x);
	if (skip_char(x, close))
		return true;
	do {
		if (!member(x, named))
			return false;
		skip_space(x);
	} while (skip_char(x, ','));
	return skip_char(x, close);
}

static bool container(struct scan *x)
{
	bool object = peek(x) == '{', ok;

	if (x->depth == JSON_SCAN_DEPTH)
		return false;
	x->at++;
	x->depth++;
	ok = members(x, object, object ? '}' : ']');
	x->depth--;
	return ok;
}

/* Recursion ends at JSON_SCAN_DEPTH. */
static bool value(struct scan *x)
{
	if (!x->values--) {
		x->many = true;
		x->values = 0;
		return false;
	}
	skip_space(x);
	switch (peek(x)) {
	case '{':
	case '[':
		return container(x);
	case '"':
		return string(x);
	case 't':
		return word(x, "true");
	case 'f':
		return word(x, "false");
	case 'n':
		return word(x, "null");
	default:
		return number(x);
	}
}

int json_scan_within(const char *text, size_t len, size_t *values, size_t *bad_at)
{
	struct scan x = { .s = text, .len = len, .values = *values };

	if (value(&x)) {
		skip_space(&x);
		if (x.at == len) {
			*values = x.values;
			return 0;
		}
	}
	*bad_at = x.at;
	return x.many ? -E2BIG : -EINVAL;
}

int json_scan_check(const char *text, size_t len, size_t *bad_at)
{
	size_t any = SIZE_MAX;

	return json_scan_within(text, len, &any, bad_at);
}
