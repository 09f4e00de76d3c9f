#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "agent/wire/sse.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int on_event(void *ctx, const char *data, size_t len, struct err *)
{
	struct buf *out = ctx;

	return buf_addc(out, '<') ?: buf_add(out, data, len) ?: buf_addc(out, '>');
}

static void run(const uint8_t *data, size_t size, size_t step, bool lines,
		struct buf *out)
{
	struct err e = ERR_NONE;
	struct sse s;

	sse_init(&s, on_event, out);
	s.lines = lines;
	for (size_t at = 0; at < size; at += step) {
		int r = sse_feed(&s, data + at, MIN(step, size - at), &e);

		assert(r == 0);
	}
	sse_end(&s, &e);
	sse_done(&s);
}

/* The first byte says how the rest is split, and what ends an event: the events must be
 * the same. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	_cleanup_buf_ struct buf one = BUF_INIT(16 << 20), two = BUF_INIT(16 << 20);

	if (!size)
		return 0;
	run(data + 1, size - 1, size, data[0] & 16, &one);
	run(data + 1, size - 1, (data[0] & 15) + 1, data[0] & 16, &two);
	assert(one.len == two.len &&
	       (!one.len || !memcmp(one.data, two.data, one.len)));
	return 0;
}
