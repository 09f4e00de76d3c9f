/* Theory of operation
 *
 * An apply that began after the moment, and was not taken back, has kept what it found. One
 * that was there at the moment, and was taken back since, has kept what it had made, as undo
 * put it away. Of several the earliest of the first kind knows it, but before those the
 * latest of the second: they were on top. */
#include "rootfs/review/past.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/dirscan.h"
#include "base/file.h"
#include "base/grow.h"
#include "base/num.h"
#include "base/sys/sys.h"
#include "rootfs/review/apply.h"

enum { FIRST_KIND = 1 << 30 /* the middle of the ranks; a number is lower */ };

struct past_apply {
	struct journal journal; /* owned */
	int dir;		/* owned */
	unsigned number;
	bool taken_back;
};

static int fail(struct err *e, int code)
{
	return err_sys(e, code, "cannot read what was taken over");
}

void past_done(struct past *p)
{
	for (size_t i = 0; i < p->n_applies; i++) {
		journal_done(&p->applies[i].journal);
		scope_close(&p->applies[i].dir);
	}
	free(p->applies);
	free(p->steps);
	*p = PAST_NONE;
}

/* ---- which applies ------------------------------------------------------------------------ */

static int read_apply(struct past *p, int applied, unsigned n, uint64_t when,
		      struct err *e)
{
	struct past_apply a = { .journal = JOURNAL_NONE, .number = n };
	char name[PAST_NAME];
	uint64_t begun, undone;
	int r;

	snprintf(name, sizeof(name), "%u", n);
	a.dir = file_open_dir(applied, name, e);
	if (a.dir < 0)
		return a.dir;
	begun = diff_look(a.dir, "journal").mtime;
	undone = diff_look(a.dir, "undone").mtime;
	a.taken_back = begun < when;
	if (!begun || (a.taken_back ? undone <= when : undone != 0)) {
		scope_close(&a.dir);
		return 0;
	}
	r = grow_room(p->applies, p->n_applies) ? journal_read(a.dir, &a.journal, e)
						: fail(e, -ENOMEM);
	if (r < 0)
		scope_close(&a.dir);
	else
		p->applies[p->n_applies++] = a;
	return r;
}

static int read_applies(struct past *p, int applied, uint64_t when, unsigned after,
			struct err *e)
{
	uint64_t n, least = UINT64_MAX;
	struct dirscan scan;
	int r = 0;

	dirscan_start(&scan, applied);
	while (r >= 0 && dirscan_next(&scan)) {
		if (num_range(scan.name, 1, FIRST_KIND / 2 - 1, &n) < 0)
			continue;
		least = MIN(least, n);
		r = read_apply(p, applied, (unsigned)n, when, e);
	}
	r = r < 0 ? r : dirscan_failed(&scan, e);
	if (r == 0 && least != UINT64_MAX && least > (uint64_t)after + 1)
		return err_set(e, -ENOENT,
			       "only the last %d applies are kept, and there were more "
			       "since",
			       (int)APPLY_KEPT);
	return r;
}

/* ---- what they have kept ------------------------------------------------------------------- */

/* Whether step @i was done, and what was there then. */
static bool fill(const struct past_apply *a, size_t i, struct past_step *ret)
{
	const struct journal_step *s = &a->journal.steps[i];
	const struct diff_side *side = a->taken_back ? &s->now : &s->was;
	const struct diff_side *other = a->taken_back ? &s->was : &s->now;

	snprintf(ret->name, sizeof(ret->name), a->taken_back ? "%zu.new" : "%zu", i);
	if (side->mode && !S_ISDIR(side->mode)) {
		ret->side = diff_look(a->dir, ret->name);
		return ret->side.mode;
	}
	if (S_ISDIR(other->mode))
		return false;
	snprintf(ret->name, sizeof(ret->name), "%zu", i);
	return a->taken_back ? !diff_look(a->dir, ret->name).mode : s->ino;
}

static void add_steps(struct past *p, const struct past_apply *a)
{
	for (size_t i = 0; i < a->journal.n; i++) {
		struct past_step x = { .path = a->journal.steps[i].path,
				       .dir = a->dir };

		if (!fill(a, i, &x))
			continue;
		x.rank = a->taken_back ? FIRST_KIND - 2 * a->number
				       : FIRST_KIND + 2 * a->number;
		x.rank += !x.side.mode; /* a file that made way for another kind */
		p->steps[p->n++] = x;
	}
}

static int by_path(const void *a, const void *b)
{
	const struct past_step *x = a, *y = b;
	int order = strcmp(x->path, y->path);

	return order ? order : (x->rank > y->rank) - (x->rank < y->rank);
}

int past_read(int boxdir, uint64_t when, unsigned after, struct past *ret,
	      struct err *e)
{
	_cleanup_(past_done) struct past p = PAST_NONE;
	_cleanup_close_ int applied =
		sys_openat(boxdir, "applied", O_RDONLY | O_DIRECTORY | O_NOFOLLOW, 0);
	size_t most = 1;
	int r;

	if (applied == -ENOENT)
		return 0;
	r = applied < 0 ? fail(e, applied) : read_applies(&p, applied, when, after, e);
	if (r < 0)
		return r;
	for (size_t i = 0; i < p.n_applies; i++)
		most += p.applies[i].journal.n;
	p.steps = calloc(most, sizeof(*p.steps));
	if (!p.steps)
		return fail(e, -ENOMEM);
	for (size_t i = 0; i < p.n_applies; i++)
		add_steps(&p, &p.applies[i]);
	qsort(p.steps, p.n, sizeof(*p.steps), by_path);
	*ret = take(&p, PAST_NONE);
	return 0;
}

const struct past_step *past_find(const struct past *p, const char *path)
{
	size_t from = 0, to = p->n;

	while (from < to) {
		size_t mid = (from + to) / 2;

		if (strcmp(p->steps[mid].path, path) < 0)
			from = mid + 1;
		else
			to = mid;
	}
	return from < p->n && strcmp(p->steps[from].path, path) == 0 ? &p->steps[from]
								     : NULL;
}
