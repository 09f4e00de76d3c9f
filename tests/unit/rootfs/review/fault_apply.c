#include "rootfs/review/apply.h"

#include "base/dirscan.h"
#include "rootfs/store/tree.h"
#include "tests/unit/rootfs/review/layer_dirs.h"

struct scene {
	struct layer_dirs d;
	unsigned round;
};

static void ignore(void *ctx, const char *path, int result)
{
	(void)ctx;
	(void)path;
	(void)result;
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
	struct dirscan_entry d;
	struct err e = ERR_NONE;

	unit_ok(dirscan_start(&scan, dir, &e), &e);
	while (dirscan_next(&scan, &d, &e) > 0)
		unit_ok(tree_remove(dir, d.name, &e), &e);
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
	int r = layer_open(s->d.box, s->d.project, &l, e);

	if (r == 0)
		r = diff_make(&l, &diff, e);
	if (r < 0)
		return r;
	for (size_t i = 0; i < diff.n; i++) {
		if (strcmp(diff.items[i].path, "a") == 0)
			together(&diff.items[i]);
		items[i] = &diff.items[i];
	}
	return apply_run(&a, items, diff.n, e);
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

int main(void)
{
	static const struct unit_case cases[] = {
		{ "killed at every call of an apply", kills },
		{ "killed at every call of an undo", kills_undo },
	};

	return unit_cases("faults of apply", cases);
}
