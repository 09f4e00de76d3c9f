#include "base/text.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define TEXT_ELLIPSIS "\xe2\x80\xa6" /* U+2026 */

static bool continues(unsigned char c)
{
	return (c & 0xc0) == 0x80;
}

/* What the second byte may be after @first: no overlong forms, no surrogates, nothing
 * past U+10FFFF. Source: RFC 3629, section 4. */
static bool second_fits(unsigned char first, unsigned char second)
{
	switch (first) {
	case 0xe0:
		return second >= 0xa0 && second <= 0xbf;
	case 0xed:
		return second >= 0x80 && second <= 0x9f;
	case 0xf0:
		return second >= 0x90 && second <= 0xbf;
	case 0xf4:
		return second >= 0x80 && second <= 0x8f;
	default:
		return continues(second);
	}
}

int text_utf8_len(const char *s, size_t len)
{
	const unsigned char *u = (const unsigned char *)s;
	size_t want;

	if (!len)
		return 0;
	if (u[0] < 0x80)
		return 1;
	if (u[0] < 0xc2 || u[0] > 0xf4)
		return -1;
	want = u[0] < 0xe0 ? 2 : u[0] < 0xf0 ? 3 : 4;
	if (len > 1 && !second_fits(u[0], u[1]))
		return -1;
	for (size_t i = 2; i < MIN(want, len); i++)
		if (!continues(u[i]))
			return -1;
	return len < want ? 0 : (int)want;
}

size_t text_whole(const char *s, size_t len)
{
	for (size_t n = 1; n <= MIN(len, (size_t)3); n++)
		if (text_utf8_len(s + len - n, n) == 0)
			return len - n;
	return len;
}

static unsigned decode(const unsigned char *u, int n)
{
	switch (n) {
	case 1:
		return u[0];
	case 2:
		return (u[0] & 0x1fu) << 6 | (u[1] & 0x3fu);
	case 3:
		return (u[0] & 0x0fu) << 12 | (u[1] & 0x3fu) << 6 | (u[2] & 0x3fu);
	default:
		return (u[0] & 0x07u) << 18 | (u[1] & 0x3fu) << 12 |
		       (u[2] & 0x3fu) << 6 | (u[3] & 0x3fu);
	}
}

int text_decode(const char *s, size_t len, unsigned *ret)
{
	int n = text_utf8_len(s, len);

	if (n > 0)
		*ret = decode((const unsigned char *)s, n);
	return n;
}

size_t text_encode(unsigned c, char ret[4])
{
	size_t n = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;

	for (size_t i = n; --i; c >>= 6)
		ret[i] = (char)(0x80 | (c & 0x3f));
	ret[0] = (char)(n == 1 ? c : (0xf00U >> n & 0xf0) | c);
	return n;
}

bool text_turns(unsigned c)
{
	return c == 0x061c || (c >= 0x200e && c <= 0x200f) ||
	       (c >= 0x202a && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069);
}

struct range {
	unsigned from, to;
};

static bool within(unsigned c, const struct range *ranges, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (c >= ranges[i].from && c <= ranges[i].to)
			return true;
	return false;
}

/* Pictures that variation selectors and joiners make others of. */
static bool is_picture(unsigned c)
{
	static const struct range pictures[] = {
		{ '#', '#' },	    { '*', '*' },	  { '0', '9' },
		{ 0xa9, 0xa9 },	    { 0xae, 0xae },	  { 0x203c, 0x203c },
		{ 0x2049, 0x2049 }, { 0x2122, 0x2122 },	  { 0x2139, 0x2139 },
		{ 0x2190, 0x2bff }, { 0x3030, 0x303d },	  { 0x3297, 0x3299 },
		{ 0xfe0f, 0xfe0f }, { 0x1f000, 0x1faff },
	};

	return within(c, pictures, ARRAY_SIZE(pictures));
}

/* A file name must not be able to make another line look different, nor two names look
 * the same. Source: Unicode 15, Default_Ignorable_Code_Point, and what has no picture. */
static bool is_hidden(unsigned c)
{
	static const struct range hidden[] = {
		{ 0x00, 0x1f },	      { 0x7f, 0x9f },	    { 0xad, 0xad },
		{ 0x34f, 0x34f },     { 0x61c, 0x61c },	    { 0x115f, 0x1160 },
		{ 0x17b4, 0x17b5 },   { 0x180b, 0x180f },   { 0x200b, 0x200f },
		{ 0x2028, 0x202e },   { 0x2060, 0x206f },   { 0x3164, 0x3164 },
		{ 0xfe00, 0xfe0f },   { 0xfeff, 0xfeff },   { 0xffa0, 0xffa0 },
		{ 0xfff0, 0xfffb },   { 0x1bca0, 0x1bca3 }, { 0x1d173, 0x1d17a },
		{ 0xe0000, 0xe0fff },
	};

	return within(c, hidden, ARRAY_SIZE(hidden));
}

bool text_hidden(unsigned before, unsigned c)
{
	enum { ZWNJ = 0x200c, ZWJ = 0x200d };
	/* Arabic to Sinhala: letters join or not, as these two say. */
	const bool script = before >= 0x600 && before <= 0xdff;

	if (c >= 0x20 && c < 0x7f)
		return false;
	if (c == 0xfe0e || c == 0xfe0f)
		return !is_picture(before) || before == 0xfe0f;
	if (c == ZWJ)
		return !script && (before < 0x80 || !is_picture(before));
	if (c == ZWNJ)
		return !script;
	return is_hidden(c);
}

enum { PIECE_MAX = 4 * 4 + 1 }; /* four bytes as \xNN */

/* What has a short name; NULL = nothing. */
static const char *short_name(char c)
{
	switch (c) {
	case '\\':
		return "\\\\";
	case '\n':
		return "\\n";
	case '\t':
		return "\\t";
	default:
		return NULL;
	}
}

/* Writes the escaped form of what stands at @s; returns how many bytes of @s it is.
 * @before: the character in front of it, and then this one. */
static size_t next_piece(const char *s, size_t len, unsigned *before,
			 char piece[PIECE_MAX])
{
	unsigned c = 0;
	int n = text_decode(s, len, &c);
	size_t take = n > 0 ? (size_t)n : 1;
	const char *name = short_name(*s);
	const bool hidden = text_hidden(*before, c);

	*before = n > 0 ? c : 0;
	if (name) {
		text_copy(piece, PIECE_MAX, name);
	} else if (n > 0 && !hidden) {
		memcpy(piece, s, take);
		piece[take] = '\0';
	} else {
		for (size_t i = 0; i < take; i++)
			snprintf(piece + 4 * i, 5, "\\x%02x", (unsigned char)s[i]);
	}
	return take;
}

int text_escape(struct buf *out, const char *s, size_t len)
{
	size_t start = out->len;
	char piece[PIECE_MAX];
	unsigned before = 0;
	int r;

	for (size_t at = 0; at < len;) {
		at += next_piece(s + at, len - at, &before, piece);
		r = buf_adds(out, piece);
		if (r < 0) {
			buf_truncate(out, start);
			return r;
		}
	}
	return 0;
}

char *text_escaped(char *out, size_t size, const char *s, size_t len)
{
	size_t used = 0,
	       cut = 0; /* cut: the last place where the ellipsis still fits */
	char piece[PIECE_MAX];
	unsigned before = 0;

	assert(size > strlen(TEXT_ELLIPSIS));
	for (size_t at = 0; at < len;) {
		size_t n;

		at += next_piece(s + at, len - at, &before, piece);
		n = strlen(piece);
		if (used + n >= size) {
			text_copy(out + cut, size - cut, TEXT_ELLIPSIS);
			return out;
		}
		memcpy(out + used, piece, n);
		used += n;
		if (used + strlen(TEXT_ELLIPSIS) < size)
			cut = used;
	}
	out[used] = '\0';
	return out;
}

char *text_show(char out[TEXT_SHOWN_MAX], const char *s)
{
	return text_escaped(out, TEXT_SHOWN_MAX, s, strlen(s));
}

int text_utf8(struct buf *out, const char *s, size_t len)
{
	size_t start = out->len;

	for (size_t at = 0; at < len;) {
		size_t good = at;
		int n = 1, r;

		while (good < len && (n = text_utf8_len(s + good, len - good)) > 0)
			good += (size_t)n;
		r = buf_add(out, s + at, good - at);
		if (!r && good < len)
			r = buf_adds(out, TEXT_REPLACEMENT);
		if (r < 0) {
			buf_truncate(out, start);
			return r;
		}
		at = good + (good < len);
	}
	return 0;
}

void text_seen(struct buf *out, const char *s, size_t len, bool html)
{
	unsigned before = 0;

	for (size_t at = 0; at < len;) {
		unsigned c = 0xfffd;
		const int n = text_decode(s + at, len - at, &c);

		if (n <= 0)
			buf_adds(out, TEXT_REPLACEMENT);
		else if (html && c < 0x80 && strchr("<>&\"'", (int)c) && c)
			buf_addf(out, "&#%u;", c);
		else if (c == '\n' || c == '\t' || !text_hidden(before, c))
			buf_add(out, s + at, (size_t)n);
		else
			buf_addf(out, html ? "&#60;U+%04X&#62;" : "<U+%04X>", c);
		before = c;
		at += n > 0 ? (size_t)n : 1;
	}
}

static uint64_t rounded_tenths(uint64_t n, uint64_t unit)
{
	return (uint64_t)(((unsigned __int128)n * 10 + unit / 2) / unit);
}

char *text_put_bytes(char *out, size_t size, uint64_t n)
{
	static const char *const units[] = { "B", "KiB", "MiB", "GiB", "TiB", "PiB" };
	unsigned long long tenths, whole;
	uint64_t unit = 1;
	size_t u = 0;

	/* Never "1024.0 KiB": rounding may need the next unit. */
	while (u + 1 < ARRAY_SIZE(units) &&
	       (n / unit >= 1024 || rounded_tenths(n, unit) >= 10240)) {
		unit *= 1024;
		u++;
	}
	tenths = rounded_tenths(n, unit);
	whole = tenths / 10;
	if (tenths % 10)
		snprintf(out, size, "%llu.%llu %s", whole, tenths % 10, units[u]);
	else
		snprintf(out, size, "%llu %s", whole, units[u]);
	return out;
}

char *text_put_ms(char *out, size_t size, uint64_t ms)
{
	unsigned long long tenths = (ms + 50) / 100, s = (ms + 500) / 1000;

	if (tenths < 600)
		snprintf(out, size, "%llu.%llus", tenths / 10, tenths % 10);
	else if (s < 3600)
		snprintf(out, size, "%llum%02llus", s / 60, s % 60);
	else if (s < 86400)
		snprintf(out, size, "%lluh%02llum", s / 3600, s % 3600 / 60);
	else
		snprintf(out, size, "%llud%02lluh", s / 86400, s % 86400 / 3600);
	return out;
}

char *text_time(char *out, size_t size, int64_t sec, long nsec)
{
	time_t t = (time_t)sec;
	struct tm tm;

	if (!gmtime_r(&t, &tm)) /* a year that does not fit an int */
		tm = (struct tm){ .tm_year = 70, .tm_mday = 1 };
	snprintf(out, size, "%04d-%02d-%02dT%02d:%02d:%02d.%03ldZ", tm.tm_year + 1900,
		 tm.tm_mon + 1, tm.tm_mday, tm.tm_hour, tm.tm_min, tm.tm_sec,
		 nsec / 1000000);
	return out;
}

int text_copy(char *out, size_t size, const char *s)
{
	size_t n = strlen(s), fits = MIN(n, size - 1);

	assert(size);
	memcpy(out, s, fits);
	out[fits] = '\0';
	return fits < n ? -ENAMETOOLONG : 0;
}

bool text_starts(const char *s, const char *prefix)
{
	return !strncmp(s, prefix, strlen(prefix));
}

bool text_ends(const char *s, const char *suffix)
{
	size_t n = strlen(s), m = strlen(suffix);

	return n >= m && !memcmp(s + n - m, suffix, m);
}

bool text_is_in(const char *path, const char *dir)
{
	size_t n = strlen(dir);

	while (n && dir[n - 1] == '/')
		n--;
	return strncmp(path, dir, n) == 0 && (!path[n] || path[n] == '/');
}

bool text_is_below(const char *path, const char *dir)
{
	size_t n = strlen(dir);

	return strncmp(path, dir, n) == 0 && path[n] == '/';
}

char *text_setting(char **rest, unsigned *number)
{
	while (**rest) {
		char *line = *rest, *end = line + strcspn(line, "\n");

		*rest = end + (*end != '\0');
		*end = '\0';
		++*number;
		line += strspn(line, " \t\r");
		if (*line && *line != '#')
			return line;
	}
	return NULL;
}

int text_order(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

bool text_is_word(const char *s, size_t size)
{
	static const char set[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				  "0123456789_-";

	return *s && strlen(s) < size && !s[strspn(s, set)];
}

bool text_line(const char **rest, char *ret, size_t size)
{
	size_t n = strcspn(*rest, "\n");

	if (!**rest)
		return false;
	snprintf(ret, size, "%.*s", n < size ? (int)n : 0, *rest);
	*rest += n + ((*rest)[n] == '\n');
	return true;
}
