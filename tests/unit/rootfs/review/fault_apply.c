#include "rootfs/review/apply.h"

#include "base/dirscan.h"
#include "base/text.h"
#include "rootfs/store/tree.h"
#include "tests/unit/rootfs/review/layer_dirs.h"

enum { KILLS = 7 /* doors behind the editor's */, LAST = 36 /* have all of a step */ };

struct scene {
	struct layer_dirs d;
	unsigned round;
	const char *only; /* this file is applied, with what it lies in; NULL = all */
};

static void ignore(void *, const char *, int)
{
}

static struct apply apply_of(const struct scene *s)
{
	return (struct apply){ .boxdir = s->d.box,
			       .project = s->d.project,
			       .upper = s->d.upper,
			       .umask = 022,
			       .fn = ignore };
}

static void clear(int dir)
{
	struct dirscan scan;
	struct err e = ERR_NONE;

	dirscan_start(&scan, dir);
	while (dirscan_next(&scan))
		unit_ok(tree_remove(dir, scan.name, &e), &e);
	unit_ok(dirscan_failed(&scan, &e), &e);
}

static void fill(const struct scene *s)
{
	struct err e = ERR_NONE;

	clear(s->d.project);
	clear(s->d.upper);
	unit_ok(tree_remove(s->d.box, "applied", &e), &e);
	layer_dirs_put(s->d.project, "a", "1");
	layer_dirs_put(s->d.project, "gone", "1");
	assert_int_equal(mkdirat(s->d.project, "d", 0755), 0);
	layer_dirs_put(s->d.project, "d/x", "1");
	layer_dirs_put(s->d.upper, "a", "2");
	layer_dirs_gone(s->d.upper, "gone");
	layer_dirs_put(s->d.upper, "d", "2");
	assert_int_equal(mkdirat(s->d.upper, "n", 0755), 0);
	layer_dirs_put(s->d.upper, "n/new", "2");
}

/* One letter for each: what it is now. */
static char of(int dir, const char *path)
{
	int fd = openat(dir, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	char c = 0;

	if (fd < 0)
		return '-';
	if (read(fd, &c, 1) != 1)
		c = 'd';
	close(fd);
	return c;
}

struct now {
	char c[6];
};

static struct now now_of(const struct scene *s)
{
	int p = s->d.project;

	return (struct now){ { of(p, "a"), of(p, "gone"), of(p, "d"), of(p, "d/x"),
			       of(p, "n/new"), 0 } };
}

static void is(const struct scene *s, const char *want)
{
	assert_string_equal(now_of(s).c, want);
}

/* Under each name the old or the new one, whole. */
static void is_either(const struct scene *s)
{
	int p = s->d.project;

	assert_non_null(strchr("12", of(p, "a")));
	assert_non_null(strchr("1-", of(p, "gone")));
	assert_non_null(strchr("d2-", of(p, "d")));
	assert_non_null(strchr("2-", of(p, "n/new")));
}

/* One of the files comes with both sides in it. */
static void together(struct diff_item *x)
{
	x->merged = calloc(1, sizeof(*x->merged));
	assert_non_null(x->merged);
	*x->merged = BUF_INIT(100);
	buf_adds(x->merged, "2 and 1");
	x->merged_mode = 0600;
}

static int work(void *ctx, struct err *e)
{
	const struct scene *s = ctx;
	_cleanup_layer_ struct layer l = LAYER_NONE;
	_cleanup_diff_ struct diff diff = { .items = NULL };
	const struct diff_item *items[16];
	struct apply a = apply_of(s);
	size_t n = 0;
	int r = layer_open(s->d.box, s->d.project, &l, e);

	if (r == 0)
		r = diff_make(&l, &diff, e);
	if (r < 0)
		return r;
	for (size_t i = 0; i < diff.n; i++) {
		if (strcmp(diff.items[i].path, "a") == 0)
			together(&diff.items[i]);
		if (!s->only || strcmp(s->only, diff.items[i].path) == 0 ||
		    text_is_below(s->only, diff.items[i].path))
			items[n++] = &diff.items[i];
	}
	return apply_run(&a, items, n, e);
}

/* Go on in every second round, back in the others. */
static void after(void *ctx)
{
	struct scene *s = ctx;
	struct apply a = apply_of(s);
	struct err e = ERR_NONE;
	int open;

	is_either(s);
	open = apply_open(s->d.box, &e);
	unit_ok(open, &e);
	if (open && s->round++ % 2) {
		unit_ok(apply_continue(&a, &e), &e);
		is(s, "2-2-2");
	}
	unit_ok(apply_undo(&a, &e), &e);
	is(s, "11d1-");
	fill(s);
}

static void kills(void)
{
	struct scene s = { .round = 0 };

	layer_dirs_make(&s.d);
	fill(&s);
	unit_kills(work, after, &s);
	s.round = 1;
	unit_kills(work, after, &s);
}

static int undo(void *ctx, struct err *e)
{
	struct apply a = apply_of(ctx);

	return apply_undo(&a, e);
}

static void after_undo(void *ctx)
{
	struct scene *s = ctx;
	struct apply a = apply_of(s);
	struct err e = ERR_NONE;

	is_either(s);
	if (memcmp(now_of(s).c, "2-2-2", 5) != 0 && apply_last(s->d.box, &e))
		assert_int_equal(apply_ended(s->d.box, &e), -EBUSY);
	e = ERR_NONE;
	unit_ok(apply_undo(&a, &e), &e);
	is(s, "11d1-");
	unit_ok(apply_ended(s->d.box, &e), &e);
	fill(s);
	unit_ok(work(s, &e), &e);
}

static void kills_undo(void)
{
	struct scene s = { .round = 0 };
	struct err e = ERR_NONE;

	layer_dirs_make(&s.d);
	fill(&s);
	unit_ok(work(&s, &e), &e);
	unit_kills(undo, after_undo, &s);
}

/* ---- an editor of the host's, meanwhile --------------------------------------------------- */

/* It writes beside the file and renames. */
static void save(const struct scene *s, const char *path)
{
	layer_dirs_put(s->d.project, ".editor", "9");
	assert_int_equal(renameat(s->d.project, ".editor", s->d.project, path), 0);
	layer_dirs_put(s->d.box, "saved", "");
}

static void saves_changed(void *ctx)
{
	save(ctx, "a");
}

static void saves_removed(void *ctx)
{
	save(ctx, "gone");
}

static void saves_new(void *ctx)
{
	const struct scene *s = ctx;

	if (faccessat(s->d.project, "n", F_OK, 0) == 0)
		save(s, "n/new");
}

static bool was_saved(const struct scene *s)
{
	return unlinkat(s->d.box, "saved", 0) == 0;
}

static void no_temporary_file(const struct scene *s)
{
	struct dirscan scan;

	dirscan_start(&scan, s->d.project);
	while (dirscan_next(&scan))
		if (strstr(scan.name, ".cubby-"))
			fail_msg("'%s' is left", scan.name);
	assert_int_equal(scan.failed, 0);
}

/* What the editor saved is there, or was taken for the host's and comes back. */
static void nothing_is_lost(struct scene *s, const char *path, char before)
{
	struct apply a = apply_of(s);
	struct err e = ERR_NONE;
	bool saved = was_saved(s);

	if (apply_open(s->d.box, &e) && s->round++ % 2)
		unit_ok(apply_continue(&a, &e), &e);
	if (apply_open(s->d.box, &e) == 0)
		no_temporary_file(s);
	unit_ok(apply_undo(&a, &e), &e);
	no_temporary_file(s);
	assert_int_equal(of(s->d.project, path), saved ? '9' : before);
	fill(s);
}

static void after_changed(void *ctx)
{
	nothing_is_lost(ctx, "a", '1');
}

static void after_removed(void *ctx)
{
	nothing_is_lost(ctx, "gone", '1');
}

static void editor_at(struct scene *s, unsigned kills)
{
	const struct unit_event changed = { saves_changed, kills, LAST };
	const struct unit_event removed = { saves_removed, kills, LAST };

	fill(s);
	s->only = "a";
	unit_meanwhile(work, &changed, after_changed, s);
	s->only = "gone";
	unit_meanwhile(work, &removed, after_removed, s);
	s->only = NULL;
}

static void editor(void)
{
	struct scene s = { .round = 0 };

	layer_dirs_make(&s.d);
	editor_at(&s, KILLS);
}

/* It goes on where a kill has ended it. */
static void undone_is_kept(struct scene *s, const char *path, char before)
{
	struct apply a = apply_of(s);
	struct err e = ERR_NONE;
	bool saved = was_saved(s);

	unit_ok(apply_undo(&a, &e), &e);
	no_temporary_file(s);
	assert_int_equal(of(s->d.project, path), saved ? '9' : before);
	fill(s);
	unit_ok(work(s, &e), &e);
}

static void undone_changed(void *ctx)
{
	undone_is_kept(ctx, "a", '1');
}

static void undone_removed(void *ctx)
{
	undone_is_kept(ctx, "gone", '1');
}

static void undone_new(void *ctx)
{
	undone_is_kept(ctx, "n/new", '-');
}

static void editor_of_undo_at(struct scene *s, unsigned kills)
{
	static const struct {
		const char *path;
		void (*happens)(void *ctx);
		void (*after)(void *ctx);
	} files[] = { { "a", saves_changed, undone_changed },
		      { "gone", saves_removed, undone_removed },
		      { "n/new", saves_new, undone_new } };
	struct err e = ERR_NONE;

	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		const struct unit_event x = { files[i].happens, kills, LAST };

		s->only = files[i].path;
		fill(s);
		unit_ok(work(s, &e), &e);
		unit_meanwhile(undo, &x, files[i].after, s);
	}
	s->only = NULL;
}

static void editor_of_undo(void)
{
	struct scene s = { .round = 0 };

	layer_dirs_make(&s.d);
	editor_of_undo_at(&s, KILLS);
}

/* What is kept of the project is a copy then. */
static void on_two_filesystems(void)
{
	struct scene s = { .round = 0 };
	char path[] = "/dev/shm/cubby-test-XXXXXX";
	struct stat one, two;
	struct err e = ERR_NONE;

	layer_dirs_make(&s.d);
	if (!mkdtemp(path) || stat(path, &one) < 0 || fstat(s.d.box, &two) < 0 ||
	    one.st_dev == two.st_dev)
		unit_skip("/dev/shm is no other filesystem");
	close(s.d.project);
	s.d.project = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert_true(s.d.project >= 0);
	editor_at(&s, 1);
	editor_of_undo_at(&s, 1);
	fill(&s);
	unit_kills(work, after, &s);
	unit_ok(work(&s, &e), &e);
	unit_kills(undo, after_undo, &s);
	clear(s.d.project);
	assert_int_equal(rmdir(path), 0);
}

/* One of them is the exchange: there are filesystems without. */
static void refused(void)
{
	struct scene s = { .round = 0 };

	layer_dirs_make(&s.d);
	fill(&s);
	unit_fails(work, -EINVAL, after, &s);
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "killed at every call of an apply", kills },
		{ "killed at every call of an undo", kills_undo },
		{ "an editor saves at every call of an apply", editor },
		{ "an editor saves at every call of an undo", editor_of_undo },
		{ "the same with the project on another filesystem",
		  on_two_filesystems },
		{ "every call of an apply is refused", refused },
	};

	return unit_cases("faults of apply", cases);
}
