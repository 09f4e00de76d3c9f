#include "base/buf.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

enum { BUF_FIRST = 64 }; /* bytes: one small allocation holds most lines */

void buf_init(struct buf *b, size_t max)
{
	*b = BUF_INIT(max);
}

void buf_done(struct buf *b)
{
	free(b->data);
	*b = BUF_INIT(b->max);
}

int buf_failed(const struct buf *b)
{
	return b->failed;
}

int buf_fail(struct buf *b, int r)
{
	if (r < 0 && !b->failed)
		b->failed = r;
	return r;
}

int buf_reserve(struct buf *b, size_t n)
{
	size_t need, cap;
	char *data;

	if (n > b->max || b->len > b->max - n)
		return buf_fail(b, -EMSGSIZE);
	need = b->len + n + 1; /* the NUL */
	if (need <= b->cap)
		return 0;
	cap = b->cap ? b->cap : BUF_FIRST;
	while (cap < need)
		cap = cap > SIZE_MAX / 2 ? need : cap * 2;
	cap = MIN(cap, b->max + 1);
	data = realloc(b->data, cap);
	if (!data)
		return buf_fail(b, -ENOMEM);
	b->data = data;
	b->cap = cap;
	b->data[b->len] = '\0';
	return 0;
}

void buf_commit(struct buf *b, size_t n)
{
	assert(b->len + n < b->cap);
	b->len += n;
	b->data[b->len] = '\0';
}

int buf_add(struct buf *b, const void *data, size_t len)
{
	int r;

	if (!len)
		return 0;
	r = buf_reserve(b, len);
	if (r < 0)
		return r;
	memcpy(b->data + b->len, data, len);
	buf_commit(b, len);
	return 0;
}

int buf_addc(struct buf *b, char c)
{
	return buf_add(b, &c, 1);
}

int buf_adds(struct buf *b, const char *s)
{
	return buf_add(b, s, strlen(s));
}

int buf_vaddf(struct buf *b, const char *fmt, va_list ap)
{
	va_list again;
	int n, r;

	va_copy(again, ap);
	n = vsnprintf(NULL, 0, fmt, again);
	va_end(again);
	if (n < 0)
		return buf_fail(b, -EINVAL);
	r = buf_reserve(b, (size_t)n);
	if (r < 0)
		return r;
	vsnprintf(b->data + b->len, (size_t)n + 1, fmt, ap);
	buf_commit(b, (size_t)n);
	return 0;
}

int buf_addf(struct buf *b, const char *fmt, ...)
{
	va_list ap;
	int r;

	va_start(ap, fmt);
	r = buf_vaddf(b, fmt, ap);
	va_end(ap);
	return r;
}

void buf_consume(struct buf *b, size_t n)
{
	n = MIN(n, b->len);
	if (!n)
		return;
	memmove(b->data, b->data + n, b->len - n);
	b->len -= n;
	b->data[b->len] = '\0';
}

void buf_truncate(struct buf *b, size_t len)
{
	if (len >= b->len)
		return;
	b->len = len;
	b->data[len] = '\0';
}

const char *buf_cstr(const struct buf *b)
{
	return b->data ? b->data : "";
}

char *buf_steal(struct buf *b)
{
	char *data = take(&b->data, NULL);

	b->len = b->cap = 0;
	b->failed = 0;
	return data;
}
