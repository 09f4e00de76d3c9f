/* On whatever host: the rows hang together and nothing is left. */
#include "runtime/doctor/probe.h"

#include <dirent.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "runtime/idmap/trial.h"
#include "tests/unit/unit.h"

static unsigned entries(const char *path)
{
	DIR *dir = opendir(path);
	unsigned n = 0;

	assert_non_null(dir);
	while (readdir(dir))
		n++;
	closedir(dir);
	return n - 2;
}

static void rows_hang_together(void)
{
	struct probe_row rows[PROBE_ROWS];
	struct probe_conf conf = { .project = "/" };
	unsigned n;

	conf.store = unit_top();
	n = probe_run(&conf, rows);
	close(conf.store);
	assert_in_range(n, 1, PROBE_ROWS);
	for (unsigned i = 0; i < n; i++) {
		assert_true(rows[i].rung[0] != '\0');
		if (rows[i].fatal)
			assert_string_equal(rows[i].rung, "none");
		/* A remedy is one for something. */
		if (rows[i].fix[0] || rows[i].fatal || rows[i].reason)
			assert_true(rows[i].cause[0] != '\0');
	}
	assert_int_equal(entries(unit_tmpdir()), 0);
	if (!probe_ok(rows, n))
		unit_skip(rows[n - 1].cause);
	assert_true(n > 2);
	/* who has a range for each box shares nothing; everybody else is told what */
	assert_string_equal(rows[1].id, "idmap");
	assert_string_equal(rows[2].id, "sharing");
	if (strcmp(rows[1].rung, "root"))
		assert_null(strstr(rows[2].rung, "nothing"));
}

static int fail_so(void *ctx, struct err *e)
{
	return err_set(e, -ENOTEMPTY, "said by the child: %s", (const char *)ctx);
}

static void a_childs_message(void)
{
	static char what[] = "this";
	struct err e = ERR_NONE;

	if (idmap_trial(&(struct idmap_trial){ .fn = NULL }, &e) < 0)
		unit_skip(e.msg);
	assert_int_equal(
		idmap_trial(&(struct idmap_trial){ .fn = fail_so, .ctx = what }, &e),
		-ENOTEMPTY);
	unit_err(&e, -ENOTEMPTY, "said by the child: this");
}

static int die(void *, struct err *)
{
	_exit(42);
}

static void a_childs_death(void)
{
	struct err e = ERR_NONE;

	if (idmap_trial(&(struct idmap_trial){ .fn = NULL }, &e) < 0)
		unit_skip(e.msg);
	assert_int_equal(idmap_trial(&(struct idmap_trial){ .fn = die }, &e), -EPERM);
	unit_err(&e, -EPERM, "the trial ended with status 42");
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "rows hang together and nothing is left", rows_hang_together },
		{ "the message of a trial arrives", a_childs_message },
		{ "a trial that dies is a failure", a_childs_death },
	};

	return unit_cases("probe", cases);
}
