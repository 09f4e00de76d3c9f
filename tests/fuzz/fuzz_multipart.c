#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "agent/server/http/multipart.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int on_begin(void *ctx, const char *name)
{
	assert(strlen(name) < MULTIPART_NAME);
	return buf_addf(ctx, "<%s>", name);
}

static int on_data(void *ctx, const char *data, size_t len)
{
	return buf_add(ctx, data, len);
}

static int on_end(void *ctx)
{
	return buf_adds(ctx, "|");
}

/* The file is the same, however the body is cut. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct multipart_calls calls = { on_begin, on_data, on_end };
	_cleanup_buf_ struct buf a = BUF_INIT(1 << 20), b = BUF_INIT(1 << 20);
	_cleanup_(multipart_done) struct multipart one, many;
	size_t piece = size ? data[0] % 7 + 1 : 1;
	const char *text = (const char *)data;
	int r, s = 0;

	if (size > 8 << 10)
		return 0;
	assert(!multipart_init(&one, "multipart/form-data; boundary=B"));
	assert(!multipart_init(&many, "multipart/form-data; boundary=B"));
	r = multipart_feed(&one, text, size, &calls, &a);
	for (size_t at = 0; s == 0 && at < size; at += piece)
		s = multipart_feed(&many, text + at, MIN(piece, size - at), &calls, &b);
	assert(r == s);
	assert(multipart_complete(&one) == multipart_complete(&many));
	if (multipart_complete(&one))
		assert(a.len == b.len && !memcmp(buf_cstr(&a), buf_cstr(&b), a.len));
	return 0;
}
