/* Two texts of any bytes: what stays of both lists is the same, by lines as a patch tells it
 * and by bytes as they are marked. */
#include <assert.h>
#include <string.h>

#include "base/diff.h"

enum { BYTES = 4096 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A list of bytes, each a piece. */
static void list_of(const char *s, size_t n, struct diff_piece *pieces, char *changed,
		    struct diff_list *ret)
{
	*ret = (struct diff_list){ pieces, MIN(n, (size_t)BYTES), changed };
	memset(changed, 0, BYTES);
	for (size_t i = 0; i < ret->n; i++)
		pieces[i] = (struct diff_piece){ s + i, 1 };
}

static void stays(const struct diff_list *l, struct buf *ret)
{
	for (size_t i = 0; i < l->n; i++)
		if (!l->changed[i])
			(void)buf_add(ret, l->pieces[i].s, l->pieces[i].n);
}

static void by_bytes(const char *a, size_t n, const char *b, size_t m)
{
	static struct diff_piece pieces[2][BYTES];
	static char changed[2][BYTES];
	_cleanup_buf_ struct buf x = BUF_INIT(BYTES), y = BUF_INIT(BYTES);
	struct diff_list old, new;

	list_of(a, n, pieces[0], changed[0], &old);
	list_of(b, m, pieces[1], changed[1], &new);
	if (diff_mark(&old, &new) < 0)
		return;
	stays(&old, &x);
	stays(&new, &y);
	assert(x.len == y.len && memcmp(buf_cstr(&x), buf_cstr(&y), x.len) == 0);
}

/* Without what came, and without what went, it is as long as the other. */
static void by_lines(const char *a, size_t n, const char *b, size_t m)
{
	_cleanup_buf_ struct buf x = BUF_INIT(1 << 20), y = BUF_INIT(1 << 20),
				 out = BUF_INIT(8 << 20);
	struct diff_stat told, counted;

	if (buf_add(&x, a, n) < 0 || buf_add(&y, b, m) < 0 ||
	    diff_unified(&x, &y, &told, &out) < 0 ||
	    diff_unified(&x, &y, &counted, NULL) < 0)
		return;
	assert(told.added == counted.added && told.removed == counted.removed);
	assert((out.len == 0) == (told.added + told.removed == 0));
	assert((out.len == 0) ==
	       (n == m && memcmp(buf_cstr(&x), buf_cstr(&y), n) == 0));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *text = (const char *)data, *cut = memchr(text, '\xff', size);
	size_t a = cut ? (size_t)(cut - text) : size;

	by_bytes(text, a, text + a, size - a);
	by_lines(text, a, text + a, size - a);
	return 0;
}
