#include "agent/tool/edit.h"

#include <errno.h>
#include <string.h>

static uint64_t newlines(const char *s, size_t len)
{
	uint64_t n = 0;

	for (size_t i = 0; i < len; i++)
		n += s[i] == '\n';
	return n;
}

/* Occurrences may overlap ("aa" in "aaa" is two): either could have been meant. */
static const char *find(const struct buf *in, const char *old, size_t len,
			struct edit *ret)
{
	const char *start = buf_cstr(in), *p = start, *first = NULL;
	size_t left = in->len;

	ret->count = 0;
	while ((p = memmem(p, left, old, len))) {
		if (!first)
			first = p;
		if (ret->count < EDIT_LINES)
			ret->lines[ret->count] =
				1 + newlines(start, (size_t)(p - start));
		ret->count++;
		p++;
		left = in->len - (size_t)(p - start);
	}
	return first;
}

/* Bare newlines become CR LF. */
static int with_cr(const char *s, struct buf *out)
{
	for (; *s; s++) {
		int r = *s == '\n' && (!out->len || out->data[out->len - 1] != '\r')
				? buf_addc(out, '\r')
				: 0;

		if (r == 0)
			r = buf_addc(out, *s);
		if (r < 0)
			return r;
	}
	return 0;
}

static int join(const struct buf *in, const char *at, size_t old_len, const char *new,
		struct buf *out)
{
	size_t before = (size_t)(at - buf_cstr(in));
	int r = buf_add(out, in->data, before);

	if (r == 0)
		r = buf_adds(out, new);
	return r < 0 ? r : buf_add(out, at + old_len, in->len - before - old_len);
}

int edit_replace(const struct buf *in, const char *old, const char *new,
		 struct buf *out, struct edit *ret)
{
	_cleanup_buf_ struct buf old_cr = BUF_INIT(out->max),
				 new_cr = BUF_INIT(out->max);
	const char *at = find(in, old, strlen(old), ret);
	int r;

	if (in->len && memmem(in->data, in->len, "\r\n", 2)) {
		r = with_cr(old, &old_cr);
		r = r < 0 ? r : with_cr(new, &new_cr);
		if (r < 0)
			return r;
		new = buf_cstr(&new_cr);
		if (!ret->count) {
			old = buf_cstr(&old_cr);
			at = find(in, old, strlen(old), ret);
		}
	}
	if (ret->count != 1)
		return ret->count ? -EEXIST : -ENOENT;
	ret->first = ret->lines[0];
	ret->last = ret->first + newlines(new, strlen(new));
	return join(in, at, strlen(old), new, out);
}
