#include "rootfs/review/apply.h"

#include "base/file.h"
#include "rootfs/review/clean.h"
#include "tests/unit/rootfs/review/layer_dirs.h"

struct said {
	struct buf text; /* of what was not done */
};

static void note(void *ctx, const char *path, int result)
{
	struct said *s = ctx;

	if (result < 0)
		(void)buf_addf(&s->text, "%s %d;", path, result);
}

static void is(int dir, const char *path, const char *text)
{
	_cleanup_buf_ struct buf b = BUF_INIT(100);
	struct err e = ERR_NONE;

	unit_ok(file_read(dir, path, &b, &e), &e);
	assert_string_equal(buf_cstr(&b), text);
}

static bool there(int dir, const char *path)
{
	return faccessat(dir, path, F_OK, AT_SYMLINK_NOFOLLOW) == 0;
}

static int apply_all(const struct layer_dirs *d, struct said *s, struct err *e)
{
	_cleanup_layer_ struct layer l = LAYER_NONE;
	_cleanup_diff_ struct diff diff = { .items = NULL };
	const struct diff_item *items[32];
	struct apply a = { .boxdir = d->box,
			   .project = d->project,
			   .upper = d->upper,
			   .umask = 022,
			   .fn = note,
			   .ctx = s };
	int r = layer_open(d->box, d->project, &l, e);

	if (r == 0)
		r = diff_make(&l, &diff, e);
	if (r < 0)
		return r;
	for (size_t i = 0; i < diff.n; i++)
		items[i] = &diff.items[i];
	return apply_run(&a, items, diff.n, e);
}

static int undo(const struct layer_dirs *d, struct said *s, struct err *e)
{
	struct apply a = { .boxdir = d->box,
			   .project = d->project,
			   .upper = -1,
			   .umask = 022,
			   .fn = note,
			   .ctx = s };

	return apply_undo(&a, e);
}

static void fill(struct layer_dirs *d)
{
	layer_dirs_make(d);
	layer_dirs_put(d->project, "a", "1");
	layer_dirs_put(d->project, "gone", "1");
	layer_dirs_put(d->project, "turns", "1");
	assert_int_equal(mkdirat(d->project, "d", 0755), 0);
	layer_dirs_put(d->project, "d/x", "1");
	layer_dirs_put(d->upper, "a", "2");
	assert_int_equal(fchmodat(d->upper, "a", 06755, 0), 0);
	layer_dirs_gone(d->upper, "gone");
	assert_int_equal(mkdirat(d->upper, "turns", 0755), 0);
	layer_dirs_put(d->upper, "turns/in", "2");
	layer_dirs_put(d->upper, "d", "2");
	assert_int_equal(symlinkat("a", d->upper, "link"), 0);
}

static void is_applied(const struct layer_dirs *d)
{
	struct stat st;

	is(d->project, "a", "2");
	assert_int_equal(fstatat(d->project, "a", &st, 0), 0);
	assert_int_equal(st.st_mode & 07777, 0755);
	assert_false(there(d->project, "gone"));
	is(d->project, "turns/in", "2");
	is(d->project, "d", "2");
	assert_true(there(d->project, "link"));
}

static void is_old(const struct layer_dirs *d)
{
	is(d->project, "a", "1");
	is(d->project, "gone", "1");
	is(d->project, "turns", "1");
	is(d->project, "d/x", "1");
	assert_false(there(d->project, "link"));
}

static void forth_and_back(void)
{
	struct layer_dirs d;
	struct said s = { .text = BUF_INIT(1000) };
	struct err e = ERR_NONE;

	fill(&d);
	assert_int_equal(apply_all(&d, &s, &e), 1);
	is_applied(&d);
	assert_int_equal(apply_open(d.box, &e), 0);
	assert_int_equal(undo(&d, &s, &e), 1);
	is_old(&d);
	assert_int_equal(undo(&d, &s, &e), 0);
	assert_string_equal(buf_cstr(&s.text), "");
	assert_int_equal(apply_all(&d, &s, &e), 2);
	is_applied(&d);
	buf_done(&s.text);
}

/* An apply of what both sides are together in, with all that a listed change has. */
static int apply_merged(const struct layer_dirs *d, struct said *s, const char *text,
			struct err *e)
{
	_cleanup_buf_ struct buf merged = BUF_INIT(100);
	struct diff_item x = { .path = (char *)(uintptr_t) "a",
			       .was = diff_look(d->project, "a"),
			       .now = diff_look(d->upper, "a"),
			       .conflict = true,
			       .merged = &merged,
			       .merged_mode = 0640 };
	const struct diff_item *const items[] = { &x };
	struct apply a = { .boxdir = d->box,
			   .project = d->project,
			   .upper = d->upper,
			   .umask = 022,
			   .fn = note,
			   .ctx = s };

	buf_adds(&merged, text);
	return apply_run(&a, items, 1, e);
}

static void both_sides_together(void)
{
	struct layer_dirs d;
	struct said s = { .text = BUF_INIT(1000) };
	struct err e = ERR_NONE;
	struct stat st;

	fill(&d);
	assert_int_equal(apply_merged(&d, &s, "1 and 2", &e), 1);
	is(d.project, "a", "1 and 2");
	assert_int_equal(fstatat(d.project, "a", &st, 0), 0);
	assert_int_equal(st.st_mode & 07777, 0640);
	is(d.upper, "a", "2");
	is(d.box, "applied/1/0.box", "2"); /* also when the layer is clean */
	assert_int_equal(apply_merged(&d, &s, "1 and 2 again", &e), 2);
	assert_int_equal(undo(&d, &s, &e), 2);
	is(d.project, "a", "1 and 2");
	assert_int_equal(undo(&d, &s, &e), 1); /* whose file has come back meanwhile */
	is(d.project, "a", "1");
	assert_string_equal(buf_cstr(&s.text), "");
	buf_done(&s.text);
}

static int apply_unit(const struct layer_dirs *d, const char *unit, struct said *s,
		      struct err *e)
{
	struct apply a = { .boxdir = d->box,
			   .project = d->project,
			   .upper = d->upper,
			   .unit = unit,
			   .fn = note,
			   .ctx = s };

	return apply_run(&a, NULL, 0, e);
}

/* While a person is asked, another command may have taken back what went before. */
static void one_unit(void)
{
	struct layer_dirs d;
	struct said s = { .text = BUF_INIT(1000) };
	struct err e = ERR_NONE;

	layer_dirs_make(&d);
	assert_int_equal(apply_unit(&d, "task", &s, &e), 1);
	assert_int_equal(apply_unit(&d, "task", &s, &e), 2);
	assert_true(apply_is_more(d.box, 2));
	assert_false(apply_is_more(d.box, 1));
	assert_int_equal(apply_unit(&d, "other", &s, &e), 3);
	assert_false(apply_is_more(d.box, 3));
	assert_int_equal(undo(&d, &s, &e), 3);
	assert_int_equal(undo(&d, &s, &e), 2);
	assert_true(apply_is_more(d.box, 2)); /* taken back itself, the first is not */
	assert_int_equal(apply_unit(&d, "asks", &s, &e), 4);
	assert_int_equal(undo(&d, &s, &e), 4);
	assert_int_equal(apply_unit(&d, "asks", &s, &e), 5);
	assert_false(apply_is_more(d.box, 5)); /* else the first one would go, too */
	buf_done(&s.text);
}

/* Git has been taken back, perhaps: to go on with the apply would not bring that again. */
static void undo_is_ended_first(void)
{
	struct layer_dirs d;
	struct said s = { .text = BUF_INIT(1000) };
	struct err e = ERR_NONE;
	struct apply on = { .upper = -1, .fn = note, .ctx = &s };
	int dir;

	fill(&d);
	assert_int_equal(apply_all(&d, &s, &e), 1);
	assert_int_equal(unlinkat(d.box, "applied/1/done", 0), 0);
	assert_int_equal(apply_ended(d.box, &e), -EBUSY);
	assert_non_null(strstr(e.msg, "an apply did not come to its end"));
	dir = openat(d.box, "applied/1", O_RDONLY | O_DIRECTORY);
	apply_undoing(dir, true);
	close(dir);
	assert_int_equal(apply_ended(d.box, &e), -EBUSY);
	assert_non_null(strstr(e.msg, "an undo did not come to its end"));
	on.boxdir = d.box;
	on.project = d.project;
	assert_int_equal(apply_continue(&on, &e), -EBUSY);
	assert_int_equal(undo(&d, &s, &e), 1);
	is_old(&d);
	assert_int_equal(apply_ended(d.box, &e), 0);
	buf_done(&s.text);
}

/* Branches of one project apply at once, and are at the same step. */
static void leaves_the_files_of_other_applies(void)
{
	struct layer_dirs d;
	struct said s = { .text = BUF_INIT(1000) };
	struct err e = ERR_NONE;
	char name[32];

	fill(&d);
	for (int step = 0; step < 8; step++) {
		snprintf(name, sizeof(name), ".cubby-1-%d.tmp", step);
		layer_dirs_put(d.project, name, "of another");
	}
	assert_int_equal(apply_all(&d, &s, &e), 1);
	for (int step = 0; step < 8; step++) {
		snprintf(name, sizeof(name), ".cubby-1-%d.tmp", step);
		assert_true(there(d.project, name));
	}
	buf_done(&s.text);
}

static void changed_since(void)
{
	struct layer_dirs d;
	struct said s = { .text = BUF_INIT(1000) };
	struct err e = ERR_NONE;

	fill(&d);
	assert_int_equal(apply_all(&d, &s, &e), 1);
	layer_dirs_put(d.project, "a", "host");
	layer_dirs_put(d.project, "gone", "host");
	assert_int_equal(undo(&d, &s, &e), 1);
	is(d.project, "a", "host");
	is(d.project, "gone", "host");
	is(d.project, "d/x", "1");
	assert_non_null(strstr(buf_cstr(&s.text), "a -116;"));
	assert_non_null(strstr(buf_cstr(&s.text), "gone -116;"));
	buf_done(&s.text);
}

static void cleans(void)
{
	struct layer_dirs d;
	_cleanup_layer_ struct layer l = LAYER_NONE;
	_cleanup_diff_ struct diff left = { .items = NULL };
	struct said s = { .text = BUF_INIT(1000) };
	struct err e = ERR_NONE;

	fill(&d);
	assert_int_equal(fchmodat(d.upper, "a", 0755, 0), 0);
	assert_int_equal(apply_all(&d, &s, &e), 1);
	layer_dirs_put(d.project, "turns/in", "host");
	unit_ok(layer_open(d.box, d.project, &l, &e), &e);
	unit_ok(diff_make(&l, &left, &e), &e);
	assert_int_equal(left.n, 1);
	unit_ok(clean_layer(&l, &left, &e), &e);
	assert_false(there(d.upper, "a"));
	assert_false(there(d.upper, "gone"));
	assert_false(there(d.upper, "d"));
	assert_true(there(d.upper, "turns/in"));
	assert_int_equal(clean_discard(&l, "nothing", &e), -ENOENT);
	unit_err(&e, -ENOENT, "the box has not changed 'nothing'");
	unit_ok(clean_discard(&l, "", &e), &e);
	assert_false(there(d.upper, "turns"));
	buf_done(&s.text);
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "forth and back", forth_and_back },
		{ "both sides together", both_sides_together },
		{ "one unit", one_unit },
		{ "an undo is ended first", undo_is_ended_first },
		{ "files of other applies stay", leaves_the_files_of_other_applies },
		{ "back, after more changes", changed_since },
		{ "what was applied leaves the layer", cleans },
	};

	return unit_cases("apply", cases);
}
