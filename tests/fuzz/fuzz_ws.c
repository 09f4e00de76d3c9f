#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "agent/server/http/ws.h"
#include "base/text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int on_message(void *ctx, enum ws_opcode kind, const char *data, size_t len)
{
	assert(kind != WS_MORE && len <= WS_MESSAGE_MAX);
	assert(kind < WS_CLOSE || len <= WS_CONTROL_MAX);
	buf_addf(ctx, "%d.%zu:", kind, len);
	return buf_add(ctx, data, len) < 0;
}

/* The messages are the same, however the stream is cut. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	_cleanup_buf_ struct buf a = BUF_INIT(1 << 20), b = BUF_INIT(1 << 20);
	_cleanup_(ws_done) struct ws one, many;
	size_t piece = size ? data[0] % 7 + 1 : 1;
	int r, s = 0;

	ws_init(&one);
	ws_init(&many);
	r = ws_feed(&one, (const char *)data, size, on_message, &a);
	for (size_t at = 0; s == 0 && at < size; at += piece)
		s = ws_feed(&many, (const char *)data + at, MIN(piece, size - at),
			    on_message, &b);
	assert(r == s && a.len == b.len && !memcmp(buf_cstr(&a), buf_cstr(&b), a.len));
	return 0;
}
