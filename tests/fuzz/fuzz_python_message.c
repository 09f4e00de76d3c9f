#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "agent/python/frame.h"
#include "agent/python/show.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int on_frame(void *ctx, const char *text, size_t len)
{
	_cleanup_python_message_ struct python_message m = PYTHON_MESSAGE_NONE;
	_cleanup_buf_ struct buf shown = BUF_INIT(1 << 20);
	struct err e = ERR_NONE;
	int r = python_message_read(text, len, &m, &e);

	assert((r < 0) == (e.code != 0) && (r < 0) == !m.root);
	if (r == 0)
		assert(python_show(&m, &shown) <= 0);
	return buf_addf(ctx, "%zu:%d ", len, r);
}

/* The frames and what they mean are the same, however the stream is cut. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	_cleanup_python_frame_ struct python_frame one, many;
	_cleanup_buf_ struct buf a = BUF_INIT(1 << 20), b = BUF_INIT(1 << 20);
	size_t piece = size ? data[0] % 7 + 1 : 1;
	int r, s = 0;

	python_frame_init(&one, NULL);
	python_frame_init(&many, NULL);
	r = python_frame_feed(&one, data, size, on_frame, &a);
	for (size_t at = 0; at < size; at += piece)
		s = python_frame_feed(&many, data + at, MIN(piece, size - at), on_frame,
				      &b);
	assert(r == s && a.len == b.len && !memcmp(buf_cstr(&a), buf_cstr(&b), a.len));
	return 0;
}
