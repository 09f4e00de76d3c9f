/* Two texts of any bytes: what stays of both is the same, and the patch of it can be made. */
#include <assert.h>
#include <string.h>

#include "base/buf.h"
#include "rootfs/review/lines.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void stays(const struct lines_side *s, struct buf *ret)
{
	for (size_t i = 0; i < s->n; i++)
		if (!s->other[i])
			(void)buf_add(ret, s->at[i], (size_t)(s->at[i + 1] - s->at[i]));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	_cleanup_buf_ struct buf x = BUF_INIT(1 << 20), y = BUF_INIT(1 << 20);
	_cleanup_lines_ struct lines l = { .removed = 0 };
	const char *text = (const char *)data, *cut = memchr(text, '\xff', size);
	size_t a = cut ? (size_t)(cut - text) : size;

	if (lines_compare(text, a, text + a, size - a, &l) < 0)
		return 0;
	stays(&l.a, &x);
	stays(&l.b, &y);
	assert(x.len == y.len && (!x.len || memcmp(x.data, y.data, x.len) == 0));
	return 0;
}
