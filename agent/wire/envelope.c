#include "agent/wire/envelope.h"

#include <string.h>

#include "base/text.h"

static const char name[] = "\"content\":";

void envelope_init(struct envelope *x)
{
	buf_init(&x->head, ENVELOPE_MAX);
	buf_init(&x->tail, ENVELOPE_MAX);
}

void envelope_done(struct envelope *x)
{
	buf_done(&x->head);
	buf_done(&x->tail);
}

/* The inside of a JSON string that stands for itself. */
static bool plain(const char *s, size_t len)
{
	for (size_t i = 0; i < len;) {
		unsigned char c = (unsigned char)s[i];
		int n = 1;

		if (c < 0x20 || c == '"' || c == '\\')
			return false;
		if (c >= 0x80)
			n = text_utf8_len(s + i, len - i);
		if (n <= 0)
			return false;
		i += (size_t)n;
	}
	return true;
}

void envelope_learn(struct envelope *x, const char *data, size_t len, const char *words)
{
	const char *at = memmem(data, len, name, sizeof(name) - 1);
	const char *end = data + len;
	size_t n = strlen(words);

	if (!at || memmem(at + 1, (size_t)(end - at - 1), name, sizeof(name) - 1))
		return;
	at += sizeof(name) - 1;
	at += at < end && *at == ' ';
	if (at == end || *at++ != '"' || (size_t)(end - at) < n + 1 ||
	    memcmp(at, words, n) != 0 || at[n] != '"' || !plain(words, n))
		return; /* what was learned before still holds */
	buf_truncate(&x->head, 0);
	buf_truncate(&x->tail, 0);
	if (buf_add(&x->head, data, (size_t)(at - data)) < 0 ||
	    buf_add(&x->tail, at + n, (size_t)(end - at) - n) < 0)
		buf_truncate(&x->head, 0);
}

const char *envelope_open(const struct envelope *x, const char *data, size_t len,
			  size_t *n)
{
	const struct buf *h = &x->head, *t = &x->tail;

	if (!h->len || len < h->len + t->len || memcmp(data, h->data, h->len) != 0 ||
	    memcmp(data + len - t->len, t->data, t->len) != 0)
		return NULL;
	*n = len - h->len - t->len;
	return plain(data + h->len, *n) ? data + h->len : NULL;
}
