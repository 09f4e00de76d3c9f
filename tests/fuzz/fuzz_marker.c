/* Same bytes, any split, same text and marks; nothing is held beyond the limit. */
#include <assert.h>
#include <string.h>

#include "agent/terminal/marker.h"
#include "base/buf.h"

#define NONCE "0123456789abcdef0123456789abcdef"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void on_text(void *ctx, const char *text, size_t len)
{
	assert(buf_add(ctx, text, len) == 0);
}

static void on_event(void *ctx, const struct marker_event *ev)
{
	assert(ev->status >= -1 && ev->status <= 255);
	assert(buf_addf(ctx, "<%c %d %s>", ev->kind, ev->status,
			ev->cwd ? ev->cwd : "-") == 0);
}

static void scan(const char *data, size_t size, size_t step, struct buf *got)
{
	static struct marker m;

	marker_init(&m, NONCE, on_text, on_event, got);
	for (size_t i = 0; i < size; i += step)
		marker_feed(&m, data + i, MIN(step, size - i));
	marker_flush(&m);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	_cleanup_buf_ struct buf whole = BUF_INIT(1 << 24);
	_cleanup_buf_ struct buf split = BUF_INIT(1 << 24);

	if (size < 2)
		return 0;
	scan((const char *)data + 1, size - 1, size, &whole);
	scan((const char *)data + 1, size - 1, 1 + data[0] % 16, &split);
	assert(whole.len == split.len);
	assert(!whole.len || memcmp(whole.data, split.data, whole.len) == 0);
	return 0;
}
