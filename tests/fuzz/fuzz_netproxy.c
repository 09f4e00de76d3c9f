#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "runtime/gate/proxy.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What a proxy says, in chunks: the first byte chooses proxy and chunk size. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	_cleanup_buf_ struct buf out = BUF_INIT(4096);
	struct gate_proxy p = { .kind = GATE_PROXY_HTTP, .host = "p", .port = 1 };
	struct gate_proxy_talk t = { .proxy = &p, .host = "a.example", .port = 443 };
	size_t have = 0, at = 1, chunk;

	if (!size)
		return 0;
	p.kind = data[0] & 1 ? GATE_PROXY_SOCKS5 : GATE_PROXY_HTTP;
	if (data[0] & 2)
		strcpy(p.user, "user");
	chunk = (size_t)(data[0] >> 2) + 1;
	assert(!gate_proxy_begin(&t, &out));
	for (int i = 0; i < 10000 && at + have <= size; i++) {
		size_t used;
		int r = gate_proxy_feed(&t, data + at, have, &used, &out);

		assert(used <= have);
		if (r)
			return 0;
		at += used;
		have = used ? 0 : have + chunk;
		buf_truncate(&out, 0);
	}
	return 0;
}
