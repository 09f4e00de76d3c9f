/* The shortest way from one list of lines to the other is found as E. Myers describes it
 * ("An O(ND) Difference Algorithm", 1986): for each number of edits the furthest point on
 * each diagonal, and then back along what was kept of them. */
#include "base/diff.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>

struct line {
	const char *s; /* borrowed */
	size_t n;      /* its newline included */
};

struct side {
	struct line *lines; /* owned */
	size_t n;
	char *changed; /* owned; a byte a line: it is not in the other text */
};

static void side_done(struct side *s)
{
	free(s->lines);
	free(s->changed);
}

static int side_read(struct side *s, const struct buf *text)
{
	const char *p = buf_cstr(text), *end = p + text->len;
	size_t n = 1;

	for (const char *q = p; (q = memchr(q, '\n', (size_t)(end - q))); q++)
		n++;
	s->lines = calloc(n, sizeof(*s->lines));
	s->changed = calloc(n, 1);
	if (!s->lines || !s->changed)
		return -ENOMEM;
	while (p < end) {
		const char *nl = memchr(p, '\n', (size_t)(end - p));
		size_t len = (size_t)((nl ? nl + 1 : end) - p);

		s->lines[s->n++] = (struct line){ p, len };
		p += len;
	}
	return 0;
}

static bool same(const struct line *a, const struct line *b)
{
	return a->n == b->n && memcmp(a->s, b->s, a->n) == 0;
}

/* What is left when equal beginnings and ends are away. */
struct middle {
	struct side *a, *b;
	size_t from; /* in both */
	int n, m;    /* lines of a and of b */
};

/* Did the furthest point of @k, after @d edits, come from the diagonal above? @v has those
 * of one edit less. */
static bool from_above(const int32_t *v, int k, int d)
{
	return k == -d || (k != d && v[k - 1] < v[k + 1]);
}

static int32_t slide(const struct middle *x, int32_t i, int k)
{
	const struct line *a = x->a->lines + x->from, *b = x->b->lines + x->from;

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

static int compare(struct side *a, struct side *b)
{
	struct middle x = { a, b, 0, 0, 0 };
	size_t least = MIN(a->n, b->n), tail = 0;

	while (x.from < least && same(&a->lines[x.from], &b->lines[x.from]))
		x.from++;
	while (tail < least - x.from &&
	       same(&a->lines[a->n - 1 - tail], &b->lines[b->n - 1 - tail]))
		tail++;
	x.n = (int)(a->n - x.from - tail);
	x.m = (int)(b->n - x.from - tail);
	return x.n + x.m ? search(&x) : 0;
}

/* ---- as text ---- */

static void put(struct buf *out, char mark, const struct line *l)
{
	buf_addc(out, mark);
	buf_add(out, l->s, l->n);
	if (!l->n || l->s[l->n - 1] != '\n')
		buf_adds(out, "\n\\ No newline at end of file\n");
}

/* How many lines of both from @i, @j on are unchanged; @most is enough. */
static size_t equal_run(const struct side *a, const struct side *b, size_t i, size_t j,
			size_t most)
{
	size_t n = 0;

	while (n < most && i + n < a->n && j + n < b->n && !a->changed[i + n] &&
	       !b->changed[j + n])
		n++;
	return n;
}

static size_t changed_run(const struct side *s, size_t at)
{
	size_t n = 0;

	while (at + n < s->n && s->changed[at + n])
		n++;
	return n;
}

static void put_range(struct buf *out, char mark, size_t from, size_t n)
{
	buf_addf(out, n == 1 ? " %c%zu" : " %c%zu,%zu", mark, n ? from + 1 : from, n);
}

/* The hunk whose first changed line is at *@i, *@j; both are moved behind it. */
static void put_hunk(const struct side *a, const struct side *b, size_t *i, size_t *j,
		     struct diff_stat *stat, struct buf *out)
{
	_cleanup_buf_ struct buf text = BUF_INIT(out->max);
	size_t before = MIN(MIN(*i, *j), (size_t)DIFF_CONTEXT);
	size_t i0 = *i - before, j0 = *j - before, gap;

	for (size_t n = i0; n < *i; n++)
		put(&text, ' ', &a->lines[n]);
	do {
		size_t gone = changed_run(a, *i), come = changed_run(b, *j);

		for (size_t n = 0; n < gone; n++)
			put(&text, '-', &a->lines[*i + n]);
		for (size_t n = 0; n < come; n++)
			put(&text, '+', &b->lines[*j + n]);
		*i += gone;
		*j += come;
		stat->removed += gone;
		stat->added += come;
		gap = equal_run(a, b, *i, *j, 2 * DIFF_CONTEXT + 1);
		if (gap > 2 * DIFF_CONTEXT || (*i + gap == a->n && *j + gap == b->n))
			gap = MIN(gap, (size_t)DIFF_CONTEXT);
		for (size_t n = 0; n < gap; n++)
			put(&text, ' ', &a->lines[*i + n]);
		*i += gap;
		*j += gap;
	} while ((*i < a->n && a->changed[*i]) || (*j < b->n && b->changed[*j]));
	buf_adds(out, "@@");
	put_range(out, '-', i0, *i - i0);
	put_range(out, '+', j0, *j - j0);
	buf_adds(out, " @@\n");
	buf_add(out, text.data, text.len);
	buf_fail(out, buf_failed(&text));
}

int diff_unified(const struct buf *old, const struct buf *new, struct diff_stat *ret,
		 struct buf *out)
{
	_cleanup_(side_done) struct side a = { 0 }, b = { 0 };
	struct diff_stat stat = { 0 };
	size_t i = 0, j = 0;
	int r = side_read(&a, old) ?: side_read(&b, new) ?: compare(&a, &b);

	if (r < 0 || !a.lines || !b.lines)
		return r;
	while (i < a.n || j < b.n) {
		if ((i < a.n && a.changed[i]) || (j < b.n && b.changed[j])) {
			put_hunk(&a, &b, &i, &j, &stat, out);
		} else {
			i++;
			j++;
		}
	}
	if (ret)
		*ret = stat;
	return buf_failed(out);
}
