#include "cli/show/wrap.h"

#include <string.h>

#include "base/text.h"
#include "cli/show/cols.h"

enum { MARK = 3, TAB = 8, COLS_LEAST = 4 };

void wrap_mark(struct buf *out, unsigned style, enum wrap_color color)
{
	const char mark[] = { WRAP_MARK, (char)(0x40 | style), (char)('0' + color) };

	buf_add(out, mark, sizeof(mark));
}

struct look {
	unsigned style;
	char color; /* a digit */
};

/* A character, or a mark; what is incomplete at the end is one byte. */
struct step {
	size_t bytes;
	unsigned cols;
	bool mark, blank, wide;
};

static struct step step_at(const char *s, size_t len, size_t col)
{
	struct step x = { .bytes = 1, .cols = 1 };
	unsigned c = 0;
	int n;

	if (*s == WRAP_MARK)
		return (struct step){ .bytes = MIN(len, (size_t)MARK), .mark = true };
	if (*s == '\t')
		return (struct step){ .bytes = 1,
				      .cols = (unsigned)(TAB - col % TAB),
				      .blank = true };
	n = text_decode(s, len, &c);
	if (n > 0) {
		x.bytes = (size_t)n;
		x.cols = cols_char(c);
	}
	x.blank = *s == ' ';
	x.wide = x.cols == 2;
	return x;
}

size_t wrap_cols(const char *s, size_t len)
{
	size_t cols = 0;

	for (size_t at = 0; at < len;) {
		const struct step x = step_at(s + at, len - at, cols);

		cols += x.cols;
		at += x.bytes;
	}
	return cols;
}

static void put_look(struct buf *out, const struct wrap *w, struct look look)
{
	static const char codes[] = { '1', '2', '3', '4', '9' };

	if (!w->color)
		return;
	buf_adds(out, "\033[0");
	for (size_t i = 0; i < ARRAY_SIZE(codes); i++)
		if (look.style & 1U << i)
			buf_addf(out, ";%c", codes[i]);
	if (look.color != '0')
		buf_addf(out, ";3%c", look.color);
	buf_addc(out, 'm');
}

static bool is_plain(struct look look)
{
	return !look.style && look.color == '0';
}

/* What stands in a row, in its style; @look is that of its end. */
static void put_text(struct buf *out, const struct wrap *w, const char *s, size_t len,
		     struct look *look)
{
	size_t col = 0;

	if (!is_plain(*look) && len)
		put_look(out, w, *look);
	for (size_t at = 0; at < len;) {
		const struct step x = step_at(s + at, len - at, col);

		if (x.mark && x.bytes == MARK) {
			*look = (struct look){ (unsigned)s[at + 1] & 0x3f, s[at + 2] };
			put_look(out, w, *look);
		} else if (s[at] == '\t') {
			buf_addf(out, "%*s", (int)x.cols, "");
		} else if (!x.mark) {
			buf_add(out, s + at, x.bytes);
		}
		col += x.cols;
		at += x.bytes;
	}
	if (!is_plain(*look) && len)
		put_look(out, w, (struct look){ 0, '0' });
}

static void put_row(struct buf *out, const struct wrap *w, const char *front,
		    const char *s, size_t len, struct look *look)
{
	struct look plain = { 0, '0' };

	while (len && !w->anywhere && s[len - 1] == ' ')
		len--;
	if (front)
		put_text(out, w, front, strlen(front), &plain);
	put_text(out, w, s, len, look);
	buf_addc(out, '\n');
}

/* How much of @s stands in a row of @room columns. */
static size_t row_anywhere(const char *s, size_t len, size_t room)
{
	size_t at = 0, col = 0;

	while (at < len) {
		const struct step x = step_at(s + at, len - at, col);

		if (col + x.cols > room && at)
			break;
		col += x.cols;
		at += x.bytes;
	}
	return at;
}

static size_t skip_blanks(const char *s, size_t len, size_t at)
{
	while (at < len && s[at] == ' ')
		at++;
	return at;
}

/* The same at a word's end, and where the next row begins. Between wide characters words
 * may end too. */
static size_t row_of_words(const char *s, size_t len, size_t room, size_t *next)
{
	size_t at = 0, col = 0, end = 0;

	for (*next = 0; at < len;) {
		const struct step x = step_at(s + at, len - at, col);
		const bool over = col + x.cols > room;

		if (x.wide && at)
			end = *next = at;
		if (x.blank && col) {
			end = at;
			*next = skip_blanks(s, len, at + x.bytes);
		}
		if (over && (*next || at))
			break;
		col += x.cols;
		at += x.bytes;
		if (x.wide)
			end = *next = at;
	}
	if (at >= len || !*next)
		end = *next = at;
	return end;
}

static void put_line(struct buf *out, const struct wrap *w, const char **front,
		     const char *s, size_t len, struct look *look)
{
	do {
		const size_t used = *front ? wrap_cols(*front, strlen(*front)) : 0;
		const size_t room = w->cols > used ? w->cols - used : 0;
		size_t n = len, next = len;

		if (w->cols && w->anywhere)
			n = next = row_anywhere(s, len, MAX(room, (size_t)COLS_LEAST));
		else if (w->cols)
			n = row_of_words(s, len, MAX(room, (size_t)COLS_LEAST), &next);
		put_row(out, w, *front, s, n, look);
		*front = w->rest;
		s += next;
		len -= next;
	} while (len);
}

void wrap_add(struct buf *out, const struct wrap *w, const char *s, size_t len)
{
	struct look look = { 0, '0' };
	const char *front = w->first;

	for (;;) {
		const char *const end = memchr(s, '\n', len);
		const size_t n = end ? (size_t)(end - s) : len;

		put_line(out, w, &front, s, n, &look);
		if (!end || n + 1 >= len)
			return;
		s += n + 1;
		len -= n + 1;
	}
}
