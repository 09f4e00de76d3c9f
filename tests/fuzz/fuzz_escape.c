/* Any bytes, any split: the same pieces come through, each either text in UTF-8 without a
 * sequence, or one whole sequence of a bounded size. */
#include <assert.h>
#include <string.h>

#include "agent/terminal/escape.h"
#include "base/buf.h"
#include "base/def.h"
#include "base/text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_text(const char *data, size_t len)
{
	for (size_t i = 0; i < len;) {
		int n = text_utf8_len(data + i, len - i);

		assert(n > 0 && data[i] != '\033');
		assert(data[i] != '\xc2' || (uint8_t)data[i + 1] >= 0xa0);
		i += (size_t)n;
	}
}

static void check_sequence(const char *data, size_t len)
{
	const char end = data[len - 1];
	unsigned params = 0;

	assert(len > 1 && len <= ESCAPE_MAX);
	assert(data[1] != '%' && data[1] != 'X' && data[1] != '^' && data[1] != '_');
	if (data[1] == 'P' || data[1] == ']') {
		assert(end == '\007' || (end == '\\' && data[len - 2] == '\033'));
		return;
	}
	for (size_t i = 1; i < len; i++) {
		assert(data[i] >= ' ' && data[i] < 0x7f);
		params += data[i] == ';' || data[i] == ':';
	}
	assert(params < ESCAPE_PARAMS_MAX);
	assert(data[1] == '[' ? end >= '@' : end >= '0');
}

static void on_piece(void *ctx, const char *data, size_t len)
{
	assert(len > 0);
	if (data[0] == '\033')
		check_sequence(data, len);
	else
		check_text(data, len);
	assert(buf_add(ctx, data, len) == 0);
}

static void run(const uint8_t *data, size_t size, size_t step, struct buf *out)
{
	struct escape x;

	escape_init(&x, on_piece, out);
	x.repeats_max = 20;
	for (size_t i = 0; i < size; i += step)
		escape_feed(&x, (const char *)data + i, MIN(step, size - i));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	_cleanup_buf_ struct buf whole = BUF_INIT(1 << 20), parts = BUF_INIT(1 << 20);

	if (size < 2 || size > 4096)
		return 0;
	run(data + 1, size - 1, size, &whole);
	run(data + 1, size - 1, 1 + data[0] % 8, &parts);
	/* a character at the end that is cut off is held back in both */
	assert(whole.len == parts.len);
	assert(whole.len == 0 || memcmp(whole.data, parts.data, whole.len) == 0);
	return 0;
}
