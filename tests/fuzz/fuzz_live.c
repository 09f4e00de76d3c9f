/* Same bytes, any split, same bytes out; nothing in them that a terminal answers. */
#include <assert.h>
#include <string.h>

#include "agent/terminal/live.h"
#include "base/buf.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const questions[] = { "\033[6n", "\033[c", "\033P", "\033]52",
					 "\005" };

static void on_out(void *ctx, const char *text, size_t len)
{
	assert(buf_add(ctx, text, len) == 0);
}

static void filter(const char *data, size_t size, size_t step, struct buf *got)
{
	static struct live l;

	live_init(&l, on_out, got);
	for (size_t i = 0; i < size; i += step)
		live_feed(&l, data + i, MIN(step, size - i));
	live_end(&l);
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
	for (size_t i = 0; i < sizeof(questions) / sizeof(questions[0]); i++)
		assert(!whole.len || !memmem(whole.data, whole.len, questions[i],
					     strlen(questions[i])));
	return 0;
}
