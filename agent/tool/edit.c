#include "agent/tool/edit.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/text.h"

static uint64_t newlines(const char *s, size_t len)
{
	uint64_t n = 0;

	for (size_t i = 0; i < len; i++)
		n += s[i] == '\n';
	return n;
}

/* Occurrences may overlap ("aa" in "aaa" is two): either could have been meant. */
static void count(const struct buf *in, const char *old, size_t len,
		  struct edit_fault *ret)
{
	const char *start = buf_cstr(in), *p = start;

	ret->count = 0;
	while ((p = memmem(p, in->len - (size_t)(p - start), old, len))) {
		if (ret->count < EDIT_LINES)
			ret->lines[ret->count] =
				1 + newlines(start, (size_t)(p - start));
		ret->count++;
		p++;
	}
}

/* Bare newlines become CR LF. */
static void with_cr(const char *s, struct buf *out)
{
	for (; *s; s++) {
		if (*s == '\n' && (!out->len || out->data[out->len - 1] != '\r'))
			buf_addc(out, '\r');
		buf_addc(out, *s);
	}
}

static void join(const struct buf *in, const char *old, const char *new,
		 struct buf *out)
{
	const char *p = buf_cstr(in), *end = p + in->len, *at;
	size_t len = strlen(old);

	while ((at = memmem(p, (size_t)(end - p), old, len))) {
		buf_add(out, p, (size_t)(at - p));
		buf_adds(out, new);
		p = at + len;
	}
	buf_add(out, p, (size_t)(end - p));
}

static int replace(const struct buf *in, const struct edit *x, struct buf *out,
		   struct edit_fault *ret)
{
	_cleanup_buf_ struct buf old_cr = BUF_INIT(out->max),
				 new_cr = BUF_INIT(out->max);
	const char *old = x->old, *new = x->new;

	count(in, old, strlen(old), ret);
	if (in->len && memmem(in->data, in->len, "\r\n", 2)) {
		with_cr(old, &old_cr);
		with_cr(new, &new_cr);
		if (buf_failed(&old_cr) < 0 || buf_failed(&new_cr) < 0)
			return -EMSGSIZE;
		new = buf_cstr(&new_cr);
		if (!ret->count) {
			old = buf_cstr(&old_cr);
			count(in, old, strlen(old), ret);
		}
	}
	if (!ret->count)
		return -ENOENT;
	if (ret->count > 1 && !x->all)
		return -EEXIST;
	join(in, old, new, out);
	return buf_failed(out);
}

int edit_apply(const struct buf *in, const struct edit *v, size_t n, struct buf *out,
	       struct edit_fault *ret)
{
	_cleanup_buf_ struct buf now = BUF_INIT(out->max);
	int r = buf_add(&now, in->data, in->len);

	for (size_t i = 0; i < n && r == 0; i++) {
		_cleanup_buf_ struct buf next = BUF_INIT(out->max);

		ret->nth = i;
		r = replace(&now, &v[i], &next, ret);
		if (r == 0) {
			buf_done(&now);
			now = take(&next, BUF_INIT(0));
		}
	}
	return r < 0 ? r : buf_add(out, now.data, now.len);
}

/* ---- the nearest text ---- */

enum { NEAR_LINES = 12, NEAR_MAX = 1500 };

struct span {
	const char *s;
	size_t n;
};

/* The next line of @text, blanks around it away; false at the end. */
static bool next_line(const char **text, const char *end, struct span *ret)
{
	const char *p = *text, *stop;

	if (p >= end)
		return false;
	stop = memchr(p, '\n', (size_t)(end - p)) ?: end;
	*text = stop < end ? stop + 1 : end;
	while (p < stop && isspace((unsigned char)*p))
		p++;
	while (stop > p && isspace((unsigned char)stop[-1]))
		stop--;
	*ret = (struct span){ p, (size_t)(stop - p) };
	return true;
}

/* How much of the longer one both begin and end with: 0 to 100. */
static unsigned alike(const struct span *a, const struct span *b)
{
	size_t most = MIN(a->n, b->n), head = 0, tail = 0;

	while (head < most && a->s[head] == b->s[head])
		head++;
	while (tail < most - head && a->s[a->n - 1 - tail] == b->s[b->n - 1 - tail])
		tail++;
	return MAX(a->n, b->n) ? (unsigned)(100 * (head + tail) / MAX(a->n, b->n))
			       : 100;
}

/* The mean over the lines of @old, the first of which is compared with the line at @at. */
static unsigned alike_from(const char *at, const char *end, const char *old)
{
	const char *old_end = old + strlen(old);
	struct span a, b;
	unsigned sum = 0, n = 0;

	while (n < NEAR_LINES && next_line(&old, old_end, &a)) {
		sum += next_line(&at, end, &b) ? alike(&a, &b) : 0;
		n++;
	}
	return n ? sum / n : 0;
}

/* Is it @old but for blanks, wherever they stand? */
static bool same_letters(const char *s, const char *end, const char *old)
{
	for (;; s++, old++) {
		while (s < end && isspace((unsigned char)*s))
			s++;
		while (isspace((unsigned char)*old))
			old++;
		if (s >= end || !*old || *s != *old)
			return s >= end && !*old;
	}
}

int edit_near(const struct buf *in, const char *old, struct buf *out)
{
	const char *p = buf_cstr(in), *end = p + in->len, *best = NULL;
	size_t lines = MIN((size_t)newlines(old, strlen(old)) + !text_ends(old, "\n"),
			   (size_t)NEAR_LINES);
	unsigned most = 60;
	uint64_t first;
	struct span ignored;

	while (p < end) {
		unsigned score = alike_from(p, end, old);

		if (score > most) {
			most = score;
			best = p;
		}
		next_line(&p, end, &ignored);
	}
	if (!best)
		return 0;
	first = 1 + newlines(buf_cstr(in), (size_t)(best - buf_cstr(in)));
	for (p = best; lines && p < end; lines--)
		next_line(&p, end, &ignored);
	buf_addf(out, "%s from line %" PRIu64 " on:\n",
		 same_letters(best, p, old)
			 ? "only blanks or line ends differ from what stands"
			 : "the nearest stands",
		 first);
	text_utf8(out, best, MIN((size_t)(p - best), (size_t)NEAR_MAX));
	return buf_failed(out);
}
