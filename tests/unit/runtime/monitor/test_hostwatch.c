/* What the host changes in a project, told by renewals, which are counted here. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/sys/sys.h"
#include "runtime/monitor/hostwatch.h"
#include "tests/unit/unit.h"

enum { MANY = 4200, WAIT_MS = 20000 }; /* MANY: more directories than are watched */

/* A box, as far as a watch knows it. */
struct host {
	struct hostwatch w;
	struct loop *loop;
	char project[PATH_MAX];
	bool runs;
};

static unsigned renewed;

static void count_renewal(void *)
{
	renewed++;
}

static bool runs(void *ctx)
{
	const struct host *h = ctx;

	return h->runs;
}

static void make_dir(const char *name)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/p/%s", unit_tmpdir(), name);
	assert_int_equal(mkdir(path, 0755), 0);
}

static void make_file(const char *name)
{
	char path[PATH_MAX];
	FILE *f;

	snprintf(path, sizeof(path), "%s/p/%s", unit_tmpdir(), name);
	f = fopen(path, "wx");
	assert_non_null(f);
	fclose(f);
}

static void make_project(struct host *h)
{
	struct err e = ERR_NONE;

	renewed = 0;
	memset(h, 0, sizeof(*h));
	h->w = HOSTWATCH_NONE;
	make_dir("");
	snprintf(h->project, sizeof(h->project), "%s/p", unit_tmpdir());
	unit_ok(loop_new(&h->loop, &e), &e);
}

static void begin(struct host *h)
{
	const struct hostwatch_conf conf = { .loop = h->loop,
					     .project = h->project,
					     .renew = count_renewal,
					     .runs = runs,
					     .ctx = h };

	hostwatch_spawn(&h->w, true); /* the one that starts with the box */
	assert_int_equal(hostwatch_begin(&h->w, &conf), 0);
}

static void end(struct host *h)
{
	loop_free(&h->loop);
	scope_close(&h->w.fd);
}

/* A program beside another one, and what the watch has to do about it has been done. */
static void start_program(struct host *h)
{
	h->runs = true;
	hostwatch_spawn(&h->w, false);
}

static void until_renewed(struct host *h, unsigned times)
{
	uint64_t until = sys_now_ms() + WAIT_MS;
	struct err e = ERR_NONE;

	while (renewed < times && sys_now_ms() < until)
		unit_ok(loop_step(h->loop, 100, &e), &e);
	assert_int_equal(renewed, times);
}

static void not_under_review(void)
{
	static struct host h;

	make_project(&h);
	start_program(&h);
	assert_int_equal(renewed, 0);
	assert_int_equal(h.w.fd, -1);
	end(&h);
}

/* The first look, and one behind it: from here on there is something only when the host does
 * something. */
static void begin_watched(struct host *h)
{
	make_project(h);
	make_dir(".git");
	make_dir("a");
	begin(h);
	start_program(h); /* a second one: the first is renewed for when it starts */
	assert_int_equal(renewed, 1);
	until_renewed(h, 3);
	assert_true(h->w.fd >= 0 && !h->w.clock && !h->w.again);
}

/* Once for the change, and once when it has rested. */
static void changes(void)
{
	static struct host h;

	begin_watched(&h);
	make_file("x");
	until_renewed(&h, 5);
	make_file("a/x");
	until_renewed(&h, 7);
	make_dir("a/new"); /* it is watched, too */
	until_renewed(&h, 9);
	make_file("a/new/x");
	until_renewed(&h, 11);
	end(&h);
}

static void what_is_not_watched(void)
{
	char outside[PATH_MAX], link[PATH_MAX];
	static struct host h;

	begin_watched(&h);
	snprintf(outside, sizeof(outside), "%s/outside", unit_tmpdir());
	snprintf(link, sizeof(link), "%s/p/link", unit_tmpdir());
	assert_int_equal(mkdir(outside, 0755), 0);
	assert_int_equal(symlink(outside, link), 0);
	until_renewed(&h, 5);
	make_dir("b"); /* all is looked at anew */
	until_renewed(&h, 7);
	make_file(".git/x");
	make_file("link/x");
	start_program(&h);
	assert_int_equal(renewed, 7);
	assert_false(h.w.again);
	end(&h);
}

/* Where nothing runs the next program sees what there is, and nothing is done before. */
static void nothing_runs(void)
{
	struct err e = ERR_NONE;
	static struct host h;

	begin_watched(&h);
	h.runs = false;
	make_file("x");
	unit_ok(loop_step(h.loop, WAIT_MS, &e), &e);
	assert_int_equal(renewed, 3);
	assert_int_equal(loop_step(h.loop, 0, &e), 0); /* it is not heard of again */
	h.runs = true; /* alone: none can have looked before */
	hostwatch_spawn(&h.w, true);
	assert_int_equal(renewed, 4);
	assert_false(h.w.again);
	make_file("y");
	start_program(&h);
	assert_int_equal(renewed, 5);
	until_renewed(&h, 6);
	end(&h);
}

static void too_many_directories(void)
{
	static struct host h;
	char name[16];

	make_project(&h);
	for (int i = 0; i < MANY; i++) {
		snprintf(name, sizeof(name), "%d", i);
		make_dir(name);
	}
	begin(&h);
	until_renewed(&h, 1);
	assert_true(h.w.clock);
	assert_int_equal(h.w.fd, -1);
	assert_null(h.w.on_event);
	start_program(&h);
	assert_int_equal(renewed, 2);
	until_renewed(&h, 3); /* by the clock, though nothing has changed */
	end(&h);
}

/* Its place has been taken by a link. */
static void no_project(void)
{
	char moved[PATH_MAX];
	static struct host h;

	make_project(&h);
	snprintf(moved, sizeof(moved), "%s/q", unit_tmpdir());
	assert_int_equal(rename(h.project, moved), 0);
	assert_int_equal(symlink(moved, h.project), 0);
	begin(&h);
	until_renewed(&h, 1);
	assert_true(h.w.clock);
	end(&h);
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "a project that is not under review", not_under_review },
		{ "files and directories that are made", changes },
		{ "what is not watched", what_is_not_watched },
		{ "nothing runs", nothing_runs },
		{ "too many directories", too_many_directories },
		{ "a link in the project's place", no_project },
	};

	return unit_cases("hostwatch", cases);
}
