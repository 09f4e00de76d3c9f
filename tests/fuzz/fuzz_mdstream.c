/* Any words, any split: no byte of a control character comes out but newlines and the
 * sequences of styles; every row fits, but where half a wide character would; what stays
 * is the same however the words came. */
#include <assert.h>
#include <string.h>

#include "base/def.h"
#include "base/text.h"
#include "cli/show/cols.h"
#include "cli/show/mdstream.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { COLS_LEAST = 100 }; /* below, lists in lists take more than there is */

static void check(const struct buf *out, unsigned cols)
{
	size_t row = 0;

	for (size_t i = 0; i < out->len;) {
		const char *s = out->data + i;
		unsigned before = 0, c = 0;
		int n;

		if (*s == '\033') {
			const size_t len = 2 + strspn(s + 2, "0123456789;");

			assert(s[1] == '[' && s[len] == 'm');
			i += len + 1;
			continue;
		}
		n = text_decode(s, out->len - i, &c);
		assert(n > 0 && (c == '\n' || c >= ' ') && !(c >= 0x7f && c < 0xa0));
		assert(c == '\n' || !text_turns(c) || text_hidden(before, c) == false);
		if (c == '\n') {
			assert(!cols || cols_text(out->data + row, i - row) <= cols);
			row = i + 1;
		}
		i += (size_t)n;
	}
	assert(row == out->len);
}

static void run(const uint8_t *data, size_t size, size_t step,
		const struct markdown_look *look, struct buf *stay)
{
	struct mdstream m;

	mdstream_init(&m);
	for (size_t i = 0; i < size; i += step) {
		_cleanup_buf_ struct buf open = BUF_INIT(16 << 20);

		mdstream_add(&m, (const char *)data + i, MIN(step, size - i), look,
			     stay, &open);
		check(&open, look->cols);
	}
	mdstream_end(&m, look, stay);
	mdstream_done(&m);
	check(stay, look->cols);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	_cleanup_buf_ struct buf whole = BUF_INIT(16 << 20), parts = BUF_INIT(16 << 20);
	struct markdown_look look = { .color = true };

	if (size < 2 || size > 4096)
		return 0;
	look.cols = data[0] & 0x80 ? COLS_LEAST + (data[0] & 31) : 0;
	run(data + 1, size - 1, size, &look, &whole);
	run(data + 1, size - 1, 1 + data[0] % 61, &look, &parts);
	assert(whole.len == parts.len);
	assert(whole.len == 0 || memcmp(whole.data, parts.data, whole.len) == 0);
	return 0;
}
