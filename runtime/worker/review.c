#include "runtime/worker/jobs.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/diff.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/sys/sys.h"
#include "base/text.h"
#include "rootfs/git/takeover.h"
#include "rootfs/review/apply.h"
#include "rootfs/review/clean.h"
#include "rootfs/review/given.h"
#include "rootfs/review/patch.h"
#include "rootfs/review/settle.h"
#include "rootfs/review/threeway.h"
#include "rootfs/store/tree.h"
#include "runtime/spec/effects.h"
#include "runtime/spec/spec.h"
#include "runtime/worker/asked.h"
#include "runtime/worker/reviewtell.h"
#include "runtime/worker/verdict.h"

enum { REVIEW_UNDONE = 32 << 20, REVIEW_SEEN = 64 << 20 };
enum { COUNT_TWO = 256 }; /* of so many changes lines are counted by two processes */

struct review {
	struct layer layer; /* owned */
	struct diff diff;   /* owned */
	struct verdict *v;  /* owned: one for each item */
	const struct json *args;
	int boxdir;
	struct patch_count
		*ahead;	   /* what the other process has counted; NULL = nothing */
	size_t ahead_from; /* the first item that it counts */
	pid_t counting;	   /* 0 = nobody does, or it has ended */
	bool running;	   /* the layer is in use */
	bool elsewhere;	   /* it is not the project that it is taken over to */
	int to;		   /* owned: where the journal of that is; -1 = none */
	int open; /* the apply that is taken back before it came to its end; 0 = none */
	size_t applied, failed;
	struct buf undone;  /* owned: paths of the host that are again what they were */
	bool back;	    /* it is an undo: they are told */
	struct buf refused; /* owned: paths of steps that were not done */
};

static void review_done(struct review *rv)
{
	layer_close(&rv->layer);
	scope_close(&rv->to);
	diff_done(&rv->diff);
	free(rv->v);
	buf_done(&rv->undone);
	buf_done(&rv->refused);
}

static bool is_asked(const struct review *rv, const char *path)
{
	return asked_for(rv->args, path);
}

/* ---- what is told ------------------------------------------------------------------------ */

/* A directory that nobody is told of: one that stays, or what is in it tells of it. */
static bool is_directory(const struct review *rv, size_t dir)
{
	const struct diff_item *x = &rv->diff.items[dir];

	return S_ISDIR(x->now.mode ?: x->was.mode) && !x->git &&
	       ((x->was.mode && x->now.mode) || diff_inside(&rv->diff, dir, dir));
}

static const char *kind_of(const struct diff_item *x)
{
	if (x->git)
		return S_ISDIR(x->now.mode) ? "git" : "deleted";
	return !x->was.mode ? "new" : !x->now.mode ? "deleted" : "changed";
}

static int patch(const struct review *rv, const struct diff_item *x, struct buf *out,
		 struct patch_count *ret)
{
	const struct patch_sides from = { .was = rv->layer.project,
					  .now = rv->layer.upper,
					  .binary = json_get_bool(rv->args, "binary",
								  false) };

	if (x->kept) {
		*ret = (struct patch_count){ 0 };
		return 0;
	}
	return patch_item(&from, x, out, ret);
}

/* What comes to the host's file of both sides together. */
static void count_merged(const struct review *rv, const struct diff_item *x,
			 struct patch_count *ret)
{
	_cleanup_buf_ struct buf was = BUF_INIT(PATCH_FILE);
	struct diff_stat n = { 0, 0 };

	if (takeover_read(rv->layer.project, x->path, &was) == 0)
		(void)diff_unified(&was, x->merged, &n, NULL);
	*ret = (struct patch_count){ .added = n.added, .removed = n.removed };
}

/* Before it is applied: both sides are there. */
static void count(const struct review *rv, size_t i, struct patch_count *ret)
{
	if (rv->v[i].merged)
		count_merged(rv, &rv->diff.items[i], ret);
	else
		(void)patch(rv, &rv->diff.items[i], NULL, ret);
}

/* Reading both sides of each file is a third of what a list takes: the second half of it is
 * another process's. Without that, or when it fails, nothing is lost but time. */
static void count_ahead(struct review *rv)
{
	const size_t n = rv->diff.n;
	void *shared = NULL;

	if (n < COUNT_TWO || sys_mmap_shared(n * sizeof(*rv->ahead), &shared) < 0)
		return;
	rv->ahead = shared;
	rv->ahead_from = n / 2;
	rv->counting = sys_fork();
	if (rv->counting != 0)
		return;
	(void)sys_prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
	for (size_t i = rv->ahead_from; i < n; i++)
		if (is_asked(rv, rv->diff.items[i].path))
			count(rv, i, &rv->ahead[i]);
	sys_exit(0);
}

/* Return: whether it has counted. Waits for its end. */
static bool has_counted(struct review *rv)
{
	siginfo_t si = { 0 };

	if (!rv->counting)
		return rv->ahead;
	if (rv->counting < 0 ||
	    sys_waitid(P_PID, (id_t)rv->counting, &si, WEXITED) < 0 ||
	    si.si_code != CLD_EXITED) {
		(void)sys_munmap(rv->ahead, rv->diff.n * sizeof(*rv->ahead));
		rv->ahead = NULL;
	}
	rv->counting = 0;
	return rv->ahead;
}

/* What git gets of a box that runs stays where it is. */
static const struct layer *seen_in(const struct review *rv)
{
	return rv->running ? NULL : &rv->layer;
}

static int tell(struct review *rv, size_t i, struct buf *lines, struct err *e)
{
	_cleanup_json_ struct json *j = json_object();
	const struct diff_item *x = &rv->diff.items[i];
	const struct verdict *v = &rv->v[i];
	struct patch_count n = { 0 };
	char path[PATH_MAX + 1], seen[HASH_HEX], why[256];

	if (i >= rv->ahead_from && has_counted(rv))
		n = rv->ahead[i];
	else
		count(rv, i, &n);
	snprintf(path, sizeof(path), "/%s", x->path);
	spec_set_path(j, "path", path);
	json_set_str(j, "kind", kind_of(x));
	json_set_str(j, "class", effects_name(v->effect.class));
	snprintf(why, sizeof(why), "%s; stays in the box", v->effect.why ?: "");
	json_set_str(j, "why", x->kept ? why : v->effect.why);
	json_set_bool(j, "conflict", x->conflict);
	if (x->merged)
		json_set_str(j, "merge", x->overlaps ? "conflicts" : "clean");
	json_set_bool(j, "directory", is_directory(rv, i));
	json_set_bool(j, "chosen", v->chosen);
	json_set_bool(j, "never", v->never);
	json_set_int(j, "added", (int64_t)n.added);
	json_set_int(j, "removed", (int64_t)n.removed);
	json_set_bool(j, "binary", n.binary);
	json_set_int(j, "was_mode", x->was.mode);
	json_set_int(j, "mode", x->now.mode);
	json_set_int(j, "size", (int64_t)x->now.size);
	if (x->git)
		reviewtell_objects(j, &rv->layer, x->path);
	reviewtell_seen_of(x, seen_in(rv), seen);
	json_set_str(j, "seen", seen);
	return reviewtell_soon(j, lines, e);
}

/* What acts on the host comes first: no number of other files hides it. From *@k = 0. */
static bool next_told(const struct review *rv, size_t *k, size_t *ret)
{
	while (*k < (EFFECTS_HELD + 1) * rv->diff.n) {
		size_t class = EFFECTS_HELD - *k / rv->diff.n;

		*ret = (*k)++ % rv->diff.n;
		if (rv->v[*ret].judged == class &&
		    is_asked(rv, rv->diff.items[*ret].path))
			return true;
	}
	return false;
}

static int tell_all(struct review *rv, struct err *e)
{
	_cleanup_buf_ struct buf lines = BUF_INIT(REVIEWTELL_LINES);
	size_t k = 0, i;
	int r = 0;

	count_ahead(rv);
	while (r == 0 && next_told(rv, &k, &i))
		r = tell(rv, i, &lines, e);
	(void)has_counted(rv); /* it reads no more */
	return r < 0 ? r : reviewtell_flush(&lines, e);
}

/* ---- the operations ---------------------------------------------------------------------- */

static void on_step(void *ctx, const char *path, int result)
{
	struct review *rv = ctx;

	if (result == 0) {
		(void)buf_add(&rv->undone, path,
			      strlen(path) + 1); /* asked at the end */
		if (rv->back)
			(void)reviewtell_back(path);
		return;
	}
	(void)buf_add(&rv->refused, path, strlen(path) + 1);
	rv->failed++;
	(void)reviewtell_failed(path, result);
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* A layer may have tens of thousands of names that the host refuses.
 * Return: rv->failed texts in their order, borrowed; owned; NULL = no memory. */
static const char **sort_refused(const struct review *rv)
{
	const char **list = calloc(rv->failed + 1, sizeof(*list));
	const char *p = buf_cstr(&rv->refused);

	if (!list)
		return NULL;
	for (size_t i = 0; i < rv->failed; i++, p += strlen(p) + 1)
		list[i] = p;
	qsort(list, rv->failed, sizeof(*list), by_text);
	return list;
}

/* A layer that is in use keeps what it gave: that is noted, where the box has not gone on
 * since it was listed. So is what was merged, which makes the layer let go of it; the host has
 * more than the box then, so that what the box does to it later is a conflict again. It is said
 * by the journal, so whoever goes on with an apply does the same. */
static int note_given(void *ctx, const struct journal *j, int dir, struct err *e)
{
	const struct review *rv = ctx;
	_cleanup_free_ struct diff_item *items = calloc(j->n + 1, sizeof(*items));
	_cleanup_free_ const char **refused =
		buf_failed(&rv->refused) < 0 ? NULL : sort_refused(rv);
	size_t n = 0;

	if (!items || !refused)
		return err_sys(e, -ENOMEM, "cannot note what was taken over");
	for (size_t i = 0; i < j->n; i++) {
		const struct journal_step *s = &j->steps[i];
		struct diff_side now = diff_look(rv->layer.upper, s->path);
		char name[32];
		bool merged;

		snprintf(name, sizeof(name), "%zu.merged", i);
		merged = diff_look(dir, name).mode;
		if (!now.mode || (!rv->running && !merged) ||
		    (s->now.mode ? !given_same(&now, &s->now) : !S_ISCHR(now.mode)) ||
		    bsearch(&s->path, refused, rv->failed, sizeof(*refused), by_text))
			continue;
		if (rv->running)
			threeway_given(&rv->layer, s->path, &now);
		items[n++] =
			(struct diff_item){ .path = (char *)(uintptr_t)s->path,
					    .was = merged ? (struct diff_side){ 0 }
							  : diff_look(rv->layer.project,
								      s->path),
					    .now = now };
	}
	qsort(items, n, sizeof(*items), diff_by_path);
	return given_add(rv->layer.dir, items, n, e);
}

static struct apply apply_of(struct review *rv)
{
	mode_t mask = sys_umask(077);

	(void)sys_umask(mask);
	return (struct apply){ .boxdir = rv->elsewhere ? rv->to : rv->boxdir,
			       .project = STDIN_FILENO,
			       .upper = rv->layer.upper,
			       .umask = mask,
			       .fn = on_step,
			       .applied = rv->elsewhere ? NULL : note_given,
			       .ctx = rv };
}

static int clean(struct review *rv, struct err *e)
{
	return rv->running || rv->elsewhere
		       ? 0
		       : clean_taken(&rv->layer, apply_of(rv).umask, e);
}

/* One that still goes on keeps all: what is taken back before its end waits as it did. */
static int op_clean(struct review *rv, struct err *e)
{
	int r = apply_open(rv->boxdir, e);

	return r == 0 ? clean(rv, e) : MIN(r, 0);
}

static int list(struct review *rv, struct err *e)
{
	int r = diff_make(&rv->layer, &rv->diff, e);

	if (r < 0)
		return r;
	if (rv->running)
		settle_all(&rv->layer, &rv->diff);
	threeway_all(&rv->layer, &rv->diff);
	rv->v = calloc(rv->diff.n + 1, sizeof(*rv->v));
	if (!rv->v)
		return err_sys(e, -ENOMEM, "cannot judge the changes");
	verdict_all(&(struct verdict_of){ &rv->layer, &rv->diff, rv->args, rv->running,
					  rv->elsewhere },
		    rv->v);
	return 0;
}

/* "seen": what a person agreed to. A box that goes on may have changed it since. */
static int check_seen(const struct review *rv, struct err *e)
{
	const char *seen = json_get_str(rv->args, "seen");
	_cleanup_buf_ struct buf all = BUF_INIT(REVIEW_SEEN);
	char one[HASH_HEX];
	int r;

	if (!seen)
		return 0;
	for (size_t i = 0; i < rv->diff.n; i++) {
		const struct diff_item *x = &rv->diff.items[i];

		if (is_directory(rv, i) || !is_asked(rv, x->path))
			continue;
		reviewtell_seen_of(x, seen_in(rv), one);
		buf_add(&all, one, sizeof(one));
	}
	r = reviewtell_seen(&all, one, e);
	if (r == 0 && strcmp(one, seen) != 0)
		r = err_set(e, -ESTALE, "it has changed since it was shown");
	return r;
}

static int op_diff(struct review *rv, struct err *e)
{
	int r = list(rv, e);

	return r < 0 ? r : tell_all(rv, e);
}

/* Above the patch, where git passes over it: the lines that it removes may be new here. The
 * first word keeps a path from being read as part of a patch. */
static void put_conflict(struct buf *text, const struct diff_item *x)
{
	char shown[PATH_MAX];

	if (x->conflict)
		buf_addf(text,
			 "cubby: %s: %s; %s'cubby apply --overwrite' takes the box's\n",
			 text_escaped(shown, sizeof(shown), x->path, strlen(x->path)),
			 verdict_conflict,
			 x->merged && !x->overlaps
				 ? "'cubby apply --merge' puts both together, "
				 : "");
}

/* The box goes on with it: what it would be shown as may be what nobody agrees to later. */
static void put_stale(struct buf *text, const struct diff_item *x)
{
	char shown[PATH_MAX];

	buf_truncate(text, 0);
	buf_addf(text, "cubby: %s: the box is changing it at this moment\n",
		 text_escaped(shown, sizeof(shown), x->path, strlen(x->path)));
}

static int op_patch(struct review *rv, struct err *e)
{
	size_t left = (size_t)json_get_int(rv->args, "bytes", INT64_MAX);
	size_t k = 0, i;
	int r = list(rv, e) ?: check_seen(rv, e);

	while (r == 0 && left && next_told(rv, &k, &i)) {
		_cleanup_buf_ struct buf text = BUF_INIT(PATCH_MAX);
		struct patch_count ignored;

		put_conflict(&text, &rv->diff.items[i]);
		if (patch(rv, &rv->diff.items[i], &text, &ignored) == -ESTALE)
			put_stale(&text, &rv->diff.items[i]);
		text.len = MIN(text.len, left);
		left -= text.len;
		r = text.len ? file_write_fd(STDERR_FILENO, text.data, text.len, e) : 0;
	}
	return r;
}

/* There is no way back from there: the journal is for this time alone. */
static int open_elsewhere(struct review *rv, struct err *e)
{
	int r = tree_remove(rv->boxdir, "elsewhere", e);

	if (r < 0)
		return r;
	rv->to = file_make_dir(rv->boxdir, "elsewhere", 0700, e);
	return MIN(rv->to, 0);
}

static int op_apply(struct review *rv, struct err *e)
{
	_cleanup_free_ const struct diff_item **chosen = NULL;
	_cleanup_buf_ struct buf gits = BUF_INIT(LAYER_TEXT);
	size_t n = 0;
	int r = rv->elsewhere ? open_elsewhere(rv, e) : apply_ended(rv->boxdir, e);
	struct apply a = apply_of(rv);

	if (r < 0)
		return r;
	r = list(rv, e);
	if (r < 0)
		return r;
	r = check_seen(rv, e);
	if (r < 0)
		return r;
	r = tell_all(rv, e);
	if (r < 0)
		return r;
	chosen = calloc(rv->diff.n + 1, sizeof(*chosen));
	if (!chosen)
		return err_sys(e, -ENOMEM, "cannot judge the changes");
	for (size_t i = 0; i < rv->diff.n; i++) {
		struct diff_item *x = &rv->diff.items[i];

		if (!rv->v[i].merged)
			diff_unmerge(x);
		if (rv->v[i].chosen && x->git)
			buf_add(&gits, x->path, strlen(x->path) + 1);
		else if (rv->v[i].chosen)
			chosen[n++] = x;
	}
	a.gits = &gits;
	a.unit = json_get_str(rv->args, "unit");
	if (buf_failed(&gits) < 0)
		return err_sys(e, buf_failed(&gits), "cannot judge the changes");
	if (n || gits.len)
		r = apply_run(&a, chosen, n, e);
	if (r > 0 && !rv->running && !rv->elsewhere)
		clean_moved(&rv->layer, &rv->diff);
	rv->applied = n;
	if (rv->elsewhere && r >= 0)
		(void)tree_remove(rv->boxdir, "elsewhere", &(struct err){ 0 });
	return r < 0 ? r : op_clean(rv, e);
}

static int op_continue(struct review *rv, struct err *e)
{
	struct apply a = apply_of(rv);
	int r = apply_continue(&a, e);

	if (r == 0)
		return err_set(e, -ENOENT, "no apply is left unfinished");
	r = r < 0 ? r : reviewtell_gits(rv->boxdir, r, e);
	return r < 0 ? r : op_clean(rv, e);
}

static int renew(const struct review *rv, struct err *e)
{
	struct timespec now = sys_wall();

	if (buf_failed(&rv->undone) < 0)
		return err_sys(e, -E2BIG, "cannot note what is taken back");
	return layer_renew(&rv->layer, &rv->undone,
			   (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec,
			   e);
}

/* What is back has a new time: that is none of the host's changes. */
static int on_undone(void *ctx, int n, struct err *e)
{
	struct review *rv = ctx;
	int r = 0;

	if (n == rv->open) {
		buf_truncate(&rv->undone,
			     0); /* what was changed here before stays so */
		r = apply_undone(rv->boxdir, n, &rv->layer, &rv->undone, e);
	}
	return r < 0 ? r : renew(rv, e);
}

/* "after": all that came after that one, which may be none. */
static int undo_since(struct review *rv, int64_t after, struct err *e)
{
	struct apply a = apply_of(rv);
	int r, last = 0;

	a.undone = on_undone;
	rv->back = true;
	while ((r = apply_last(rv->boxdir, e)) > after && r != last) {
		last = r;
		r = apply_undo(&a, e);
		if (r < 0)
			break;
		rv->applied++;
	}
	return MIN(r, 0);
}

static int undo_last(struct review *rv, struct err *e)
{
	struct apply a = apply_of(rv);
	int r = rv->open = apply_open(rv->boxdir, e);

	if (r == 0)
		r = clean(rv, e);
	if (r < 0)
		return r;
	a.undone = rv->open ? on_undone : NULL;
	rv->back = true;
	return apply_undo(&a, e);
}

static int op_undo(struct review *rv, struct err *e)
{
	int64_t after = json_get_int(rv->args, "after", -1);
	int r;

	if (after >= 0)
		return undo_since(rv, after, e);
	r = undo_last(rv, e);
	if (r == 0)
		return err_set(e, -ENOENT, "there is nothing to take back");
	while (r > 0 && apply_is_more(rv->boxdir, r))
		r = undo_last(rv, e);
	return MIN(r, 0);
}

static int op_discard(struct review *rv, struct err *e)
{
	const struct json *paths = json_get(rv->args, "paths");
	char path[PATH_MAX];
	int r = json_get_str(rv->args, "seen") ? list(rv, e) ?: check_seen(rv, e) : 0;

	if (r == 0 && !json_len(paths))
		r = clean_discard(&rv->layer, "", e);
	json_each(it, paths)
	{
		if (r == 0 && asked_path(it, path))
			r = clean_discard(&rv->layer, path + 1, e);
	}
	return r < 0 ? r : clean(rv, e);
}

static const struct {
	const char *name;
	int (*run)(struct review *rv, struct err *e);
} ops[] = {
	{ "diff", op_diff },	     { "patch", op_patch }, { "apply", op_apply },
	{ "continue", op_continue }, { "undo", op_undo },   { "discard", op_discard },
	{ "clean", op_clean },
};

static int report(const struct review *rv, struct json **ret, struct err *e)
{
	_cleanup_json_ struct json *j = json_object();

	json_set_int(j, "applied", (int64_t)rv->applied);
	json_set_int(j, "failed", (int64_t)rv->failed);
	if (json_failed(j) < 0)
		return err_sys(e, -ENOMEM, "cannot report");
	*ret = take(&j, NULL);
	return 0;
}

int review_job(int dir, const char *arg, const struct idmap *, struct json **ret,
	       struct err *e)
{
	_cleanup_(review_done) struct review rv = { .layer = LAYER_NONE,
						    .undone = BUF_INIT(REVIEW_UNDONE),
						    .refused = BUF_INIT(REVIEW_UNDONE),
						    .boxdir = dir,
						    .to = -1 };
	_cleanup_json_ struct json *args = NULL;
	const char *op;
	int r = json_parse(arg ?: "", strlen(arg ?: ""), &args, e);

	if (r < 0)
		return r;
	r = layer_open(dir, STDIN_FILENO, &rv.layer, e);
	if (r < 0)
		return r;
	rv.args = args;
	rv.elsewhere = json_get_bool(args, "elsewhere", false);
	rv.running = json_get_bool(args, "running", false);
	op = json_get_str(args, "op") ?: "";
	for (size_t i = 0; i < ARRAY_SIZE(ops); i++)
		if (strcmp(ops[i].name, op) == 0) {
			r = ops[i].run(&rv, e);
			return r < 0 ? reviewtell_remedy(e) : report(&rv, ret, e);
		}
	return err_set(e, -EINVAL, "bad operation of a review");
}
