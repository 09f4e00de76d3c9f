/* Same bytes, any split, same text; no secret is left in it. */
#include <assert.h>
#include <string.h>

#include "agent/redact.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void on_out(void *ctx, const char *text, size_t len)
{
	assert(buf_add(ctx, text, len) == 0);
}

static void filter(const char *data, size_t size, size_t step, struct buf *got)
{
	struct redact r;

	redact_init(&r, on_out, got);
	assert(redact_add(&r, "abab", "***") == 0);
	assert(redact_add(&r, "ababca", "***") == 0);
	assert(redact_add(&r, "bcaa", "****") == 0);
	for (size_t i = 0; i < size; i += step)
		redact_feed(&r, data + i, MIN(step, size - i));
	redact_flush(&r);
	redact_done(&r);
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
	return 0;
}
