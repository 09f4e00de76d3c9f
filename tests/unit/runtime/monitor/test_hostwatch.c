/* What the host changes in a project, told by renewals, which are counted here. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/sys/sys.h"
#include "runtime/monitor/impl.h"
#include "tests/unit/unit.h"

enum { MANY = 4200, WAIT_MS = 20000 }; /* MANY: more directories than are watched */

static unsigned renewed;
static struct program first, second = { .next = &first };

static void count_renewal(struct monitor *)
{
	renewed++;
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

static void begin(struct monitor *m, enum project_mode mode)
{
	struct err e = ERR_NONE;

	renewed = 0;
	memset(m, 0, sizeof(*m));
	m->host.fd = -1;
	m->last_id = 1;
	make_dir("");
	snprintf(m->spec.project, sizeof(m->spec.project), "%s/p", unit_tmpdir());
	m->spec.project_mode = mode;
	unit_ok(loop_new(&m->loop, &e), &e);
}

static void end(struct monitor *m)
{
	loop_free(&m->loop);
	scope_close(&m->host.fd);
}

/* A program beside another one, and what the watch has to do about it has been done. */
static void start_program(struct monitor *m)
{
	m->programs = &second;
	m->last_id++;
	monitor_hostwatch_spawn(m);
}

static void until_renewed(struct monitor *m, unsigned times)
{
	uint64_t until = sys_now_ms() + WAIT_MS;
	struct err e = ERR_NONE;

	while (renewed < times && sys_now_ms() < until)
		unit_ok(loop_step(m->loop, 100, &e), &e);
	assert_int_equal(renewed, times);
}

static void not_under_review(void)
{
	static struct monitor m;

	begin(&m, PROJECT_LIVE);
	assert_int_equal(monitor_hostwatch_begin(&m, count_renewal), 0);
	assert_null(m.host.on_time);
	start_program(&m);
	assert_int_equal(renewed, 0);
	assert_int_equal(m.host.fd, -1);
	end(&m);
}

/* The first look, and one behind it: from here on there is something only when the host does
 * something. */
static void begin_watched(struct monitor *m)
{
	begin(m, PROJECT_REVIEW);
	make_dir(".git");
	make_dir("a");
	assert_int_equal(monitor_hostwatch_begin(m, count_renewal), 0);
	start_program(m); /* a second one: the first is renewed for when it starts */
	assert_int_equal(renewed, 1);
	until_renewed(m, 3);
	assert_true(m->host.fd >= 0 && !m->host.clock && !m->host.again);
}

/* Once for the change, and once when it has rested. */
static void changes(void)
{
	static struct monitor m;

	begin_watched(&m);
	make_file("x");
	until_renewed(&m, 5);
	make_file("a/x");
	until_renewed(&m, 7);
	make_dir("a/new"); /* it is watched, too */
	until_renewed(&m, 9);
	make_file("a/new/x");
	until_renewed(&m, 11);
	end(&m);
}

static void what_is_not_watched(void)
{
	char outside[PATH_MAX], link[PATH_MAX];
	static struct monitor m;

	begin_watched(&m);
	snprintf(outside, sizeof(outside), "%s/outside", unit_tmpdir());
	snprintf(link, sizeof(link), "%s/p/link", unit_tmpdir());
	assert_int_equal(mkdir(outside, 0755), 0);
	assert_int_equal(symlink(outside, link), 0);
	until_renewed(&m, 5);
	make_dir("b"); /* all is looked at anew */
	until_renewed(&m, 7);
	make_file(".git/x");
	make_file("link/x");
	start_program(&m);
	assert_int_equal(renewed, 7);
	assert_false(m.host.again);
	end(&m);
}

/* Where nothing runs the next program sees what there is, and nothing is done before. */
static void nothing_runs(void)
{
	struct err e = ERR_NONE;
	static struct monitor m;

	begin_watched(&m);
	m.programs = NULL;
	make_file("x");
	unit_ok(loop_step(m.loop, WAIT_MS, &e), &e);
	assert_int_equal(renewed, 3);
	assert_int_equal(loop_step(m.loop, 0, &e), 0); /* it is not heard of again */
	m.programs = &first; /* alone: none can have looked before */
	monitor_hostwatch_spawn(&m);
	assert_int_equal(renewed, 4);
	assert_false(m.host.again);
	make_file("y");
	start_program(&m);
	assert_int_equal(renewed, 5);
	until_renewed(&m, 6);
	end(&m);
}

static void too_many_directories(void)
{
	static struct monitor m;
	char name[16];

	begin(&m, PROJECT_REVIEW);
	for (int i = 0; i < MANY; i++) {
		snprintf(name, sizeof(name), "%d", i);
		make_dir(name);
	}
	assert_int_equal(monitor_hostwatch_begin(&m, count_renewal), 0);
	until_renewed(&m, 1);
	assert_true(m.host.clock);
	assert_int_equal(m.host.fd, -1);
	assert_null(m.host.on_event);
	start_program(&m);
	assert_int_equal(renewed, 2);
	until_renewed(&m, 3); /* by the clock, though nothing has changed */
	end(&m);
}

/* Its place has been taken by a link. */
static void no_project(void)
{
	char path[PATH_MAX], moved[PATH_MAX];
	static struct monitor m;

	begin(&m, PROJECT_REVIEW);
	snprintf(path, sizeof(path), "%s/p", unit_tmpdir());
	snprintf(moved, sizeof(moved), "%s/q", unit_tmpdir());
	assert_int_equal(rename(path, moved), 0);
	assert_int_equal(symlink(moved, path), 0);
	assert_int_equal(monitor_hostwatch_begin(&m, count_renewal), 0);
	until_renewed(&m, 1);
	assert_true(m.host.clock);
	end(&m);
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

	return unit_cases("monitor_hostwatch", cases);
}
