/* Three texts of any bytes: who changed nothing has no say, what both changed alike is no
 * conflict, and who is who changes nothing. */
#include <assert.h>
#include <string.h>

#include "base/merge3.h"

enum { OUT = 8 << 20 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool same(const struct buf *a, const struct buf *b)
{
	return a->len == b->len && memcmp(buf_cstr(a), buf_cstr(b), a->len) == 0;
}

/* Return: whether it was merged; @ret gets the text. */
static bool merge(const struct buf *base, const struct buf *ours,
		  const struct buf *theirs, size_t *n, struct buf *ret)
{
	const struct merge3 m = { base, ours, theirs, "we", "they" };

	return merge3(&m, n, ret) == 0;
}

static void check(const struct buf *base, const struct buf *x, const struct buf *y)
{
	_cleanup_buf_ struct buf one = BUF_INIT(OUT), both = BUF_INIT(OUT),
				 there = BUF_INIT(OUT), back = BUF_INIT(OUT);
	size_t n, m;

	if (merge(base, x, base, &n, &one))
		assert(n == 0 && same(&one, x));
	if (merge(base, x, x, &n, &both))
		assert(n == 0 && same(&both, x));
	if (merge(base, x, y, &n, &there) && merge(base, y, x, &m, &back))
		assert(n == m && (n || same(&there, &back)));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct buf texts[] = { BUF_INIT(OUT), BUF_INIT(OUT), BUF_INIT(OUT) };
	const char *p = (const char *)data, *end = p + size;

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		const char *cut = i < 2 ? memchr(p, '\xff', (size_t)(end - p)) : NULL;

		(void)buf_add(&texts[i], p, (size_t)((cut ? cut : end) - p));
		p = cut ? cut + 1 : end;
	}
	check(&texts[0], &texts[1], &texts[2]);
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		buf_done(&texts[i]);
	return 0;
}
