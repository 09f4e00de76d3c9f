/* Theory of operation
 *
 * A step keeps what it finds under its number, then puts the new file in its place, then logs
 * what is there now. Between the first and the second an editor may rename a version of its own
 * there. So the two are exchanged: what comes out must be what was kept, else both go back, and
 * the step is a conflict. What is taken away goes to a name beside it first, and is looked at
 * there.
 *
 * A kill leaves what came out under one of two names beside the file. ".tmp" is the copy that
 * comes, until it is exchanged: the log has its inode before that, so another one under this
 * name is the host's. ".old" is the host's or ours by what it is. */
#include "rootfs/review/step.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include "base/file.h"
#include "base/scope.h"
#include "base/sys/sys.h"
#include "rootfs/git/takeover.h"
#include "rootfs/review/carry.h"

enum { NUMBER = 32, TRIES = 1000 /* of somebody who goes on replacing it */ };

/* Where a step is being done, and under which names. */
struct at {
	const struct step *s;
	const struct journal_step *step;
	struct carry here, temp, aside;	  /* in the project; dir is owned */
	struct carry kept, later, merged; /* in the directory of the apply */
	struct diff_side found;		  /* what is there */
	char kept_name[NUMBER], later_name[NUMBER], merged_name[NUMBER];
	char temp_name[2 * NUMBER], aside_name[2 * NUMBER];
};

static struct diff_side look_at(const struct carry *p)
{
	return diff_look(p->dir, p->name);
}

static bool is_there(const struct carry *p)
{
	return file_is_there(p->dir, p->name);
}

static void drop(const struct carry *p)
{
	(void)sys_unlinkat(p->dir, p->name, 0);
}

static bool is_same(const struct diff_side *a, const struct diff_side *b)
{
	return a->mode == b->mode && (!a->mode || S_ISDIR(a->mode) ||
				      (a->ino == b->ino && a->size == b->size &&
				       a->mtime == b->mtime && a->ctime == b->ctime));
}

/* A rename may change the ctime. */
static bool is_moved(const struct diff_side *a, const struct diff_side *b)
{
	return a->mode && a->mode == b->mode && a->ino == b->ino &&
	       a->size == b->size && a->mtime == b->mtime;
}

/* What the step makes: the box's file, or the one that both sides are together in. */
static struct diff_side made_by(const struct at *at)
{
	struct diff_side merged = look_at(&at->merged);

	return merged.mode ? merged : at->step->now;
}

/* As it was listed; or the same under two names, by which its ctime has changed: what is kept
 * here is one, and what another step has replaced or removed was. */
static bool is_untouched(const struct at *at)
{
	struct diff_side old = look_at(&at->kept);

	return is_same(&at->found, &at->step->was) ||
	       (at->s->linked && is_moved(&at->found, &at->step->was)) ||
	       (old.mode && at->found.mode && old.ino == at->found.ino &&
		is_same(&old, &at->found));
}

/* What this step has put there, and nobody has touched since. */
static bool is_ours(const struct at *at, const struct diff_side *x)
{
	const struct journal_step *s = at->step;
	struct diff_side later = look_at(&at->later); /* an undo's */
	struct diff_side made = made_by(at);

	if ((x->mode & S_IFMT) != (s->now.mode & S_IFMT) || !x->mode)
		return false;
	if (s->ino && x->ino == s->ino && (x->ctime == s->ctime || is_same(x, &later)))
		return true;
	/* Else it may have been kept by a later apply, as a link or a copy, and be back. */
	if (s->ino && (x->mode != s->mode || (S_ISLNK(x->mode) && x->ino != s->ino)))
		return false;
	return x->size == made.size && (x->mtime == made.mtime || S_ISLNK(x->mode));
}

static int log_side(const struct at *at, const struct diff_side *x)
{
	return journal_log(at->s->log, at->s->i, x, ERR_IGNORED);
}

/* @mine as it is now, unless the host has another there already. */
static int log_it(const struct at *at, const struct diff_side *mine)
{
	struct diff_side now = look_at(&at->here);

	return is_moved(&now, mine) ? log_side(at, &now) : 0;
}

/* ---- another program, at the same moment --------------------------------------------------- */

static int exchange_with(const struct at *at, const struct carry *with)
{
	return sys_renameat2(with->dir, with->name, at->here.dir, at->here.name,
			     RENAME_EXCHANGE);
}

/* What came out of an exchange is the host's and goes back for the inode @ours. What comes out
 * then is that one; or another that the host has put there meanwhile, which goes back for the
 * first: that is gone, as the host's own rename would have it. */
static int give_back(const struct at *at, const struct carry *out, uint64_t ours)
{
	for (int i = 0; i < TRIES; i++) {
		struct diff_side theirs = look_at(out), got;
		int r = exchange_with(at, out);

		if (r == -ENOENT && carry_rename(out, &at->here, true) == 0)
			return -ESTALE;
		if (r < 0 && r != -ENOENT)
			return r;
		got = look_at(out);
		if (r == 0 && got.ino == ours) {
			drop(out);
			return -ESTALE;
		}
		if (r == 0)
			ours = theirs.ino;
	}
	return -EAGAIN;
}

/* To @to, if it is still @x. */
static int take_away(const struct at *at, const struct diff_side *x,
		     const struct carry *to)
{
	struct diff_side out;
	int r = carry_rename(&at->here, &at->aside, false);

	if (r < 0)
		return r == -ENOENT ? 0 : r; /* the host was faster */
	out = look_at(&at->aside);
	if (is_moved(&out, x))
		return carry_move(&at->aside, to, false);
	if (carry_rename(&at->aside, &at->here, true) == -EEXIST)
		drop(&at->aside); /* there is a newer one */
	return -ESTALE;
}

/* ---- forth ---------------------------------------------------------------------------------- */

static int keep_old(const struct at *at)
{
	struct diff_side kept = look_at(&at->kept);

	return is_same(&kept, &at->found) ? 0 : carry_keep(&at->here, &at->kept);
}

/* The copy that has come into at->temp, for what is there. */
static int replace(const struct at *at, const struct diff_side *mine)
{
	struct diff_side out;
	int r = log_side(at, mine) ?: keep_old(at);

	if (r < 0)
		return r;
	r = exchange_with(at, &at->temp);
	if (r == -EINVAL) { /* this filesystem has none: no more than a last look */
		out = look_at(&at->here);
		r = is_moved(&out, &at->step->was)
			    ? carry_rename(&at->temp, &at->here, false)
			    : -ESTALE;
	} else if (r == 0) {
		out = look_at(&at->temp);
		if (is_moved(&out, &at->step->was))
			drop(&at->temp);
		else
			r = give_back(at, &at->temp, mine->ino);
	} else if (r == -ENOENT) {
		r = -ESTALE; /* the host has removed it */
	}
	if (r == -ESTALE)
		drop(&at->kept);
	return r;
}

/* The copy, into at->temp. What was judged is open, and nothing else is read: in a box that
 * runs another may have its name by now, or its directory's, and be back under it. */
static int copy_judged(const struct at *at, const struct carry_as *as)
{
	const struct journal_step *s = at->step;
	_cleanup_close_ int from = diff_open(at->s->upper, s->path, &s->now);
	int r;

	if (from < 0)
		return from;
	r = look_at(&at->merged).mode ? carry_copy(&at->merged, &at->temp, as)
				      : carry_copy_open(from, &at->temp, as);
	return r == 0 && !diff_is(from, &s->now) ? -ESTALE : r;
}

/* In the place of what was there, with its owner. */
static int lay_file(const struct at *at)
{
	static const struct diff_side none = { .mode = 0 };
	const struct journal_step *s = at->step;
	struct diff_side now = diff_look(at->s->upper, s->path), mine;
	struct carry_as as = { .mode = made_by(at).mode & 0777, .like_fd = -1 };
	_cleanup_close_ int old = -1;
	struct stat st;
	int r;

	if (!is_same(&now, &s->now))
		return -ESTALE; /* the box has gone on */
	if (S_ISREG(s->was.mode)) {
		old = takeover_open(at->here.dir, at->here.name, O_RDONLY | O_NONBLOCK);
		if (old >= 0 && sys_fstat(old, &st) == 0)
			as.like = &st;
		as.like_fd = old;
	} else {
		as.mode &= ~at->s->umask;
	}
	r = s->ino ? log_side(at, &none) : 0; /* the next copy has another inode */
	if (r == 0)
		r = copy_judged(at, &as);
	mine = look_at(&at->temp);
	if (r == 0)
		r = s->was.mode ? replace(at, &mine)
				: carry_rename(&at->temp, &at->here, true);
	if (r < 0 && r != -EAGAIN)
		drop(&at->temp);
	return r < 0 ? r : log_it(at, &mine);
}

static int set_mode(const struct at *at, mode_t mode, mode_t mask)
{
	_cleanup_close_ int fd =
		takeover_open(at->here.dir, at->here.name, O_RDONLY | O_DIRECTORY);
	struct stat st;
	int r = fd < 0 ? fd : sys_fstat(fd, &st);

	return r < 0 ? r
		     : sys_fchmod(fd, (mode & 0777 & ~mask) | (st.st_mode & S_ISGID));
}

static int lay_dir(const struct at *at)
{
	int r;

	if (S_ISDIR(at->step->was.mode))
		return set_mode(at, at->step->now.mode, 0);
	r = sys_mkdirat(at->here.dir, at->here.name, 0700);
	return r < 0 ? r : set_mode(at, at->step->now.mode, at->s->umask);
}

/* A directory is empty by now, unless somebody has put something there. */
static int remove_it(const struct at *at)
{
	int r;

	if (!S_ISDIR(at->step->was.mode))
		return take_away(at, &at->step->was, &at->kept);
	r = sys_unlinkat(at->here.dir, at->here.name, AT_REMOVEDIR);
	return r == -ENOTEMPTY || r == -EEXIST ? 0 : r;
}

/* What a kill has left of the copy, or of what came out for it. */
static int settle_temp(const struct at *at)
{
	struct diff_side x = look_at(&at->temp);
	uint64_t ours = at->step->ino;

	if (!x.mode)
		return 0;
	if (ours && x.ino != ours && !is_moved(&x, &at->step->was) &&
	    (at->found.ino == ours || x.mtime > at->found.mtime))
		return give_back(at, &at->temp, at->found.ino);
	drop(&at->temp);
	return 0;
}

/* It was taken away, and not yet kept. */
static int settle_removal(const struct at *at)
{
	struct diff_side x = look_at(&at->aside);
	int r;

	if (!x.mode)
		return 0;
	if (is_moved(&x, &at->step->was))
		return carry_move(&at->aside, &at->kept, false);
	r = carry_rename(&at->aside, &at->here, true);
	if (r == -EEXIST)
		drop(&at->aside);
	return -ESTALE;
}

static int forward(const struct at *at)
{
	const struct journal_step *s = at->step;
	bool dir = S_ISDIR(s->now.mode);
	int r = !at->s->again ? 0 : s->now.mode ? settle_temp(at) : settle_removal(at);

	if (r < 0)
		return r;
	if (!s->now.mode)
		return !at->found.mode	   ? 0
		       : !is_untouched(at) ? -ESTALE
					   : remove_it(at);
	if (dir && S_ISDIR(at->found.mode) &&
	    (!s->was.mode || !((at->found.mode ^ s->now.mode) & 0777)))
		return 0;
	if (!dir && !is_untouched(at) && is_ours(at, &at->found))
		return 0;
	if (!is_untouched(at))
		return -ESTALE;
	return dir ? lay_dir(at) : lay_file(at);
}

/* ---- and back ------------------------------------------------------------------------------- */

static int back_dir(const struct at *at)
{
	const struct journal_step *s = at->step;
	int r;

	if (S_ISDIR(s->was.mode) && S_ISDIR(s->now.mode))
		return set_mode(at, s->was.mode, 0);
	if (s->now.mode) {
		r = sys_unlinkat(at->here.dir, at->here.name, AT_REMOVEDIR);
		return r == -ENOTEMPTY || r == -EEXIST || r == -ENOENT ? 0 : r;
	}
	r = sys_mkdirat(at->here.dir, at->here.name, 0700);
	if (r < 0 && r != -EEXIST)
		return r;
	return set_mode(at, s->was.mode, 0);
}

/* What the step has removed. */
static int back_removed(const struct at *at)
{
	struct diff_side kept = look_at(&at->kept);
	int r;

	if (is_there(&at->aside)) { /* it was not kept yet */
		if (carry_rename(&at->aside, &at->here, true) == -EEXIST)
			drop(&at->aside);
		return 0;
	}
	if (at->found.mode && kept.mode)
		return -ESTALE;
	r = carry_move(&at->kept, &at->here, true);
	return r == -ENOENT ? 0 : r; /* it was never taken, or is back already */
}

/* What it has made where nothing was. */
static int back_new(const struct at *at)
{
	struct diff_side x = look_at(&at->aside);

	if (!x.mode)
		return take_away(at, &at->found, &at->later);
	if (is_ours(at, &x))
		return carry_move(&at->aside, &at->later, false);
	if (carry_rename(&at->aside, &at->here, true) == -EEXIST)
		drop(&at->aside);
	return -ESTALE;
}

/* at->aside has come out for the old file, or is to be exchanged for it. */
static int settle_old(const struct at *at, bool *over)
{
	const struct diff_side *was = &at->step->was;
	struct diff_side x = look_at(&at->aside);
	bool old = (at->found.mode & S_IFMT) == (was->mode & S_IFMT) &&
		   at->found.size == was->size &&
		   (at->found.mtime == was->mtime || S_ISLNK(was->mode));

	if (!x.mode)
		return 0;
	if (is_ours(at, &at->found) ||
	    (!old && (is_ours(at, &x) || x.mtime <= at->found.mtime))) {
		drop(&at->aside);
		return 0;
	}
	if (!is_ours(at, &x)) {
		drop(&at->later);
		return give_back(at, &at->aside, at->found.ino);
	}
	*over = true;
	drop(&at->kept);
	drop(&at->aside);
	return 0;
}

/* The old file for what the step has put into its place. */
static int back_old(const struct at *at)
{
	struct diff_side old, out;
	int r = carry_keep(&at->here, &at->later) ?: carry_keep(&at->kept, &at->aside);

	if (r < 0)
		return r;
	old = look_at(&at->aside);
	r = exchange_with(at, &at->aside);
	if (r == -EINVAL) {
		out = look_at(&at->here);
		r = is_moved(&out, &at->found)
			    ? carry_rename(&at->aside, &at->here, false)
			    : -ESTALE;
	} else if (r == 0) {
		out = look_at(&at->aside);
		if (!is_moved(&out, &at->found))
			r = give_back(at, &at->aside, old.ino);
	} else if (r == -ENOENT) {
		r = -ESTALE;
	}
	if (r < 0) {
		if (r != -EAGAIN)
			drop(&at->aside);
		drop(&at->later);
		return r;
	}
	drop(&at->kept);
	drop(&at->aside);
	return 0;
}

static int backward(const struct at *at)
{
	const struct journal_step *s = at->step;
	bool over = false;
	int r;

	if (S_ISDIR(s->was.mode) || S_ISDIR(s->now.mode))
		return back_dir(at);
	carry_clean(&at->aside);
	carry_clean(&at->here);
	if (!s->now.mode)
		return back_removed(at);
	r = settle_temp(at);
	if (r < 0)
		return r == -ESTALE ? 0 : r; /* the host's has stayed */
	if (!s->was.mode && is_there(&at->aside))
		return back_new(at);
	r = s->was.mode ? settle_old(at, &over) : 0;
	if (r < 0 || over)
		return r;
	if (is_untouched(at) || (!s->was.mode && !at->found.mode)) {
		drop(&at->kept);
		return 0; /* it was not done, or is undone */
	}
	if ((s->was.mode && !is_there(&at->kept)) ||
	    (!s->ino && !is_ours(at, &at->found)))
		return 0; /* the host's was another, and has stayed */
	if (!is_ours(at, &at->found))
		return -ESTALE;
	return s->was.mode ? back_old(at) : back_new(at);
}

/* ---- where ---------------------------------------------------------------------------------- */

static int do_it(const struct step *s, bool make, int (*how)(const struct at *at))
{
	struct at at = { .s = s, .step = s->what };
	_cleanup_close_ int parent =
		takeover_parent(s->project, s->what->path, make, &at.here.name);

	if (parent == -ENOENT)
		return 0; /* with all that was in it */
	if (parent < 0)
		return parent;
	snprintf(at.kept_name, NUMBER, "%zu", s->i);
	snprintf(at.later_name, NUMBER, "%zu.new", s->i);
	snprintf(at.merged_name, NUMBER, "%zu.merged", s->i);
	snprintf(at.temp_name, sizeof(at.temp_name), ".cubby-%" PRIu64 "-%zu.tmp",
		 s->mine, s->i);
	snprintf(at.aside_name, sizeof(at.aside_name), ".cubby-%" PRIu64 "-%zu.old",
		 s->mine, s->i);
	at.here.dir = parent;
	at.temp = (struct carry){ parent, at.temp_name };
	at.aside = (struct carry){ parent, at.aside_name };
	at.kept = (struct carry){ s->dir, at.kept_name };
	at.later = (struct carry){ s->dir, at.later_name };
	at.merged = (struct carry){ s->dir, at.merged_name };
	at.found = look_at(&at.here);
	return how(&at);
}

int step_forward(const struct step *s)
{
	return do_it(s, s->what->now.mode, forward);
}

int step_backward(const struct step *s)
{
	return do_it(s, !s->what->now.mode, backward);
}
