/* What the host and the box have both changed, put together from what origin.h has kept. */
#include "rootfs/review/threeway.h"

#include <string.h>

#include "base/file.h"
#include "rootfs/review/origin.h"
#include "tests/unit/rootfs/review/layer_dirs.h"

static uint64_t now_ns(void)
{
	struct timespec t = sys_wall();

	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* The clock of the files is behind that of the wall, by a tick. */
static void pass_a_tick(void)
{
	usleep(20000);
}

static void keep(const struct layer_dirs *d)
{
	origin_keep(d->box, d->project);
}

static void begin(const struct layer_dirs *d)
{
	struct err e = ERR_NONE;

	pass_a_tick();
	unit_ok(layer_begin(d->box, d->project, now_ns(), &e), &e);
	pass_a_tick();
}

/* The file "f" of the list; @ret: its merged text, or "-". */
static void merged(const struct layer_dirs *d, char *ret, size_t size, size_t *overlaps)
{
	_cleanup_layer_ struct layer l = LAYER_NONE;
	_cleanup_diff_ struct diff diff = { .items = NULL };
	struct err e = ERR_NONE;

	unit_ok(layer_open(d->box, d->project, &l, &e), &e);
	unit_ok(diff_make(&l, &diff, &e), &e);
	threeway_all(&l, &diff);
	snprintf(ret, size, "-");
	for (size_t i = 0; i < diff.n; i++) {
		const struct diff_item *x = &diff.items[i];

		if (strcmp(x->path, "f") != 0 || !x->merged)
			continue;
		snprintf(ret, size, "%s", buf_cstr(x->merged));
		*overlaps = x->overlaps;
	}
}

static const struct row {
	const char *name, *base, *box, *host, *want;
	size_t overlaps;
} rows[] = {
	{ "two places", "a\nb\nc\n", "x\nb\nc\n", "a\nb\ny\n", "x\nb\ny\n", 0 },
	{ "one place", "a\nb\n", "a\nx\n", "a\ny\n",
	  "a\n<<<<<<< this machine\ny\n=======\nx\n>>>>>>> the box\n", 1 },
	{ "the box has changed nothing but its time", "a\n", "a\n", "b\n", "b\n", 0 },
	{ "an empty file was the beginning", "", "a\n", "b\n",
	  "<<<<<<< this machine\nb\n=======\na\n>>>>>>> the box\n", 1 },
};

static void test_row(const void *p)
{
	const struct row *row = p;
	struct layer_dirs d;
	char text[200];
	size_t n = 0;

	layer_dirs_make(&d);
	layer_dirs_put(d.project, "f", row->base);
	begin(&d);
	layer_dirs_put(d.upper, "f", row->box);
	keep(&d);
	layer_dirs_put(d.project, "f", row->host);
	merged(&d, text, sizeof(text), &n);
	assert_string_equal(text, row->want);
	assert_int_equal(n, row->overlaps);
}

/* Before it was kept: nobody knows what the box began with. */
static void changed_too_early(void)
{
	struct layer_dirs d;
	char text[200];
	size_t n;

	layer_dirs_make(&d);
	layer_dirs_put(d.project, "f", "a\nb\nc\n");
	begin(&d);
	layer_dirs_put(d.upper, "f", "x\nb\nc\n");
	layer_dirs_put(d.project, "f", "a\nb\ny\n");
	keep(&d);
	merged(&d, text, sizeof(text), &n);
	assert_string_equal(text, "-");
}

/* A file of another run under the same path has another beginning. */
static void of_another_run(void)
{
	struct layer_dirs d;
	char text[200];
	size_t n;

	layer_dirs_make(&d);
	layer_dirs_put(d.project, "f", "a\nb\nc\n");
	begin(&d);
	layer_dirs_put(d.upper, "f", "x\nb\nc\n");
	keep(&d);
	assert_int_equal(unlinkat(d.upper, "f", 0), 0); /* discarded */
	layer_dirs_put(d.project, "f", "1\n2\n3\n");
	begin(&d);
	layer_dirs_put(d.upper, "f", "x\n2\n3\n");
	layer_dirs_put(d.project, "f", "1\n2\ny\n");
	merged(&d, text, sizeof(text), &n);
	assert_string_equal(text, "-");
	keep(&d);
}

static void stays_over_runs(void)
{
	struct layer_dirs d;
	char text[200];
	size_t n;

	layer_dirs_make(&d);
	layer_dirs_put(d.project, "f", "a\nb\nc\n");
	begin(&d);
	layer_dirs_put(d.upper, "f", "x\nb\nc\n");
	keep(&d);
	begin(&d);
	keep(&d);
	layer_dirs_put(d.project, "f", "a\nb\ny\n");
	keep(&d);
	merged(&d, text, sizeof(text), &n);
	assert_string_equal(text, "x\nb\ny\n");
}

/* What was taken over while the box was in use is where both go on from: that the box takes
 * a line back is a change of its own. */
static void taken_over_meanwhile(void)
{
	_cleanup_layer_ struct layer l = LAYER_NONE;
	struct err e = ERR_NONE;
	struct layer_dirs d;
	struct diff_item x = { .path = (char[]){ "f" } };
	char text[200];
	size_t n;

	layer_dirs_make(&d);
	layer_dirs_put(d.project, "f", "a\nb\nc\n");
	begin(&d);
	layer_dirs_put(d.upper, "f", "x\nb\nc\n");
	keep(&d);
	layer_dirs_put(d.project, "f", "x\nb\nc\n"); /* by an apply */
	unit_ok(layer_open(d.box, d.project, &l, &e), &e);
	x.now = diff_look(d.upper, "f");
	threeway_given(&l, x.path, &x.now);
	keep(&d);
	layer_dirs_put(d.upper, "f", "a\nb\nc\n");
	layer_dirs_put(d.project, "f", "x\nb\ny\n");
	merged(&d, text, sizeof(text), &n);
	assert_string_equal(text, "a\nb\ny\n");
	assert_int_equal(n, 0);
	threeway_given(&l, x.path, &x.now); /* the box had gone on before it was read */
	merged(&d, text, sizeof(text), &n);
	assert_string_equal(text, "-");
}

static void no_text(void)
{
	struct layer_dirs d;
	char text[200];
	size_t n;
	int fd;

	layer_dirs_make(&d);
	layer_dirs_put(d.project, "f", "a\nb\nc\n");
	begin(&d);
	layer_dirs_put(d.upper, "f", "x\nb\nc\n");
	fd = openat(d.upper, "f", O_WRONLY | O_APPEND | O_CLOEXEC);
	assert_int_equal(write(fd, "\0", 1), 1);
	close(fd);
	keep(&d);
	layer_dirs_put(d.project, "f", "a\nb\ny\n");
	merged(&d, text, sizeof(text), &n);
	assert_string_equal(text, "-");
}

/* Whatever the box puts in the place of what it had. */
static void a_link_or_a_directory(void)
{
	struct layer_dirs d;
	char text[200];
	size_t n;

	layer_dirs_make(&d);
	layer_dirs_put(d.project, "f", "a\nb\nc\n");
	begin(&d);
	layer_dirs_put(d.upper, "f", "x\nb\nc\n");
	keep(&d);
	layer_dirs_put(d.project, "f", "a\nb\ny\n");
	assert_int_equal(unlinkat(d.upper, "f", 0), 0);
	assert_int_equal(symlinkat("/etc/passwd", d.upper, "f"), 0);
	merged(&d, text, sizeof(text), &n);
	assert_string_equal(text, "-");
	assert_int_equal(unlinkat(d.upper, "f", 0), 0);
	assert_int_equal(mkdirat(d.upper, "f", 0755), 0);
	merged(&d, text, sizeof(text), &n);
	assert_string_equal(text, "-");
}

/* What either side did to its rights is done; what both did is done once. */
static void test_rights(mode_t host, mode_t box, mode_t want)
{
	_cleanup_layer_ struct layer l = LAYER_NONE;
	_cleanup_diff_ struct diff diff = { .items = NULL };
	struct err e = ERR_NONE;
	struct layer_dirs d;

	layer_dirs_make(&d);
	layer_dirs_put(d.project, "f", "a\nb\nc\n");
	assert_int_equal(fchmodat(d.project, "f", 0644, 0), 0);
	begin(&d);
	layer_dirs_put(d.upper, "f", "x\nb\nc\n");
	assert_int_equal(fchmodat(d.upper, "f", box, 0), 0);
	keep(&d);
	layer_dirs_put(d.project, "f", "a\nb\ny\n");
	assert_int_equal(fchmodat(d.project, "f", host, 0), 0);
	unit_ok(layer_open(d.box, d.project, &l, &e), &e);
	unit_ok(diff_make(&l, &diff, &e), &e);
	threeway_all(&l, &diff);
	assert_int_equal(diff.n, 1);
	assert_non_null(diff.items[0].merged);
	assert_int_equal(diff.items[0].merged_mode, want);
}

static void rights(void)
{
	test_rights(0600, 0744, 0700);
}

static void rights_that_both_took_away(void)
{
	test_rights(0600, 0600, 0600);
}

static void rights_that_both_gave(void)
{
	test_rights(0755, 0755, 0755);
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "changed before it was kept", changed_too_early },
		{ "of another run", of_another_run },
		{ "it stays over runs", stays_over_runs },
		{ "taken over meanwhile", taken_over_meanwhile },
		{ "no text", no_text },
		{ "a link or a directory in its place", a_link_or_a_directory },
		{ "rights", rights },
		{ "rights that both took away", rights_that_both_took_away },
		{ "rights that both gave", rights_that_both_gave },
	};

	return unit_rows("threeway", rows, test_row) + unit_cases("threeway", cases);
}
