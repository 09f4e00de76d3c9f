#include "rootfs/review/given.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/sys/sys.h"

void given_done(struct given *g)
{
	journal_done(&g->records);
}

static int by_path(const void *a, const void *b)
{
	const struct journal_step *x = a, *y = b;

	return strcmp(x->path, y->path);
}

int given_read(int layerdir, struct given *ret, struct err *e)
{
	_cleanup_given_ struct given g = GIVEN_NONE;
	struct err none = ERR_NONE;
	int r = file_read(layerdir, "given", &g.records.text, &none)
			?: journal_parse(&g.records);

	if (r < 0 && r != -ENOENT)
		return err_sys(e, r, "cannot read what was taken over");
	if (r == -ENOENT || !g.records.n)
		return 0;
	qsort(g.records.steps, g.records.n, sizeof(*g.records.steps), by_path);
	*ret = take(&g, GIVEN_NONE);
	return 0;
}

const struct journal_step *given_find(const struct given *g, const char *path)
{
	const struct journal_step key = { .path = path };

	return g->records.n ? bsearch(&key, g->records.steps, g->records.n, sizeof(key),
				      by_path)
			    : NULL;
}

bool given_same(const struct diff_side *a, const struct diff_side *b)
{
	return a->mode == b->mode && a->ino == b->ino && a->size == b->size &&
	       a->mtime == b->mtime && a->ctime == b->ctime;
}

/* Both are sorted; what is new replaces what was there. */
static void merge(const struct given *old, const struct diff_item *items, size_t n,
		  struct buf *text)
{
	size_t i = 0, k = 0;

	while (i < n || k < old->records.n) {
		const struct journal_step *was = old->records.steps + k;
		int order = k == old->records.n ? -1
			    : i == n		? 1
						: strcmp(items[i].path, was->path);

		if (order <= 0)
			journal_add(text, &items[i++]);
		else
			journal_add(text, &(struct diff_item){
						  .path = (char *)(uintptr_t)was->path,
						  .was = was->was,
						  .now = was->now });
		k += order >= 0;
	}
}

int given_add(int layerdir, const struct diff_item *items, size_t n, struct err *e)
{
	_cleanup_given_ struct given old = GIVEN_NONE;
	_cleanup_buf_ struct buf text = BUF_INIT(JOURNAL_BYTES);
	int r = n ? given_read(layerdir, &old, e) : 0;

	if (r < 0 || !n)
		return r;
	merge(&old, items, n, &text);
	if (buf_failed(&text))
		return err_sys(e, buf_failed(&text), "cannot note what was taken over");
	return file_replace(layerdir, "given",
			    &(struct file_data){ text.data, text.len, 0600 }, e);
}

void given_forget(int layerdir)
{
	(void)sys_unlinkat(layerdir, "given", 0);
}
