#include "rootfs/review/threeway.h"

#include <stdlib.h>

#include "base/file.h"
#include "base/merge3.h"
#include "rootfs/review/origin.h"

enum { MERGED = 4 * ORIGIN_FILE };

struct texts {
	struct buf base, host, box; /* owned */
};

static void texts_done(struct texts *t)
{
	buf_done(&t->base);
	buf_done(&t->host);
	buf_done(&t->box);
}

/* What was listed is what is read, or nothing is. */
static bool read_as_listed(int root, const char *path, const struct diff_side *as,
			   struct buf *ret)
{
	_cleanup_close_ int fd = -1;

	if (!S_ISREG(as->mode) || as->size > ORIGIN_FILE)
		return false;
	fd = diff_open(root, path, as);
	return fd >= 0 && file_read_fd(fd, ret, ERR_IGNORED) == 0 && diff_is(fd, as) &&
	       origin_is_text(ret);
}

static void merge(const struct layer *l, struct diff_item *x)
{
	_cleanup_(texts_done) struct texts t = { BUF_INIT(ORIGIN_FILE + 1),
						 BUF_INIT(ORIGIN_FILE + 1),
						 BUF_INIT(ORIGIN_FILE + 1) };
	const struct merge3 m = { &t.base, &t.host, &t.box, "this machine", "the box" };
	struct buf *merged;
	size_t overlaps;
	mode_t was, changed; /* by the box: what both have taken is taken */

	if (!read_as_listed(l->project, x->path, &x->was, &t.host) ||
	    !read_as_listed(l->upper, x->path, &x->now, &t.box) ||
	    origin_read(l, x->path, &t.base, &was) < 0)
		return;
	merged = malloc(sizeof(*merged));
	if (!merged)
		return;
	*merged = BUF_INIT(MERGED);
	if (merge3(&m, &overlaps, merged) < 0) {
		buf_done(merged);
		free(merged);
		return;
	}
	x->merged = merged;
	x->overlaps = overlaps;
	changed = (x->now.mode ^ was) & 0777;
	x->merged_mode = (x->was.mode & 0777 & ~changed) | (x->now.mode & changed);
}

void threeway_all(const struct layer *l, struct diff *d)
{
	size_t left = THREEWAY_MOST, bytes = 0;

	for (size_t i = 0; i < d->n && left && bytes < THREEWAY_BYTES; i++) {
		struct diff_item *x = &d->items[i];

		if (!x->conflict || x->git || !x->was.mode || !x->now.mode)
			continue;
		merge(l, x);
		bytes += x->merged ? x->merged->len : 0;
		left--;
	}
}

/* With the older beginning, what the box takes back of that would look like what it has let
 * be, and the host's copy of it would win without a word. */
void threeway_given(const struct layer *l, const char *path,
		    const struct diff_side *now)
{
	_cleanup_buf_ struct buf text = BUF_INIT(ORIGIN_FILE + 1);
	bool known = read_as_listed(l->upper, path, now, &text);

	origin_renew(l, path, known ? &text : NULL, now->mode & 0777);
}
