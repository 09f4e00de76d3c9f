#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "agent/server/http/relay.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* How many lines of the head say where the answer ends? */
static unsigned ends_of(const char *head)
{
	unsigned n = 0;

	for (const char *line = head; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		n += strncasecmp(line, "content-length:", 15) == 0;
		n += strncasecmp(line, "transfer-encoding:", 18) == 0;
	}
	return n;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	_cleanup_buf_ struct buf out = BUF_INIT(2L * RELAY_HEAD_MAX);
	struct relay r = { .websocket = size && data[size - 1] & 1 };
	const char *in = (const char *)data;
	ssize_t n = relay_head(&r, in, size, &out), body;

	assert(n <= (ssize_t)size);
	if (n <= 0 || (r.status < 200 && r.status != 101)) {
		assert(!out.len);
		return 0;
	}
	assert(!memchr(out.data, '\0', out.len) && out.len > 4);
	assert(memmem(out.data, out.len, "\r\n\r\n", 4) == out.data + out.len - 4);
	assert(ends_of(buf_cstr(&out)) <= 1);
	assert(strcasestr(buf_cstr(&out), "\r\nconnection: ") ==
	       strstr(buf_cstr(&out), r.status == 101 ? "\r\nConnection: Upgrade"
						      : "\r\nConnection: close"));
	/* the same, when it comes byte by byte */
	for (size_t i = 0; i < (size_t)n && i < 512; i++) {
		_cleanup_buf_ struct buf part = BUF_INIT(2L * RELAY_HEAD_MAX);

		if (i < (size_t)n)
			assert(relay_head(&(struct relay){ .websocket = r.websocket },
					  in, i, &part) == 0);
	}
	body = relay_body(&r, in + n, size - (size_t)n);
	assert(body <= (ssize_t)size - n);
	assert(!r.whole || relay_body(&r, "x", 1) == 0);
	return 0;
}
