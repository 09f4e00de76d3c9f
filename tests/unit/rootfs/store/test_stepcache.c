#include "rootfs/store/stepcache.h"

#include "tests/unit/rootfs/store/layered.h"

static const char one[] =
	"1111111111111111111111111111111111111111111111111111111111111111";
static const char two[] =
	"2222222222222222222222222222222222222222222222222222222222222222";

static void keep(struct layered *l, const char *key, const char *text)
{
	struct err e = ERR_NONE;

	layered_put(l->b.dirfd, "upper/a", text);
	unit_ok(stepcache_keep(&l->b, key, &e), &e);
}

static void begins_other_boxes(void)
{
	_cleanup_layered_ struct layered l;
	_cleanup_boxdir_ struct boxdir other = BOXDIR_NONE;
	struct err e = ERR_NONE;

	layered_open(&l);
	layered_box(&l.s, LAYERED_B, &other);
	assert_true(chain_untouched(&other));
	assert_false(stepcache_has(&l.s, one));
	keep(&l, one, "1");
	keep(&l, two, "2");
	assert_true(stepcache_has(&l.s, one));
	unit_ok(stepcache_begin(&other, two, &e), &e);
	assert_false(chain_untouched(&other));
	assert_int_equal(layered_shows(&l, &other, "a"), '2');
	layered_put(other.dirfd, "upper/a", "9"); /* a step that failed */
	unit_ok(stepcache_begin(&other, one, &e), &e);
	assert_int_equal(layered_shows(&l, &other, "a"), '1');
	unit_ok(stepcache_begin(&other, NULL, &e), &e);
	assert_int_equal(layered_shows(&l, &other, "a"), '-');
	assert_int_equal(layered_shows(&l, &l.b, "a"), '2');
}

static void refuses_what_it_does_not_have(void)
{
	_cleanup_layered_ struct layered l;
	struct err e = ERR_NONE;

	layered_open(&l);
	layered_put(l.b.dirfd, "upper/a", "1");
	assert_int_equal(stepcache_begin(&l.b, one, &e), -ENOENT);
	assert_int_equal(layered_shows(&l, &l.b, "a"), '1');
	e = ERR_NONE;
	assert_int_equal(stepcache_keep(&l.b, "../x", &e), -EINVAL);
	assert_string_equal(e.msg, "bad key of a setup step");
}

/* What waits for review stays with the box that has it. */
static void shares_no_project(void)
{
	_cleanup_layered_ struct layered l;
	_cleanup_boxdir_ struct boxdir other = BOXDIR_NONE;
	struct err e = ERR_NONE;

	layered_open(&l);
	layered_box(&l.s, LAYERED_B, &other);
	layered_make_review(&l.b);
	layered_put(l.b.dirfd, "project/upper/f", "5");
	assert_true(chain_reviews(&l.b));
	keep(&l, one, "1");
	unit_ok(stepcache_begin(&other, one, &e), &e);
	assert_int_equal(layered_review(&l, &other, "f"), '-');
	assert_int_equal(layered_review(&l, &l.b, "f"), '5');
}

static void collecting_knows_it(void)
{
	_cleanup_layered_ struct layered l;
	const struct boxdir_rm rm = { layered_rm, NULL };
	struct snapshot_steps steps;
	struct err e = ERR_NONE;
	int64_t now = sys_wall().tv_sec;

	layered_open(&l);
	keep(&l, one, "1");
	unit_ok(snapshot_steps(&l.s, now, true, &steps, &e), &e);
	assert_int_equal(steps.unused, 0); /* the box stands on it */
	unit_ok(stepcache_begin(&l.b, NULL, &e), &e);
	unit_ok(snapshot_collect(&l.s, &rm, &e), &e);
	unit_ok(stepcache_begin(&l.b, one, &e), &e); /* it is still there */
	assert_int_equal(layered_shows(&l, &l.b, "a"), '1');
	unit_ok(stepcache_begin(&l.b, NULL, &e), &e);
	unit_ok(snapshot_steps(&l.s, now - 1000, true, &steps, &e), &e);
	assert_int_equal(steps.unused, 0); /* used later than that */
	unit_ok(snapshot_steps(&l.s, now + 1000, false, &steps, &e), &e);
	assert_int_equal(steps.all, 1);
	assert_int_equal(steps.unused, 1);
	assert_true(stepcache_has(&l.s, one));
	unit_ok(snapshot_steps(&l.s, now + 1000, true, &steps, &e), &e);
	assert_false(stepcache_has(&l.s, one));
	unit_ok(stepcache_forget(&l.s, one, &e), &e);
}

static const struct unit_case cases[] = {
	{ "begins other boxes", begins_other_boxes },
	{ "refuses what it does not have", refuses_what_it_does_not_have },
	{ "shares no project", shares_no_project },
	{ "collecting knows it", collecting_knows_it },
};

int main(void)
{
	return unit_cases("stepcache", cases);
}
