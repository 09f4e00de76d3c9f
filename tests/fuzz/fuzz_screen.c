/* Any bytes, any split, a size that changes meanwhile: the cells can be shown and are valid
 * UTF-8. */
#include <assert.h>
#include <string.h>

#include "agent/terminal/screen.h"
#include "base/text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	_cleanup_buf_ struct buf text = BUF_INIT(1 << 20);
	struct screen *s = NULL;
	struct err e = ERR_NONE;
	size_t step;

	if (size < 2)
		return 0;
	step = 1 + data[0] % 32;
	assert(screen_new(1 + data[0] % 12, 2 + data[1] % 30, &s, &e) == 0);
	for (size_t i = 1; i < size; i += step)
		screen_feed(s, (const char *)data + i, MIN(step, size - i));
	screen_application_keys(s);
	assert(screen_text(s, &text) == 0);
	screen_fold(&text);
	for (size_t i = 0; i < text.len;) {
		int n = text_utf8_len(text.data + i, text.len - i);

		assert(n > 0);
		i += (size_t)n;
	}
	screen_calm(s);
	screen_free(&s);
	return 0;
}
