/* The shortest way from one list of lines to the other is found as E. Myers describes it
 * ("An O(ND) Difference Algorithm", 1986): for each number of edits the furthest point on
 * each diagonal, and then back along what was kept of them. */
#include "base/diff.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>

void diff_list_done(struct diff_list *s)
{
	free(s->pieces);
	free(s->changed);
	*s = (struct diff_list){ NULL, 0, NULL };
}

int diff_list_lines(struct diff_list *s, const struct buf *text)
{
	const char *p = buf_cstr(text), *end = p + text->len;
	size_t n = 1;

	for (const char *q = p; (q = memchr(q, '\n', (size_t)(end - q))); q++)
		n++;
	s->pieces = calloc(n, sizeof(*s->pieces));
	s->changed = calloc(n, 1);
	if (!s->pieces || !s->changed)
		return -ENOMEM;
	while (p < end) {
		const char *nl = memchr(p, '\n', (size_t)(end - p));
		size_t len = (size_t)((nl ? nl + 1 : end) - p);

		s->pieces[s->n++] = (struct diff_piece){ p, len };
		p += len;
	}
	return 0;
}

static bool same(const struct diff_piece *a, const struct diff_piece *b)
{
	return a->n == b->n && memcmp(a->s, b->s, a->n) == 0;
}

/* What is left when equal beginnings and ends are away. */
struct middle {
	struct diff_list *a, *b;
	size_t from; /* in both */
	int n, m;    /* pieces of a and of b */
};

/* Did the furthest point of @k, after @d edits, come from the diagonal above? @v has those
 * of one edit less. */
static bool from_above(const int32_t *v, int k, int d)
{
	return k == -d || (k != d && v[k - 1] < v[k + 1]);
}

static int32_t slide(const struct middle *x, int32_t i, int k)
{
	const struct diff_piece *a = x->a->pieces + x->from,
				*b = x->b->pieces + x->from;

	while (i < x->n && i - k < x->m && same(&a[i], &b[i - k]))
		i++;
	return i;
}

/* Row d has the 2d + 1 points of the diagonals -d to d, at d². */
static const int32_t *row(const int32_t *kept, int d)
{
	return kept + (size_t)d * (size_t)d + d;
}

static void go_back(const struct middle *x, const int32_t *kept, int d)
{
	int32_t i = x->n, j = x->m;

	for (; d > 0; d--) {
		const int32_t *v = row(kept, d - 1);
		int k = i - j;
		bool above = from_above(v, k, d);

		k += above ? 1 : -1;
		i = v[k];
		j = i - k;
		if (above)
			x->b->changed[x->from + (size_t)j] = 1;
		else
			x->a->changed[x->from + (size_t)i] = 1;
	}
}

static int search(const struct middle *x)
{
	int most = MIN(x->n + x->m, (int)DIFF_EDITS);
	size_t side = (size_t)most + 1;
	_cleanup_free_ int32_t *kept = calloc(side * side, sizeof(*kept));

	if (!kept)
		return -ENOMEM;
	for (int d = 0; d <= most; d++) {
		const int32_t *v = d ? row(kept, d - 1) : NULL;
		int32_t *now = kept + (size_t)d * (size_t)d + d;

		for (int k = -d; k <= d; k += 2) {
			int32_t i = !d			  ? 0
				    : from_above(v, k, d) ? v[k + 1]
							  : v[k - 1] + 1;

			now[k] = slide(x, i, k);
			if (now[k] >= x->n && now[k] - k >= x->m) {
				go_back(x, kept, d);
				return 0;
			}
		}
	}
	memset(x->a->changed + x->from, 1, (size_t)x->n);
	memset(x->b->changed + x->from, 1, (size_t)x->m);
	return 0;
}

int diff_mark(struct diff_list *a, struct diff_list *b)
{
	struct middle x = { a, b, 0, 0, 0 };
	size_t least = MIN(a->n, b->n), tail = 0;

	while (x.from < least && same(&a->pieces[x.from], &b->pieces[x.from]))
		x.from++;
	while (tail < least - x.from &&
	       same(&a->pieces[a->n - 1 - tail], &b->pieces[b->n - 1 - tail]))
		tail++;
	x.n = (int)(a->n - x.from - tail);
	x.m = (int)(b->n - x.from - tail);
	return x.n + x.m ? search(&x) : 0;
}

/* ---- hunks ---- */

/* How many pieces of both from @i, @j on are unchanged; @most is enough. */
static size_t equal_run(const struct diff_list *a, const struct diff_list *b, size_t i,
			size_t j, size_t most)
{
	size_t n = 0;

	while (n < most && i + n < a->n && j + n < b->n && !a->changed[i + n] &&
	       !b->changed[j + n])
		n++;
	return n;
}

static size_t changed_run(const struct diff_list *s, size_t at)
{
	size_t n = 0;

	while (at + n < s->n && s->changed[at + n])
		n++;
	return n;
}

bool diff_next(const struct diff_list *a, const struct diff_list *b,
	       struct diff_hunk *h)
{
	size_t i = h->i + h->n, j = h->j + h->m, before = i, gap;

	gap = equal_run(a, b, i, j, SIZE_MAX);
	i += gap;
	j += gap;
	if (i == a->n && j == b->n)
		return false;
	before = MIN(i - before, (size_t)DIFF_CONTEXT);
	h->i = i - before;
	h->j = j - before;
	do {
		i += changed_run(a, i);
		j += changed_run(b, j);
		gap = equal_run(a, b, i, j, 2 * DIFF_CONTEXT + 1);
		if (gap > 2 * DIFF_CONTEXT || (i + gap == a->n && j + gap == b->n))
			gap = MIN(gap, (size_t)DIFF_CONTEXT);
		i += gap;
		j += gap;
	} while ((i < a->n && a->changed[i]) || (j < b->n && b->changed[j]));
	h->n = i - h->i;
	h->m = j - h->j;
	return true;
}

/* ---- as text ---- */

static void put(struct buf *out, char mark, const struct diff_piece *l)
{
	buf_addc(out, mark);
	buf_add(out, l->s, l->n);
	if (!l->n || l->s[l->n - 1] != '\n')
		buf_adds(out, "\n\\ No newline at end of file\n");
}

static void put_range(struct buf *out, char mark, size_t from, size_t n)
{
	buf_addf(out, n == 1 ? " %c%zu" : " %c%zu,%zu", mark, n ? from + 1 : from, n);
}

static size_t changed_in(const struct diff_list *s)
{
	size_t n = 0;

	for (size_t i = 0; i < s->n; i++)
		n += s->changed[i] != 0;
	return n;
}

static void put_hunk(const struct diff_list *a, const struct diff_list *b,
		     const struct diff_hunk *h, struct buf *out)
{
	size_t i = h->i, j = h->j;

	buf_adds(out, "@@");
	put_range(out, '-', h->i, h->n);
	put_range(out, '+', h->j, h->m);
	buf_adds(out, " @@\n");
	while (i < h->i + h->n || j < h->j + h->m) {
		if (i < a->n && a->changed[i]) {
			put(out, '-', &a->pieces[i++]);
		} else if (j < b->n && b->changed[j]) {
			put(out, '+', &b->pieces[j++]);
		} else {
			put(out, ' ', &a->pieces[i++]);
			j++;
		}
	}
}

int diff_unified(const struct buf *old, const struct buf *new, struct diff_stat *ret,
		 struct buf *out)
{
	_cleanup_(diff_list_done) struct diff_list a = { 0 }, b = { 0 };
	struct diff_hunk h = { 0 };
	int r = diff_list_lines(&a, old) ?: diff_list_lines(&b, new) ?: diff_mark(&a, &b);

	if (r < 0 || !a.pieces || !b.pieces)
		return r;
	if (ret)
		*ret = (struct diff_stat){ changed_in(&b), changed_in(&a) };
	while (out && diff_next(&a, &b, &h))
		put_hunk(&a, &b, &h, out);
	return out ? buf_failed(out) : 0;
}
