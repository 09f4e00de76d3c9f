/* Theory of operation
 *
 * Myers' greedy search (An O(ND) Difference Algorithm, 1986): @furthest[k] is how far in
 * the old text a way of d steps comes on diagonal k. Each round is kept, so that the way is
 * found backwards. Rounds are as wide as they are late: all of them together are the
 * square of LINES_STEPS at the most. */
#include "rootfs/review/lines.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { BINARY_LOOK = 8000 };

struct search {
	struct lines_side *a, *b;
	size_t from; /* lines that both begin with */
	int n, m;    /* those between */
	int *rounds; /* owned: round d begins at d * d, and has 2 d + 1 places */
};

void lines_done(struct lines *l)
{
	free(l->a.at);
	free(l->a.other);
	free(l->b.at);
	free(l->b.other);
	*l = (struct lines){ .removed = 0 };
}

bool lines_binary(const char *text, size_t len)
{
	return len && memchr(text, '\0', MIN(len, (size_t)BINARY_LOOK));
}

static int split(const char *text, size_t len, struct lines_side *ret)
{
	const char *end = text + len, *p = text;
	size_t n = 0;

	for (; p < end; n++) {
		const char *nl = memchr(p, '\n', (size_t)(end - p));

		p = nl ? nl + 1 : end;
	}
	ret->at = calloc(n + 1, sizeof(*ret->at));
	ret->other = calloc(n + 1, sizeof(*ret->other));
	if (!ret->at || !ret->other)
		return -ENOMEM;
	for (p = text; p < end;) {
		const char *nl = memchr(p, '\n', (size_t)(end - p));

		ret->at[ret->n++] = p;
		p = nl ? nl + 1 : end;
	}
	ret->at[n] = end;
	return 0;
}

static bool same(const struct lines_side *a, size_t i, const struct lines_side *b,
		 size_t j)
{
	size_t n = (size_t)(a->at[i + 1] - a->at[i]);

	return n == (size_t)(b->at[j + 1] - b->at[j]) &&
	       memcmp(a->at[i], b->at[j], n) == 0;
}

/* Where a way of d steps on diagonal k comes from: down (an added line) or right. */
static bool is_down(const int *last, int d, int k)
{
	return k == -d || (k != d && last[k - 1] < last[k + 1]);
}

/* Of round d, so that diagonal k is at [k]. */
static int *round_of(const struct search *s, int d)
{
	return s->rounds + (size_t)d * (size_t)d + d;
}

/* The number of steps, or -1: more than the limit. */
static int find(struct search *s)
{
	for (int d = 0; d <= LINES_STEPS; d++) {
		int *now = round_of(s, d);
		const int *last = d ? round_of(s, d - 1) : now;

		for (int k = -d; k <= d; k += 2) {
			int x = 0, y;

			if (d)
				x = is_down(last, d, k) ? last[k + 1] : last[k - 1] + 1;
			for (y = x - k;
			     x < s->n && y >= 0 && y < s->m &&
			     same(s->a, s->from + (size_t)x, s->b, s->from + (size_t)y);
			     x++, y++)
				;
			now[k] = x;
			if (x >= s->n && y >= s->m)
				return d;
		}
	}
	return -1;
}

static void mark(const struct search *s, int steps)
{
	int x = s->n, y = s->m;

	for (int d = steps; d > 0; d--) {
		const int *last = round_of(s, d - 1);
		int k = x - y;

		if (is_down(last, d, k)) {
			x = last[k + 1];
			y = x - (k + 1);
			s->b->other[s->from + (size_t)y] = true;
		} else {
			x = last[k - 1];
			y = x - (k - 1);
			s->a->other[s->from + (size_t)x] = true;
		}
	}
}

static void mark_all(const struct search *s)
{
	for (int i = 0; i < s->n; i++)
		s->a->other[s->from + (size_t)i] = true;
	for (int i = 0; i < s->m; i++)
		s->b->other[s->from + (size_t)i] = true;
}

static int search(struct lines *l)
{
	struct search s = { .a = &l->a, .b = &l->b };
	size_t most = MIN(l->a.n, l->b.n), end = 0, room;
	int steps = -1;

	while (s.from < most && same(&l->a, s.from, &l->b, s.from))
		s.from++;
	while (end < most - s.from &&
	       same(&l->a, l->a.n - 1 - end, &l->b, l->b.n - 1 - end))
		end++;
	s.n = (int)(l->a.n - s.from - end);
	s.m = (int)(l->b.n - s.from - end);
	if (s.n && s.m) {
		room = (size_t)(LINES_STEPS + 1) * (LINES_STEPS + 1);
		s.rounds = calloc(room, sizeof(*s.rounds));
		if (!s.rounds)
			return -ENOMEM;
		steps = find(&s);
	}
	if (steps >= 0)
		mark(&s, steps);
	else
		mark_all(&s);
	free(s.rounds);
	return 0;
}

int lines_compare(const char *a, size_t a_len, const char *b, size_t b_len,
		  struct lines *ret)
{
	_cleanup_lines_ struct lines l = { .removed = 0 };
	int r;

	if (a_len > LINES_BYTES || b_len > LINES_BYTES)
		return -EMSGSIZE;
	r = split(a, a_len, &l.a);
	if (r < 0)
		return r;
	r = split(b, b_len, &l.b);
	if (r < 0)
		return r;
	r = search(&l);
	if (r < 0)
		return r;
	for (size_t i = 0; i < l.a.n; i++)
		l.removed += l.a.other[i];
	for (size_t i = 0; i < l.b.n; i++)
		l.added += l.b.other[i];
	*ret = take(&l, (struct lines){ .removed = 0 });
	return 0;
}
