#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "base/http_head.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_text(const char *s, size_t size)
{
	assert(strnlen(s, size) < size);
	for (; *s; s++)
		assert(*s >= ' ' && *s <= '~');
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct http_head h = HTTP_HEAD_INIT;

	while (size) {
		const uint8_t *end = memchr(data, '\n', size);
		size_t len = end ? (size_t)(end - data) + 1 : size;

		http_head_line(&h, (const char *)data, len);
		data += len;
		size -= len;
	}
	assert(h.reply.status >= 0 && h.reply.status <= 999 && h.reply.length >= -1);
	check_text(h.reply.content_type, sizeof(h.reply.content_type));
	check_text(h.reply.retry_after, sizeof(h.reply.retry_after));
	check_text(h.reply.retry_after_ms, sizeof(h.reply.retry_after_ms));
	check_text(h.reply.should_retry, sizeof(h.reply.should_retry));
	check_text(h.reply.request_id, sizeof(h.reply.request_id));
	check_text(h.reply.warning, sizeof(h.reply.warning));
	return 0;
}
