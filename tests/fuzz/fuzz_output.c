/* Same bytes, any split, same text; the text is UTF-8 without control characters. */
#include <assert.h>
#include <string.h>

#include "agent/terminal/output.h"
#include "base/buf.h"
#include "base/text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void on_out(void *ctx, const char *text, size_t len)
{
	assert(buf_add(ctx, text, len) == 0);
}

static void filter(const char *data, size_t size, size_t step, struct buf *got)
{
	static struct output o;

	output_init(&o, on_out, NULL, got);
	for (size_t i = 0; i < size; i += step)
		output_feed(&o, data + i, MIN(step, size - i));
	output_end(&o);
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
	for (size_t i = 0; i < whole.len;) {
		int n = text_utf8_len(whole.data + i, whole.len - i);

		assert(n > 0);
		assert((unsigned char)whole.data[i] >= ' ' || whole.data[i] == '\n' ||
		       whole.data[i] == '\t');
		i += (size_t)n;
	}
	return 0;
}
