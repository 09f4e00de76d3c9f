/* Same bytes, any split, same text; no secret is left in it. */
#include <assert.h>
#include <string.h>

#include "agent/terminal/redact.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void on_out(void *ctx, const char *text, size_t len)
{
	assert(buf_add(ctx, text, len) == 0);
}

static void add_words(struct redact *r)
{
	assert(redact_add(r, "abab", "***") == 0);
	assert(redact_add(r, "ababca", "***") == 0);
	assert(redact_add(r, "bcaa", "****") == 0);
}

static void filter(const char *data, size_t size, size_t step, struct buf *got)
{
	struct redact r;

	redact_init(&r, on_out, got);
	add_words(&r);
	for (size_t i = 0; i < size; i += step)
		redact_feed(&r, data + i, MIN(step, size - i));
	redact_flush(&r);
	redact_done(&r);
}

static size_t without(char *data, size_t len, char c)
{
	size_t n = 0;

	for (size_t i = 0; i < len; i++)
		if (data[i] != c)
			data[n++] = data[i];
	return n;
}

/* As many rows as before, and no secret in them, however they are broken. */
static void rows(const char *data, size_t size)
{
	_cleanup_buf_ struct buf in = BUF_INIT(1 << 24), got = BUF_INIT(1 << 24);
	struct redact r;
	size_t n = 0;

	for (size_t i = 0; i < size; i++) {
		assert(buf_addc(&in, data[i] == '\n' ? '\v' : data[i]) == 0);
		n += in.data[i] == '\v';
	}
	redact_init(&r, on_out, NULL);
	add_words(&r);
	assert(redact_rows(&r, &in, '\v', &got) == 0);
	redact_done(&r);
	assert(got.len - without(got.data, got.len, '\n') == n);
	got.len -= n;
	assert(!got.len || !memmem(got.data, got.len, "abab", 4));
	assert(!got.len || !memchr(got.data, '\v', got.len));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	_cleanup_buf_ struct buf whole = BUF_INIT(1 << 24);
	_cleanup_buf_ struct buf split = BUF_INIT(1 << 24);

	if (size < 2)
		return 0;
	filter((const char *)data + 1, size - 1, size, &whole);
	filter((const char *)data + 1, size - 1, 1 + data[0] % 16, &split);
	assert(whole.len == split.len);
	assert(!whole.len || memcmp(whole.data, split.data, whole.len) == 0);
	assert(!whole.len || !memmem(whole.data, whole.len, "abab", 4));
	rows((const char *)data + 1, size - 1);
	return 0;
}
