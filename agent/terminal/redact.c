#include "agent/terminal/redact.h"

#include <errno.h>
#include <string.h>

enum { SHORTEST = 4 };

void redact_init(struct redact *r, redact_fn *out, void *ctx)
{
	*r = (struct redact){ .out = out, .ctx = ctx };
	buf_init(&r->held, (size_t)REDACT_LEN * 2);
}

void redact_done(struct redact *r)
{
	for (unsigned i = 0; i < r->n; i++)
		free(r->words[i].text);
	r->n = 0;
	buf_done(&r->held);
}

int redact_add(struct redact *r, const char *secret, const char *stars)
{
	size_t len = strlen(secret);
	char *copy;

	if (len < SHORTEST)
		return -EINVAL;
	if (len > REDACT_LEN)
		return -EMSGSIZE;
	if (r->n == REDACT_MAX)
		return -ENOSPC;
	copy = strdup(secret);
	if (!copy)
		return -ENOMEM;
	r->words[r->n++] = (struct redact_word){ copy, len, stars };
	r->longest = MAX(r->longest, len);
	return 0;
}

int redact_add_all(struct redact *r, const char *const *secrets)
{
	int res = 0;

	for (size_t i = 0; secrets && secrets[i] && res == 0; i++)
		if (strlen(secrets[i]) >= SHORTEST)
			res = redact_add(r, secrets[i], "***");
	return res;
}

/* The first secret in @data; the longest of those that begin at the same byte. */
static const struct redact_word *find(const struct redact *r, const char *data,
				      size_t len, const char **ret)
{
	const struct redact_word *best = NULL;
	const char *at = NULL;

	for (unsigned i = 0; i < r->n; i++) {
		const struct redact_word *w = &r->words[i];
		const char *p = memmem(data, len, w->text, w->len);

		if (p && (!best || p < at || (p == at && w->len > best->len))) {
			best = w;
			at = p;
			/* the others matter only if they begin no later */
			len = MIN(len, (size_t)(p - data) + r->longest);
		}
	}
	*ret = at;
	return best;
}

/* How many bytes at the end of @data are the start of a secret. */
static size_t open_tail(const struct redact *r, const char *data, size_t len)
{
	size_t most = r->longest ? MIN(len, r->longest - 1) : 0;

	for (size_t n = most; n; n--) {
		const char *tail = data + len - n;

		for (unsigned i = 0; i < r->n; i++)
			if (r->words[i].len > n &&
			    memcmp(tail, r->words[i].text, n) == 0)
				return n;
	}
	return 0;
}

/* What begins at @at is a secret already, and may still become a longer one. */
static bool may_grow(const struct redact *r, const char *at, size_t len)
{
	for (unsigned i = 0; i < r->n; i++)
		if (r->words[i].len > len && memcmp(at, r->words[i].text, len) == 0)
			return true;
	return false;
}

/* Hands on all but a possible start of a secret; returns how much that is. */
static size_t pass(struct redact *r, const char *data, size_t len)
{
	const struct redact_word *w;
	const char *at;
	size_t keep;

	while ((w = find(r, data, len, &at))) {
		if (at > data)
			r->out(r->ctx, data, (size_t)(at - data));
		if (may_grow(r, at, len - (size_t)(at - data)))
			return len - (size_t)(at - data);
		r->out(r->ctx, w->stars, strlen(w->stars));
		len -= (size_t)(at - data) + w->len;
		data = at + w->len;
	}
	keep = open_tail(r, data, len);
	if (len > keep)
		r->out(r->ctx, data, len - keep);
	return keep;
}

void redact_feed(struct redact *r, const char *data, size_t len)
{
	size_t keep;

	while (r->held.len && len) {
		/* complete the held tail from the new bytes, as few as are needed */
		size_t n = MIN(len, r->longest);

		if (buf_add(&r->held, data, n) < 0) {
			redact_flush(r);
			break;
		}
		data += n;
		len -= n;
		keep = pass(r, r->held.data, r->held.len);
		buf_consume(&r->held, r->held.len - keep);
	}
	if (!len)
		return;
	keep = pass(r, data, len);
	if (buf_add(&r->held, data + len - keep, keep) < 0)
		r->out(r->ctx, "***", 3); /* no memory to hold it: rather lose it */
}

void redact_flush(struct redact *r)
{
	const struct redact_word *w;
	const char *at;

	/* a whole secret is held when a longer one might have followed */
	while (r->held.len && (w = find(r, r->held.data, r->held.len, &at))) {
		r->out(r->ctx, r->held.data, (size_t)(at - r->held.data));
		r->out(r->ctx, w->stars, strlen(w->stars));
		buf_consume(&r->held, (size_t)(at - r->held.data) + w->len);
	}
	if (r->held.len)
		r->out(r->ctx, r->held.data, r->held.len);
	r->held.len = 0;
}

/* ---- whole texts ------------------------------------------------------------------ */

/* The bytes of rows without the ends of rows: what secrets are found in. */
static int join(const struct buf *in, int wrap, struct buf *out)
{
	for (size_t i = 0; i < in->len; i++)
		if (in->data[i] != wrap)
			buf_addc(out, in->data[i]);
	return buf_failed(out);
}

/* The next @n bytes of rows, and the ends of rows before each. */
static int add_rows(const char **p, size_t n, int wrap, struct buf *out)
{
	int res = 0;

	if (wrap < 0) {
		res = buf_add(out, *p, n);
		*p += n;
		return res;
	}
	for (; n && res == 0; (*p)++) {
		n -= **p != wrap;
		res = buf_addc(out, **p);
		if (**p == wrap)
			out->data[out->len - 1] = '\n';
	}
	return res;
}

/* The secret that lies at @p; its line ends stay, whoever made them. */
static int add_stars(const struct redact_word *w, const char **p, int wrap,
		     struct buf *out)
{
	for (; **p == wrap; (*p)++)
		buf_addc(out, '\n');
	buf_adds(out, w->stars);
	for (size_t n = w->len; n; (*p)++) {
		n -= **p != wrap;
		if (**p == wrap || **p == '\n') {
			buf_addc(out, '\n');
			buf_adds(out, w->stars);
		}
	}
	return buf_failed(out);
}

int redact_rows(const struct redact *r, const struct buf *in, int wrap, struct buf *out)
{
	_cleanup_buf_ struct buf joined = BUF_INIT(in->len + 1);
	const char *p = in->data, *at, *text = in->data;
	const struct redact_word *w;
	size_t len = in->len;
	int res = 0;

	if (wrap >= 0) {
		res = join(in, wrap, &joined);
		text = joined.data;
		len = joined.len;
	}
	while (len && res == 0 && (w = find(r, text, len, &at))) {
		res = add_rows(&p, (size_t)(at - text), wrap, out)
			      ?: add_stars(w, &p, wrap, out);
		len -= (size_t)(at - text) + w->len;
		text = at + w->len;
	}
	if (res < 0)
		return res;
	res = add_rows(&p, len, wrap, out);
	for (; res == 0 && p < in->data + in->len; p++) /* behind the last byte */
		res = buf_addc(out, '\n');
	return res;
}

int redact_text(const struct redact *r, const struct buf *in, struct buf *out)
{
	return redact_rows(r, in, -1, out);
}
