#include "cli/show/footer.h"

#include <string.h>

#include "cli/show/cols.h"
#include "cli/show/tty.h"

enum { FOOTER_MAX = 8 << 20 };

static void read_size(struct footer *f)
{
	unsigned short rows = 0, cols = 0;

	if (f->fd >= 0 && tty_size(f->fd, &rows, &cols) == 0) {
		f->rows = rows;
		f->cols = cols;
	}
}

void footer_init(struct footer *f, FILE *file, int fd)
{
	*f = (struct footer){ .file = file, .fd = fd, .shown = BUF_INIT(FOOTER_MAX) };
	read_size(f);
}

void footer_done(struct footer *f)
{
	footer_clear(f);
	buf_done(&f->shown);
}

/* A character in the last column would leave open where the cursor is. */
unsigned footer_width(const struct footer *f)
{
	return f->cols > 1 ? f->cols - 1 : f->cols;
}

static size_t row_end(const char *s, size_t len)
{
	const char *const end = memchr(s, '\n', len);

	return end ? (size_t)(end - s) + 1 : len;
}

/* Rows of the screen that the text takes; more than one where a terminal that became
 * narrower has broken a row anew. */
static size_t height(const struct footer *f, const char *s, size_t len)
{
	size_t n = 0;

	for (size_t at = 0; at < len;) {
		const size_t row = row_end(s + at, len - at);
		const size_t cols = cols_text(s + at, row - 1);

		n += f->cols && cols > f->cols ? (cols + f->cols - 1) / f->cols : 1;
		at += row;
	}
	return n;
}

/* Bytes of whole rows with which both begin. */
static size_t same_rows(const char *a, size_t na, const char *b, size_t nb)
{
	size_t at = 0;

	while (at < na && at < nb) {
		const size_t n = row_end(a + at, na - at);

		if (n != row_end(b + at, nb - at) || memcmp(a + at, b + at, n) != 0)
			break;
		at += n;
	}
	return at;
}

/* Rows that have left the screen cannot be written again. */
static size_t first_reachable(const struct footer *f, const char *s, size_t len)
{
	size_t at = 0;

	while (at < len && height(f, s + at, len - at) > MAX(f->rows, 1U))
		at += row_end(s + at, len - at);
	return at;
}

/* Where the rows begin that are written: in what is shown, and in what comes. */
struct from {
	size_t was, now;
};

static size_t last_row(const struct buf *b)
{
	size_t at = b->len ? b->len - 1 : 0;

	while (at && b->data[at - 1] != '\n')
		at--;
	return at;
}

static struct from find_change(const struct footer *f, const struct buf *now)
{
	const struct buf *was = &f->shown;
	const size_t same = same_rows(buf_cstr(was), was->len, buf_cstr(now), now->len);
	const size_t least = first_reachable(f, buf_cstr(was), was->len);
	struct from x = { same, same };

	if (same < least) { /* as many rows of both are left as they are */
		x = (struct from){ least, 0 };
		for (size_t at = 0; at < least && x.now < now->len;) {
			at += row_end(was->data + at, was->len - at);
			x.now += row_end(now->data + x.now, now->len - x.now);
		}
	}
	/* The cursor has to stand in the last row. */
	if (x.now && x.now == now->len && x.was < was->len) {
		x.now = last_row(now);
		x.was = same < least ? least : x.now;
	}
	return x;
}

/* The cursor is at the end of the last row that is shown, or at the start of an empty
 * one. Rows that change are not to be wrapped (CSI ? 7 l) by a terminal that has become
 * narrower and not said so yet: they would be more rows than are taken back. */
static void write_rows(const struct footer *f, const struct buf *now, size_t stays,
		       struct from from, struct buf *out)
{
	const struct buf *was = &f->shown;

	if (from.was == was->len && was->len) {
		buf_adds(out, "\r\n");
	} else if (was->len) {
		const size_t up =
			height(f, was->data + from.was, was->len - from.was) - 1;

		buf_adds(out, "\r");
		if (up)
			buf_addf(out, "\033[%zuA", up);
	}
	for (size_t at = from.now; at < now->len;) {
		const size_t n = row_end(now->data + at, now->len - at);

		if (at == MAX(from.now, stays))
			buf_adds(out, "\033[?7l");
		/* The whole row, and first: cells that are only cleared behind its text are
		 * used ones to some terminals, which wrap them when they become narrower. */
		buf_adds(out, "\033[2K");
		buf_add(out, now->data + at, n - 1);
		buf_adds(out, at + n < now->len ? "\033[K\r\n" : "\033[K");
		at += n;
	}
	if (now->len > MAX(from.now, stays))
		buf_adds(out, "\033[?7h");
	if (from.was < was->len)
		buf_adds(out, "\033[J");
}

void footer_draw(struct footer *f, const struct buf *stay, const struct buf *change)
{
	_cleanup_buf_ struct buf now = BUF_INIT((size_t)2 * FOOTER_MAX);
	_cleanup_buf_ struct buf out = BUF_INIT((size_t)3 * FOOTER_MAX);
	const size_t stays = stay ? stay->len : 0;
	struct from from;

	if (stays)
		buf_add(&now, stay->data, stays);
	if (!f->cols) {
		fwrite(buf_cstr(&now), 1, now.len, f->file);
		fflush(f->file);
		return;
	}
	if (change && change->len)
		buf_add(&now, change->data, change->len);
	from = find_change(f, &now);
	if (from.now < now.len || from.was < f->shown.len)
		write_rows(f, &now, stays, from, &out);
	if (stays && now.len == stays)
		buf_adds(&out, "\r\n");
	if (out.len) {
		fwrite(out.data, 1, out.len, f->file);
		fflush(f->file);
	}
	buf_truncate(&f->shown, 0);
	buf_add(&f->shown, buf_cstr(&now) + stays, now.len - stays);
}

void footer_clear(struct footer *f)
{
	footer_draw(f, NULL, NULL);
}

void footer_forget(struct footer *f)
{
	buf_truncate(&f->shown, 0);
}

bool footer_resized(const struct footer *f)
{
	unsigned short rows, cols;

	return f->cols && f->fd >= 0 && tty_size(f->fd, &rows, &cols) == 0 &&
	       (rows != f->rows || cols != f->cols);
}

void footer_resize(struct footer *f)
{
	if (!f->cols)
		return;
	read_size(f);
	footer_clear(f);
}
