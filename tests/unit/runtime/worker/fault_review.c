#include "runtime/worker/jobs.h"

#include "rootfs/review/apply.h"
#include "rootfs/review/origin.h"
#include "rootfs/store/tree.h"
#include "tests/unit/rootfs/review/layer_dirs.h"

/* The host's two files are older than the box's run; the box has written both. */
struct scene {
	struct layer_dirs d;
	const char *args; /* of the undo */
	bool open;	  /* the last apply did not come to its end */
};

static void ignore(void *, const char *, int)
{
}

static int open_and_list(const struct scene *s, struct layer *l, struct diff *diff,
			 struct err *e)
{
	int r = layer_open(s->d.box, s->d.project, l, e);

	return r < 0 ? r : diff_make(l, diff, e);
}

static void apply(const struct scene *s, const char *path)
{
	_cleanup_layer_ struct layer l = LAYER_NONE;
	_cleanup_diff_ struct diff diff = { .items = NULL };
	struct apply a = { .boxdir = s->d.box,
			   .project = s->d.project,
			   .upper = s->d.upper,
			   .umask = 022,
			   .fn = ignore };
	struct err e = ERR_NONE;
	size_t i = 0;

	unit_ok(open_and_list(s, &l, &diff, &e), &e);
	while (i < diff.n && strcmp(diff.items[i].path, path) != 0)
		i++;
	assert_true(i < diff.n);
	assert_false(diff.items[i].conflict);
	unit_ok(apply_run(&a, (const struct diff_item *const[]){ &diff.items[i] }, 1,
			  &e),
		&e);
}

static void now_is(int dir, const char *path, const char *want)
{
	char got[8] = "";
	int fd = openat(dir, path, O_RDONLY | O_CLOEXEC);

	assert_true(fd >= 0);
	assert_true(read(fd, got, sizeof(got) - 1) >= 0);
	close(fd);
	assert_string_equal(got, want);
}

static void begin_run(const struct scene *s)
{
	struct timespec now;
	char text[64];
	int fd = openat(s->d.box, "project/since",
			O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	int n;

	assert_int_equal(clock_gettime(CLOCK_REALTIME, &now), 0);
	n = snprintf(text, sizeof(text), "%llu ",
		     (unsigned long long)now.tv_sec * 1000000000ULL +
			     (unsigned long long)now.tv_nsec) +
	    1;
	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, (size_t)n), n);
	close(fd);
}

static void fill(const struct scene *s)
{
	struct err e = ERR_NONE;

	unit_ok(tree_remove(s->d.box, "applied", &e), &e);
	layer_dirs_put(s->d.project, "a", "1");
	layer_dirs_put(s->d.project, "b", "1");
	begin_run(s);
	layer_dirs_put(s->d.upper, "a", "22");
	layer_dirs_put(s->d.upper, "b", "22");
	apply(s, "a");
	apply(s, "b");
	if (s->open)
		assert_int_equal(unlinkat(s->d.box, "applied/2/done", 0), 0);
}

static int undo(void *ctx, struct err *e)
{
	const struct scene *s = ctx;
	_cleanup_json_ struct json *told = NULL;

	return review_job(s->d.box, s->args, NULL, &told, e);
}

static void after(void *ctx)
{
	const struct scene *s = ctx;
	_cleanup_layer_ struct layer l = LAYER_NONE;
	_cleanup_diff_ struct diff diff = { .items = NULL };
	struct err e = ERR_NONE;

	if (apply_last(s->d.box, &e) == 2 || !s->open)
		unit_ok(undo(ctx, &e), &e);
	now_is(s->d.project, "b", "1");
	now_is(s->d.project, "a", s->open ? "22" : "1");
	unit_ok(open_and_list(s, &l, &diff, &e), &e);
	for (size_t i = 0; i < diff.n; i++)
		if (!s->open || strcmp(diff.items[i].path, "b") == 0)
			assert_false(diff.items[i].conflict);
	fill(s);
}

static void kills(struct scene *s)
{
	layer_dirs_make(&s->d);
	assert_int_equal(dup2(s->d.project, STDIN_FILENO), STDIN_FILENO);
	fill(s);
	unit_kills(undo, after, s);
}

static void of_an_open_one(void)
{
	kills(&(struct scene){ .args = "{\"op\":\"undo\"}", .open = true });
}

static void of_all_since(void)
{
	kills(&(struct scene){ .args = "{\"op\":\"undo\",\"after\":0}" });
}

/* ---- a merge, of a box in use ------------------------------------------------------------ */

static int op(const struct scene *s, const char *args, struct err *e)
{
	_cleanup_json_ struct json *told = NULL;

	return review_job(s->d.box, args, NULL, &told, e);
}

static void fill_merge(const struct scene *s)
{
	struct err e = ERR_NONE;
	struct timespec now;

	unit_ok(tree_remove(s->d.box, "applied", &e), &e);
	unit_ok(tree_remove(s->d.box, "project/origin", &e), &e);
	(void)unlinkat(s->d.box, "project/given", 0);
	(void)unlinkat(s->d.upper, "a", 0);
	layer_dirs_put(s->d.project, "a", "1\n2\n3\n");
	usleep(20000);
	assert_int_equal(clock_gettime(CLOCK_REALTIME, &now), 0);
	unit_ok(layer_begin(s->d.box, s->d.project,
			    (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec,
			    &e),
		&e);
	usleep(20000);
	layer_dirs_put(s->d.upper, "a", "x\n2\n3\n");
	origin_keep(s->d.box, s->d.project);
	layer_dirs_put(s->d.project, "a", "1\n2\ny\n");
}

static int merge(void *ctx, struct err *e)
{
	return op(ctx, "{\"op\":\"apply\",\"merge\":true,\"running\":true}", e);
}

/* The next merge begins with what the box has given. */
static void after_merge(void *ctx)
{
	const struct scene *s = ctx;
	_cleanup_layer_ struct layer l = LAYER_NONE;
	_cleanup_diff_ struct diff diff = { .items = NULL };
	_cleanup_buf_ struct buf base = BUF_INIT(100);
	struct err e = ERR_NONE;
	mode_t mode;
	int open = apply_open(s->d.box, &e);

	unit_ok(open, &e);
	if (open)
		unit_ok(op(s, "{\"op\":\"continue\",\"running\":true}", &e), &e);
	if (apply_last(s->d.box, &e)) {
		unit_ok(open_and_list(s, &l, &diff, &e), &e);
		assert_int_equal(diff.n, 0);
		assert_int_equal(origin_read(&l, "a", &base, &mode), 0);
		assert_string_equal(buf_cstr(&base), "x\n2\n3\n");
	}
	fill_merge(s);
}

static void of_a_merge(void)
{
	struct scene s = { .args = "" };

	layer_dirs_make(&s.d);
	assert_int_equal(dup2(s.d.project, STDIN_FILENO), STDIN_FILENO);
	fill_merge(&s);
	unit_kills(merge, after_merge, &s);
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "killed at every call: what is back of a cut off apply is no conflict",
		  of_an_open_one },
		{ "killed at every call: what is back of several applies is no conflict",
		  of_all_since },
		{ "killed at every call of a merge: the next goes on from it",
		  of_a_merge },
	};

	return unit_cases("faults of a review", cases);
}
