#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "base/json.h"
#include "base/pieces.h"
#include "base/text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void assert_utf8(const struct buf *b)
{
	for (size_t at = 0; at < b->len;) {
		int n = text_utf8_len(b->data + at, b->len - at);

		assert(n > 0);
		at += (size_t)n;
	}
}

/* Whatever comes, and however it is cut: UTF-8; and JSON that is taken can be mended to
 * what the strict parser takes. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	_cleanup_buf_ struct buf out = BUF_INIT(16 << 20), again = BUF_INIT(16 << 20);
	_cleanup_json_ struct json *j = NULL;
	size_t piece = size ? data[0] % 9 + 1 : 1;
	struct pieces p = { .n = 0 };
	struct err e = ERR_NONE;

	for (size_t at = 0; at < size; at += piece) {
		size_t n = MIN(piece, size - at);

		assert(!pieces_add(&p, (const char *)data + at, n, &out));
	}
	assert(!pieces_end(&p, &out));
	assert_utf8(&out);
	if (json_parse_pieces((const char *)data, size, &j, &e) < 0)
		return 0;
	if (json_type(j) != JSON_OBJECT && json_type(j) != JSON_ARRAY)
		return 0;
	assert(!json_mend(j));
	assert(!json_print(j, false, &again));
	assert_utf8(&again);
	return 0;
}
