#include "agent/terminal/clip.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

void clip_init(struct clip *c, size_t budget)
{
	*c = (struct clip){ .half = MAX(budget / 2, (size_t)1) };
	buf_init(&c->head, c->half);
}

void clip_done(struct clip *c)
{
	buf_done(&c->head);
	free(c->tail);
	clip_init(c, c->half * 2);
}

static uint64_t count_lines(const char *s, size_t len)
{
	const uint64_t low = 0x7f7f7f7f7f7f7f7fu, newlines = 0x0a0a0a0a0a0a0a0au;
	uint64_t n = 0;
	size_t i = 0;

	/* eight at a time: the high bit of each byte that is not a newline gets set */
	for (; i + 8 <= len; i += 8) {
		uint64_t v;

		memcpy(&v, s + i, 8);
		v ^= newlines;
		v = ((v & low) + low) | v;
		n += (uint64_t)__builtin_popcountll(~v & ~low);
	}
	for (; i < len; i++)
		n += s[i] == '\n';
	return n;
}

/* Ring position of the text's byte @at, which lies behind the head. */
static size_t place(const struct clip *c, uint64_t at)
{
	return (size_t)((at - c->half) % c->half);
}

static void ring_write(struct clip *c, uint64_t at, const char *s, size_t len)
{
	size_t from = place(c, at), first = MIN(len, c->half - from);

	memcpy(c->tail + from, s, first);
	memcpy(c->tail, s + first, len - first);
}

int clip_add(struct clip *c, const char *text, size_t len)
{
	size_t n = MIN(len, c->half - c->head.len);
	int r = 0;

	c->lines += count_lines(text, len);
	if (n && c->total == c->head.len) {
		r = buf_add(&c->head, text, n);
		c->total += n;
		text += n;
		len -= n;
	}
	if (!len || r < 0)
		return r;
	if (!c->tail && !(c->tail = malloc(c->half)))
		return -ENOMEM;
	if (len > c->half) {
		c->total += len - c->half;
		text += len - c->half;
		len = c->half;
	}
	ring_write(c, c->total, text, len);
	c->total += len;
	return 0;
}

static size_t tail_len(const struct clip *c)
{
	return (size_t)MIN(c->total - c->head.len, (uint64_t)c->half);
}

bool clip_cut(const struct clip *c)
{
	return c->total > c->head.len + tail_len(c);
}

static int add_tail(const struct clip *c, struct buf *out)
{
	size_t len = c->tail ? tail_len(c) : 0;
	size_t from = len ? place(c, c->total - len) : 0;
	size_t first = MIN(len, c->half - from);
	int r = buf_add(out, len ? c->tail + from : "", first);

	return r < 0 ? r : buf_add(out, len ? c->tail : "", len - first);
}

int clip_peek(const struct clip *c, struct buf *out)
{
	int r = buf_add(out, c->head.data, c->head.len);

	return r < 0 ? r : add_tail(c, out);
}

static bool continues(char ch)
{
	return ((unsigned char)ch & 0xc0) == 0x80;
}

/* Where to end the head: behind a line, when that costs less than half of it. */
static size_t head_end(const char *s, size_t len)
{
	const char *nl = memrchr(s, '\n', len);
	size_t end = len;

	if (nl && (size_t)(nl + 1 - s) >= len / 2)
		return (size_t)(nl + 1 - s);
	/* a character that the half cut through */
	for (size_t i = 1; i <= MIN(len, (size_t)4); i++)
		if (!continues(s[len - i])) {
			unsigned char u = (unsigned char)s[len - i];
			size_t want = u < 0x80 ? 1 : u < 0xe0 ? 2 : u < 0xf0 ? 3 : 4;

			return want > i ? len - i : end;
		}
	return end;
}

static size_t tail_start(const char *s, size_t len)
{
	const char *nl = memchr(s, '\n', len);
	size_t i = 0;

	if (nl && (size_t)(nl + 1 - s) <= len / 2)
		return (size_t)(nl + 1 - s);
	while (i < len && continues(s[i]))
		i++;
	return i;
}

static int take_cut(const struct clip *c, struct buf *out)
{
	_cleanup_buf_ struct buf tail = BUF_INIT(c->half);
	size_t head = head_end(buf_cstr(&c->head), c->head.len), skip;
	uint64_t lines, bytes;
	int r = add_tail(c, &tail);

	if (r < 0)
		return r;
	skip = tail_start(buf_cstr(&tail), tail.len);
	bytes = c->total - head - (tail.len - skip);
	lines = c->lines - count_lines(buf_cstr(&c->head), head) -
		count_lines(buf_cstr(&tail) + skip, tail.len - skip);
	buf_add(out, c->head.data, head);
	buf_addf(out, "%s[\xe2\x80\xa6 ",
		 head && c->head.data[head - 1] != '\n' ? "\n" : "");
	if (lines) /* all of it may lie within one */
		buf_addf(out, "%" PRIu64 " line%s, ", lines, lines == 1 ? "" : "s");
	buf_addf(out, "%" PRIu64 " byte%s left out \xe2\x80\xa6]\n", bytes,
		 bytes == 1 ? "" : "s");
	buf_add(out, buf_cstr(&tail) + skip, tail.len - skip);
	return buf_failed(out);
}

void clip_reset(struct clip *c)
{
	buf_truncate(&c->head, 0);
	c->total = c->lines = 0;
}

int clip_take(struct clip *c, struct buf *out)
{
	int r = clip_cut(c) ? take_cut(c, out) : clip_peek(c, out);

	clip_reset(c);
	return r;
}
