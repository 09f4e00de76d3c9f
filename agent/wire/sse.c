#include "agent/wire/sse.h"

#include <string.h>

#include "base/json.h"

void sse_init(struct sse *s, sse_event_fn *fn, void *ctx)
{
	*s = (struct sse){ .line = BUF_INIT(SSE_MAX),
			   .data = BUF_INIT(SSE_MAX),
			   .fn = fn,
			   .ctx = ctx };
}

void sse_done(struct sse *s)
{
	buf_done(&s->line);
	buf_done(&s->data);
}

static int too_large(int r, struct err *e)
{
	return r < 0 ? err_sys(e, r, "event of more than %d bytes", SSE_MAX) : 0;
}

static int dispatch(struct sse *s, struct err *e)
{
	int r = 0;

	if (s->has_data && s->data.len)
		r = s->fn(s->ctx, s->data.data, s->data.len, e);
	buf_truncate(&s->data, 0);
	s->has_data = false;
	return r;
}

static int add_data(struct sse *s, const char *p, size_t n, struct err *e)
{
	if (s->has_data)
		buf_addc(&s->data, '\n');
	buf_add(&s->data, p, n);
	s->has_data = true;
	return too_large(buf_failed(&s->data), e);
}

static bool blank(const char *p, size_t n)
{
	while (n && (p[n - 1] == ' ' || p[n - 1] == '\t'))
		n--;
	return n == 0;
}

/* One line without its end. Fields other than data are of no use here: the type of an
 * event is in its data too, and nobody reconnects by id. */
static int take_line(struct sse *s, const char *p, size_t n, struct err *e)
{
	if (!s->begun) {
		s->begun = true;
		if (n >= 3 && memcmp(p, "\xef\xbb\xbf", 3) == 0) {
			p += 3;
			n -= 3;
		}
	}
	if (s->lines)
		return blank(p, n) ? 0 : s->fn(s->ctx, p, n, e);
	if (n == 0)
		return dispatch(s, e);
	if (p[0] == ':') {
		s->comments++;
		return 0;
	}
	if (n < 4 || memcmp(p, "data", 4) != 0 || (n > 4 && p[4] != ':'))
		return 0;
	p += n > 4 ? 5 : 4;
	n -= n > 4 ? 5 : 4;
	if (n && p[0] == ' ') {
		p++;
		n--;
	}
	return add_data(s, p, n, e);
}

/* A line that ended: in this piece alone, or begun in earlier ones. */
static int end_line(struct sse *s, const char *p, size_t n, struct err *e)
{
	int r;

	if (s->line.len == 0)
		return take_line(s, p, n, e);
	r = n ? buf_add(&s->line, p, n) : 0;
	if (r < 0)
		return too_large(r, e);
	r = take_line(s, s->line.data, s->line.len, e);
	buf_truncate(&s->line, 0);
	return r;
}

static const char *line_end(const char *p, size_t n)
{
	const char *lf = memchr(p, '\n', n);
	const char *cr = memchr(p, '\r', lf ? (size_t)(lf - p) : n);

	return cr ? cr : lf;
}

int sse_feed(struct sse *s, const void *bytes, size_t len, struct err *e)
{
	const char *p = bytes, *end = p + len;

	while (p < end) {
		const char *eol;
		int r;

		if (s->skip_lf && *p == '\n') {
			s->skip_lf = false;
			p++;
			continue;
		}
		s->skip_lf = false;
		eol = line_end(p, (size_t)(end - p));
		if (!eol)
			return too_large(buf_add(&s->line, p, (size_t)(end - p)), e);
		r = end_line(s, p, (size_t)(eol - p), e);
		if (r < 0)
			return r;
		s->skip_lf = *eol == '\r';
		p = eol + 1;
	}
	return 0;
}

static bool whole(const struct buf *data)
{
	_cleanup_json_ struct json *j = NULL;

	if (data->len == 6 && memcmp(data->data, "[DONE]", 6) == 0)
		return true;
	return data->len &&
	       json_parse_pieces(data->data, data->len, &j, ERR_IGNORED) == 0 &&
	       json_type(j) == JSON_OBJECT;
}

int sse_end(struct sse *s, struct err *e)
{
	int r = 0;

	if (s->line.len && (!s->lines || whole(&s->line)))
		r = end_line(s, "", 0, e);
	if (r == 0 && s->has_data && whole(&s->data))
		r = dispatch(s, e);
	return r;
}
