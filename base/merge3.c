/* Theory of operation
 *
 * Both sides are compared with the base. From there on all that counts is where changes lie in
 * the base: those of the two sides that overlap or touch make one region. In a region that one
 * side alone has changed its lines are taken; where both came to the same, these; else it is a
 * conflict, from which the lines are taken out that both begin or end with. */
#include "base/merge3.h"

#include <string.h>

#include "base/diff.h"

/* One side as it is walked: what comes next is line @i of the base and line @j of its own. */
struct side {
	struct diff_list base, own; /* owned */
	size_t i, j;
	size_t next; /* where in the base its next change begins; SIZE_MAX = there is none */
};

struct merging {
	const struct merge3 *m;
	struct side ours, theirs;
	struct buf *out;
	size_t conflicts;
};

/* Lines from @from on. */
struct lines {
	const struct diff_piece *from;
	size_t n;
};

static void merging_done(struct merging *g)
{
	struct side *const sides[] = { &g->ours, &g->theirs };

	for (size_t k = 0; k < ARRAY_SIZE(sides); k++) {
		diff_list_done(&sides[k]->base);
		diff_list_done(&sides[k]->own);
	}
}

static void find_next(struct side *s)
{
	size_t i = s->i, j = s->j;

	while (i < s->base.n && j < s->own.n && !s->base.changed[i] &&
	       !s->own.changed[j]) {
		i++;
		j++;
	}
	s->next = i < s->base.n || j < s->own.n ? i : SIZE_MAX;
}

static int side_read(struct side *s, const struct buf *base, const struct buf *own)
{
	int r = diff_list_lines(&s->base, base) ?:
		diff_list_lines(&s->own, own)	?:
		diff_mark(&s->base, &s->own);

	if (r == 0)
		find_next(s);
	return r;
}

/* Over lines that it has not changed, to line @i of the base. */
static void go_to(struct side *s, size_t i)
{
	s->j += i - s->i;
	s->i = i;
}

/* Over the change that begins here. */
static void pass_change(struct side *s)
{
	while (s->i < s->base.n && s->base.changed[s->i])
		s->i++;
	while (s->j < s->own.n && s->own.changed[s->j])
		s->j++;
	find_next(s);
}

static void put_lines(struct buf *out, struct lines l)
{
	for (size_t k = 0; k < l.n; k++)
		buf_add(out, l.from[k].s, l.from[k].n);
}

static bool same_line(const struct diff_piece *a, const struct diff_piece *b)
{
	return a->n == b->n && memcmp(a->s, b->s, a->n) == 0;
}

static bool same_lines(struct lines a, struct lines b)
{
	size_t k = 0;

	while (k < MIN(a.n, b.n) && same_line(&a.from[k], &b.from[k]))
		k++;
	return k == a.n && k == b.n;
}

/* The last line of a text may have no newline, and a mark comes behind it. */
static void put_side(struct buf *out, struct lines l)
{
	put_lines(out, l);
	if (l.n &&
	    (!l.from[l.n - 1].n || l.from[l.n - 1].s[l.from[l.n - 1].n - 1] != '\n'))
		buf_addc(out, '\n');
}

static void put_conflict(struct merging *g, struct lines ours, struct lines theirs)
{
	size_t least = MIN(ours.n, theirs.n), head = 0, tail = 0;

	while (head < least && same_line(&ours.from[head], &theirs.from[head]))
		head++;
	while (tail < least - head && same_line(&ours.from[ours.n - 1 - tail],
						&theirs.from[theirs.n - 1 - tail]))
		tail++;
	put_lines(g->out, (struct lines){ ours.from, head });
	buf_addf(g->out, "<<<<<<< %s\n", g->m->our_name);
	put_side(g->out, (struct lines){ ours.from + head, ours.n - head - tail });
	buf_adds(g->out, "=======\n");
	put_side(g->out, (struct lines){ theirs.from + head, theirs.n - head - tail });
	buf_addf(g->out, ">>>>>>> %s\n", g->m->their_name);
	put_lines(g->out, (struct lines){ ours.from + ours.n - tail, tail });
	g->conflicts++;
}

/* From line @i of the base on, where a change of a side begins, until no change of either
 * touches what was passed. */
static void merge_region(struct merging *g, size_t i)
{
	struct side *const sides[] = { &g->ours, &g->theirs };
	struct lines own[ARRAY_SIZE(sides)];
	bool changed[ARRAY_SIZE(sides)] = { false, false }, more = true;
	size_t end = i;

	for (size_t k = 0; k < ARRAY_SIZE(sides); k++) {
		go_to(sides[k], i);
		own[k].from = sides[k]->own.pieces + sides[k]->j;
	}
	while (more) {
		more = false;
		for (size_t k = 0; k < ARRAY_SIZE(sides); k++) {
			if (sides[k]->next > end)
				continue;
			go_to(sides[k], sides[k]->next);
			pass_change(sides[k]);
			end = MAX(end, sides[k]->i);
			changed[k] = more = true;
		}
	}
	for (size_t k = 0; k < ARRAY_SIZE(sides); k++) {
		go_to(sides[k], end);
		own[k].n = (size_t)(sides[k]->own.pieces + sides[k]->j - own[k].from);
	}
	if (!changed[0])
		put_lines(g->out, own[1]);
	else if (!changed[1] || same_lines(own[0], own[1]))
		put_lines(g->out, own[0]);
	else
		put_conflict(g, own[0], own[1]);
}

int merge3(const struct merge3 *m, size_t *conflicts, struct buf *out)
{
	_cleanup_(merging_done) struct merging g = { .m = m, .out = out };
	int r = side_read(&g.ours, m->base, m->ours)
			?: side_read(&g.theirs, m->base, m->theirs);
	size_t at;

	if (r < 0)
		return r;
	do {
		at = MIN(g.ours.next, g.theirs.next);
		size_t to = MIN(at, g.ours.base.n);

		put_lines(out, (struct lines){ g.ours.base.pieces + g.ours.i,
					       to - g.ours.i });
		if (at != SIZE_MAX)
			merge_region(&g, at);
	} while (at != SIZE_MAX);
	*conflicts = g.conflicts;
	return buf_failed(out);
}
