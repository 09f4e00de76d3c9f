/* Theory of operation
 *
 * The steps are on disk (journal.h) before the first one is done. What goes comes first,
 * the deepest before what it lies in; then what comes, the other way round (step.c). To go on
 * is to do all steps again: one that finds what it would make, or has made, is done. To take
 * back is to do the opposite, from the last one to the first. */
#include "rootfs/review/apply.h"

#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/dirscan.h"
#include "base/file.h"
#include "base/num.h"
#include "base/sys/sys.h"
#include "rootfs/git/takeover.h"
#include "rootfs/review/carry.h"
#include "rootfs/review/journal.h"
#include "rootfs/review/step.h"
#include "rootfs/store/checkpoint.h"
#include "rootfs/store/tree.h"

enum { NUMBER = 24, UNIT_BYTES = 256 };

struct work {
	const struct apply *a;
	struct journal journal; /* owned */
	unsigned number;
	int dir, log;  /* owned: applied/<n> */
	uint64_t mine; /* the directory's inode: no other apply's, of any box */
	bool again;    /* it may have begun before */
};

static int fail(struct err *e, int code)
{
	return err_sys(e, code, "cannot apply the box's changes");
}

static void work_done(struct work *w)
{
	journal_done(&w->journal);
	scope_close(&w->dir);
	scope_close(&w->log);
}
#define WORK_NONE ((struct work){ .journal = JOURNAL_NONE, .dir = -1, .log = -1 })

/* ---- all steps --------------------------------------------------------------------------- */

static int by_number(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* The inodes of the files that the steps find, in order. NULL = out of memory */
static uint64_t *list_inodes(const struct journal *j, size_t *n)
{
	uint64_t *list = calloc(j->n + 1, sizeof(*list));

	*n = 0;
	for (size_t i = 0; list && i < j->n; i++)
		if (S_ISREG(j->steps[i].was.mode))
			list[(*n)++] = j->steps[i].was.ino;
	if (*n)
		qsort(list, *n, sizeof(*list), by_number);
	return list;
}

static bool is_twice(const uint64_t *list, size_t n, uint64_t ino)
{
	const uint64_t *at = bsearch(&ino, list, n, sizeof(*list), by_number);

	return at &&
	       ((at > list && at[-1] == ino) || (at + 1 < list + n && at[1] == ino));
}

static int run_steps(struct work *w, int (*how)(const struct step *), struct err *e)
{
	size_t files;
	_cleanup_free_ uint64_t *inodes = list_inodes(&w->journal, &files);

	if (!inodes)
		return fail(e, -ENOMEM);
	for (size_t k = 0; k < w->journal.n; k++) {
		size_t i = how == step_forward ? k : w->journal.n - 1 - k;
		const struct step s = {
			.what = &w->journal.steps[i],
			.i = i,
			.project = w->a->project,
			.upper = w->a->upper,
			.dir = w->dir,
			.log = w->log,
			.umask = w->a->umask,
			.mine = w->mine,
			.again = w->again,
			.linked = is_twice(inodes, files, w->journal.steps[i].was.ino)
		};
		int r = how(&s);

		if (err_is_shortage(r))
			return fail(e, r);
		w->a->fn(w->a->ctx, s.what->path, r);
	}
	return 0;
}

static int touch(int dir, const char *name, struct err *e)
{
	return file_replace(dir, name, &(struct file_data){ "", 0, 0600 }, e);
}

/* ---- where ------------------------------------------------------------------------------- */

static bool has(int dir, const char *name)
{
	return diff_look(dir, name).mode;
}

/* Which of them is wanted: the newest that @ok says yes to. */
struct wanted {
	bool (*ok)(int dir);
	unsigned below; /* this number; 0 = any */
};

/* @pick: its number; 0 = there is none. @most: the highest that there is. */
static int scan(int applied, const struct wanted *x, unsigned *pick, unsigned *most,
		struct err *e)
{
	struct dirscan s;

	*pick = *most = 0;
	dirscan_start(&s, applied);
	while (dirscan_next(&s)) {
		_cleanup_close_ int dir = -1;
		uint64_t n;

		if (num_range(s.name, 1, INT_MAX, &n) < 0)
			continue;
		*most = MAX(*most, (unsigned)n);
		dir = sys_openat(applied, s.name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW,
				 0);
		if (n > *pick && (!x->below || n < x->below) && dir >= 0 && x->ok(dir))
			*pick = (unsigned)n;
	}
	return dirscan_failed(&s, e);
}

static bool is_open(int dir)
{
	return has(dir, "journal") && !has(dir, "undone") &&
	       (!has(dir, "done") || (has(dir, "gits") && !has(dir, "gits-done")));
}

static bool can_undo(int dir)
{
	return has(dir, "journal") && !has(dir, "undone");
}

static bool is_undoing(int dir)
{
	return can_undo(dir) && has(dir, "undoing");
}

static int open_work(struct work *w, int applied, unsigned n, struct err *e)
{
	char name[NUMBER];
	struct stat st;
	int r;

	snprintf(name, sizeof(name), "%u", n);
	w->number = n;
	w->dir = file_open_dir(applied, name, e);
	if (w->dir < 0)
		return w->dir;
	r = sys_fstat(w->dir, &st);
	if (r < 0)
		return fail(e, r);
	w->mine = st.st_ino;
	w->log = sys_openat(w->dir, "log", O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW,
			    0600);
	return w->log < 0 ? fail(e, w->log) : 0;
}

static int make_work(struct work *w, int applied, struct err *e)
{
	unsigned pick, most;
	char name[NUMBER];
	int r = scan(applied, &(struct wanted){ .ok = is_open }, &pick, &most, e);

	if (r < 0)
		return r;
	snprintf(name, sizeof(name), "%u", most + 1);
	r = sys_mkdirat(applied, name, 0700);
	return r < 0 ? fail(e, r) : open_work(w, applied, most + 1, e);
}

/* When this one has come to its end: what an old one keeps may be a name of a file that is still
 * in the project, whose ctime changes with that. */
static void remove_old(const struct work *w, int applied)
{
	unsigned old = w->number > APPLY_KEPT ? w->number - APPLY_KEPT : 0;
	char name[NUMBER];

	/* and the one before: cubby kept one more once, or was ended at this point */
	for (int i = 0; i < 2 && old; i++, old--) {
		snprintf(name, sizeof(name), "%u", old);
		(void)tree_remove(applied, name, &(struct err){ 0 });
	}
}

/* ---- apply ------------------------------------------------------------------------------- */

static bool is_two(const struct diff_item *x)
{
	return x->was.mode && x->now.mode &&
	       S_ISDIR(x->was.mode) != S_ISDIR(x->now.mode);
}

/* Before there is a journal, so whoever goes on has it. The box's own side is kept, too: once
 * the layer is clean, nothing else has it. */
static int write_merged(struct work *w, const struct diff_item *x, size_t i,
			struct err *e)
{
	char name[NUMBER + 8];
	struct carry from, to = { w->dir, name };
	_cleanup_close_ int parent =
		takeover_parent(w->a->upper, x->path, false, &from.name);
	struct carry_as as = { .mode = x->now.mode & 0777, .like_fd = -1 };
	int r;

	snprintf(name, sizeof(name), "%zu.box", i);
	from.dir = parent;
	r = parent < 0 ? parent : carry_copy(&from, &to, &as);
	if (r < 0)
		return fail(e, r);
	snprintf(name, sizeof(name), "%zu.merged", i);
	return file_replace(w->dir, name,
			    &(struct file_data){ buf_cstr(x->merged), x->merged->len,
						 x->merged_mode },
			    e);
}

static int write_journal(struct work *w, const struct diff_item *const *items, size_t n,
			 struct err *e)
{
	static const struct diff_side none = { .mode = 0 };
	struct buf *text = &w->journal.text;
	size_t steps = 0;
	int r;

	journal_begin(text);
	for (size_t i = n; i-- > 0;) {
		struct diff_item x = *items[i];

		if (x.now.mode && !is_two(&x))
			continue;
		x.now = none;
		journal_add(text, &x);
		steps++;
	}
	for (size_t i = 0; i < n; i++) {
		struct diff_item x = *items[i];

		if (!x.now.mode)
			continue;
		if (is_two(&x))
			x.was = none;
		journal_add(text, &x);
		r = x.merged ? write_merged(w, &x, steps, e) : 0;
		if (r < 0)
			return r;
		steps++;
	}
	if (buf_failed(text))
		return fail(e, buf_failed(text));
	if (journal_parse(&w->journal) < 0)
		return fail(e, -EINVAL);
	return file_replace(w->dir, "journal",
			    &(struct file_data){ text->data, text->len, 0600 }, e);
}

static int finish(struct work *w, struct err *e)
{
	int r = has(w->dir, "done") ? 0 : run_steps(w, step_forward, e);

	if (r < 0 || has(w->dir, "done"))
		return r;
	if (w->journal.n && sys_syncfs(w->a->project) < 0)
		return fail(e, -EIO);
	if (w->a->applied)
		r = w->a->applied(w->a->ctx, &w->journal, w->dir, e);
	return r < 0 ? r : touch(w->dir, "done", e);
}

int apply_run(const struct apply *a, const struct diff_item *const *items, size_t n,
	      struct err *e)
{
	_cleanup_(work_done) struct work w = WORK_NONE;
	_cleanup_close_ int applied = file_make_dir(a->boxdir, "applied", 0700, e);
	int r;

	w.a = a;
	if (applied < 0)
		return applied;
	r = make_work(&w, applied, e);
	if (r == 0 && a->unit && *a->unit)
		r = file_replace(w.dir, "unit",
				 &(struct file_data){ a->unit, strlen(a->unit), 0600 },
				 e);
	if (r < 0)
		return r;
	if (a->gits && a->gits->len)
		r = file_replace(
			w.dir, "gits",
			&(struct file_data){ a->gits->data, a->gits->len, 0600 }, e);
	if (r < 0)
		return r;
	r = write_journal(&w, items, n, e);
	if (r < 0)
		return r;
	r = finish(&w, e);
	if (r < 0)
		return r;
	remove_old(&w, applied);
	return (int)w.number;
}

static int find(int boxdir, const struct wanted *x, int *applied, struct err *e)
{
	unsigned pick, most;
	int r;

	*applied =
		sys_openat(boxdir, "applied", O_RDONLY | O_DIRECTORY | O_NOFOLLOW, 0);
	if (*applied == -ENOENT)
		return 0;
	if (*applied < 0)
		return fail(e, *applied);
	r = scan(*applied, x, &pick, &most, e);
	return r < 0 ? r : (int)pick;
}

int apply_open(int boxdir, struct err *e)
{
	_cleanup_close_ int applied = -1;

	return find(boxdir, &(struct wanted){ .ok = is_open }, &applied, e);
}

static int undo_ended(int boxdir, struct err *e)
{
	const struct wanted x = { .ok = is_undoing };
	_cleanup_close_ int applied = -1;
	int r = checkpoint_rewinding(boxdir) < 0 ? find(boxdir, &x, &applied, e) : 1;

	return r <= 0 ? r
		      : err_set(e, -EBUSY,
				"an undo did not come to its end; 'cubby undo' goes on "
				"with it");
}

int apply_ended(int boxdir, struct err *e)
{
	int r = undo_ended(boxdir, e) ?: apply_open(boxdir, e);

	return r <= 0 ? r
		      : err_set(e, -EBUSY,
				"an apply did not come to its end; 'cubby apply "
				"--continue' goes on with it, 'cubby undo' takes it back");
}

int apply_before(int boxdir, int n, struct err *e)
{
	const struct wanted x = { .ok = can_undo, .below = (unsigned)n };
	_cleanup_close_ int applied = -1;

	return find(boxdir, &x, &applied, e);
}

int apply_last(int boxdir, struct err *e)
{
	return apply_before(boxdir, 0, e);
}

bool apply_is_more(int boxdir, int n)
{
	_cleanup_buf_ struct buf mine = BUF_INIT(UNIT_BYTES),
				 other = BUF_INIT(UNIT_BYTES);
	struct err none = ERR_NONE;
	char name[NUMBER + 16];

	snprintf(name, sizeof(name), "applied/%d/unit", n);
	if (file_read(boxdir, name, &mine, &none) < 0)
		return false;
	snprintf(name, sizeof(name), "applied/%d/unit", n - 1);
	return n > 1 && file_read(boxdir, name, &other, &none) == 0 &&
	       strcmp(buf_cstr(&mine), buf_cstr(&other)) == 0 &&
	       apply_before(boxdir, n, &none) == n - 1;
}

int apply_gits(int boxdir, int n, struct buf *ret, struct err *e)
{
	_cleanup_close_ int dir = -1;
	char name[NUMBER + 8];
	int r;

	snprintf(name, sizeof(name), "applied/%d", n);
	dir = file_open_dir(boxdir, name, e);
	if (dir < 0)
		return dir;
	r = has(dir, "gits") ? file_read(dir, "gits", ret, e) : 0;
	return r < 0 ? r : take(&dir, -1);
}

int apply_gits_done(int dir, struct err *e)
{
	return has(dir, "gits") ? touch(dir, "gits-done", e) : 0;
}

void apply_undoing(int dir, bool on)
{
	if (on)
		(void)touch(dir, "undoing", ERR_IGNORED);
	else
		(void)sys_unlinkat(dir, "undoing", 0);
}

static int again(const struct apply *a, bool (*ok)(int dir), struct work *w,
		 struct err *e)
{
	_cleanup_close_ int applied = -1;
	int n = find(a->boxdir, &(struct wanted){ .ok = ok }, &applied, e), r;

	if (n <= 0)
		return n;
	w->a = a;
	w->again = true;
	r = open_work(w, applied, (unsigned)n, e);
	if (r < 0)
		return r;
	r = journal_read(w->dir, &w->journal, e);
	return r < 0 ? r : n;
}

int apply_continue(const struct apply *a, struct err *e)
{
	_cleanup_(work_done) struct work w = WORK_NONE;
	int n = again(a, is_open, &w, e);
	int r = n <= 0 ? n : undo_ended(a->boxdir, e) ?: finish(&w, e);

	return r < 0 ? r : n;
}

int apply_undo(const struct apply *a, struct err *e)
{
	_cleanup_(work_done) struct work w = WORK_NONE;
	int n = again(a, can_undo, &w, e), r;

	if (n <= 0)
		return n;
	apply_undoing(w.dir, true);
	r = run_steps(&w, step_backward, e);
	if (r == 0 && a->undone)
		r = a->undone(a->ctx, n, e);
	if (r == 0)
		r = touch(w.dir, "undone", e);
	return r < 0 ? r : n;
}

/* That it came and went has changed its ctime, and that it was moved here its inode. */
int apply_undone(int boxdir, int n, const struct layer *l, struct buf *ret,
		 struct err *e)
{
	_cleanup_journal_ struct journal j = JOURNAL_NONE;
	_cleanup_close_ int dir = -1;
	char name[NUMBER + 8];
	int r;

	snprintf(name, sizeof(name), "applied/%d", n);
	dir = file_open_dir(boxdir, name, e);
	r = dir < 0 ? dir : journal_read(dir, &j, e);
	for (size_t i = 0; i < j.n && r == 0; i++) {
		const struct journal_step *s = &j.steps[i];
		struct diff_side now = diff_look(l->project, s->path);

		if (s->was.mode && s->was.ctime <= layer_since(l, s->path) &&
		    now.mode == s->was.mode && now.size == s->was.size &&
		    now.mtime == s->was.mtime)
			(void)buf_add(ret, s->path, strlen(s->path) + 1);
	}
	return r;
}
