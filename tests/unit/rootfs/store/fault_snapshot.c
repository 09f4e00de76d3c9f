#include "tests/unit/rootfs/store/layered.h"

/* A box with one snapshot "one", in which both files are 1, and a present state with 2. */
static void begin(struct layered *l)
{
	struct err e = ERR_NONE;
	struct chain c;

	unit_ok(tree_remove(l->s.dirfd, "layers", &e), &e);
	boxdir_close(&l->b);
	unit_ok(tree_remove(l->s.boxes, LAYERED_A, &e), &e);
	unit_ok(tree_remove(l->s.boxes, LAYERED_B, &e), &e);
	layered_box(&l->s, LAYERED_A, &l->b);
	layered_make_review(&l->b);
	layered_put(l->b.dirfd, "upper/a", "1");
	layered_put(l->b.dirfd, "project/upper/f", "1");
	unit_ok(snapshot_take(&l->b, "one", NULL, &c, &e), &e);
	layered_put(l->b.dirfd, "upper/a", "2");
	layered_make_review(&l->b);
	layered_put(l->b.dirfd, "project/upper/f", "2");
}

static bool is(const struct layered *l, const char *want)
{
	return layered_shows(l, &l->b, "a") == want[0] &&
	       layered_review(l, &l->b, "f") == want[1];
}

static int take_two(void *ctx, struct err *e)
{
	struct layered *l = ctx;
	struct chain c;

	return snapshot_take(&l->b, "two", NULL, &c, e);
}

static int restore(void *ctx, struct err *e)
{
	struct layered *l = ctx;

	return snapshot_restore(&l->b, "one", e);
}

static int restore_before(void *ctx, struct err *e)
{
	struct layered *l = ctx;

	return snapshot_restore(&l->b, SNAPSHOT_BEFORE, e);
}

static int branch(void *ctx, struct err *e)
{
	_cleanup_json_ struct json *j = json_object();
	struct snapshot_branch to = { .key = LAYERED_B, .box = j };
	struct layered *l = ctx;

	return snapshot_branch(&l->b, &to, e);
}

/* What was kept is whole, and what nobody has can be collected. */
static void is_usable(struct layered *l)
{
	const struct boxdir_rm rm = { layered_rm, NULL };
	struct err e = ERR_NONE;

	unit_ok(snapshot_collect(&l->s, &rm, &e), &e);
	if (!is(l, "11"))
		assert_true(is(l, "22"));
	unit_ok(snapshot_restore(&l->b, "one", &e), &e);
	assert_true(is(l, "11"));
	begin(l);
}

static void after_take(void *ctx)
{
	struct layered *l = ctx;

	assert_true(is(l, "22"));
	is_usable(l);
}

static void after_restore(void *ctx)
{
	struct layered *l = ctx;

	if (!is(l, "22"))
		assert_true(is(l, "11"));
	is_usable(l);
}

static void begin_before(struct layered *l)
{
	struct err e = ERR_NONE;

	begin(l);
	unit_ok(restore(l, &e), &e);
}

/* Of the two states neither is lost: one is there, the other was before. */
static void after_before(void *ctx)
{
	struct layered *l = ctx;
	bool went = is(l, "22");
	struct err e = ERR_NONE;

	if (!went)
		assert_true(is(l, "11"));
	unit_ok(restore_before(l, &e), &e);
	assert_true(is(l, went ? "11" : "22"));
	begin_before(l);
}

static void after_branch(void *ctx)
{
	_cleanup_boxdir_ struct boxdir b = BOXDIR_NONE;
	struct layered *l = ctx;
	struct stat st;
	struct err e = ERR_NONE;

	assert_true(is(l, "22"));
	if (boxdir_open(&l->s, LAYERED_B, false, &b, &e) == 0 &&
	    fstatat(b.dirfd, "box.json", &st, 0) == 0) {
		assert_int_equal(layered_shows(l, &b, "a"), '2');
		assert_int_equal(layered_review(l, &b, "f"), '2');
	}
	is_usable(l);
}

static void kills(void)
{
	_cleanup_layered_ struct layered l;

	layered_open(&l);
	begin(&l);
	unit_kills(take_two, after_take, &l);
	begin(&l);
	unit_kills(restore, after_restore, &l);
	begin_before(&l);
	unit_kills(restore_before, after_before, &l);
	begin(&l);
	unit_kills(branch, after_branch, &l);
}

/* A failure leaves the same as a kill. What comes before is by the C library's calls: only
 * those of the work itself are to fail. */
static void refill(const struct layered *l)
{
	struct stat st;

	(void)unlinkat(l->b.dirfd, "chain", 0);
	(void)unlinkat(l->b.dirfd, "snapshots/two", 0);
	(void)unlinkat(l->s.boxes, LAYERED_B "/box.json", 0);
	layered_put(l->b.dirfd, "upper/a", "2");
	if (fstatat(l->b.dirfd, "project", &st, 0) < 0)
		layered_make_review(&l->b);
	layered_put(l->b.dirfd, "project/upper/f", "2");
}

static char looks_like(const struct layered *l)
{
	struct stat st;
	bool upper = fstatat(l->b.dirfd, "upper/a", &st, 0) == 0;
	bool chain = fstatat(l->b.dirfd, "chain", &st, 0) == 0;

	return upper ? 'u' : chain ? 'c' : '?';
}

static int fail_take(void *ctx, struct err *e)
{
	int r;

	refill(ctx);
	r = take_two(ctx, e);
	assert_int_not_equal(looks_like(ctx), '?');
	return r;
}

static int fail_restore(void *ctx, struct err *e)
{
	int r;

	refill(ctx);
	r = restore(ctx, e);
	assert_int_not_equal(looks_like(ctx), '?');
	return r;
}

static int fail_branch(void *ctx, struct err *e)
{
	int r;

	refill(ctx);
	r = branch(ctx, e);
	assert_int_not_equal(looks_like(ctx), '?');
	return r;
}

static void failures(void)
{
	_cleanup_layered_ struct layered l;

	layered_open(&l);
	begin(&l);
	unit_faults(fail_take, &l);
	assert_true(is(&l, "22"));
	unit_faults(fail_restore, &l);
	assert_true(is(&l, "11"));
	unit_faults(fail_branch, &l);
	assert_true(is(&l, "22"));
}

static const struct unit_case cases[] = {
	{ "killed at each call", kills },
	{ "each call fails", failures },
};

int main(void)
{
	return unit_cases("snapshot", cases);
}
