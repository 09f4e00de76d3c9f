#include "cli/store/passover.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/proc.h"
#include "tests/unit/unit.h"

/* Both in PATH and in $XDG_DATA_HOME a directory may have either of its names. */
static void a_store_behind_a_link(void)
{
	static const char *const spelled[] = { "link", "real" };
	const char *dir = unit_tmpdir();
	char at[PATH_MAX], path[PATH_MAX];
	struct err e = ERR_NONE;

	snprintf(path, sizeof(path), "%s/link", dir);
	assert_int_equal(symlink("real", path), 0);
	snprintf(path, sizeof(path), "%s/real", dir);
	assert_int_equal(mkdir(path, 0700), 0);
	for (size_t i = 0; i < ARRAY_SIZE(spelled); i++) {
		_cleanup_store_ struct store st = STORE_NONE;

		snprintf(at, sizeof(at), "%s/%s", dir, spelled[i]);
		assert_int_equal(setenv("XDG_DATA_HOME", at, 1), 0);
		unit_ok(store_open(&st, &e), &e);
		snprintf(path, sizeof(path),
			 "%s/real/cubby/x:/usr/bin:%s/link/cubby/x:%s/real", dir, dir,
			 dir);
		assert_int_equal(setenv("PATH", path, 1), 0);
		unit_ok(passover_boxes(&st, NULL, &e), &e);
		snprintf(path, sizeof(path), "/usr/bin:%s/real", dir);
		assert_string_equal(getenv("PATH"), path);
	}
}

/* Until a program is wanted nothing is looked at. */
static void later(void)
{
	const char *dir = unit_tmpdir();
	char path[PATH_MAX + 16], project[PATH_MAX];
	struct err e = ERR_NONE;

	assert_int_equal(setenv("XDG_DATA_HOME", dir, 1), 0);
	snprintf(project, sizeof(project), "%s/project", dir);
	snprintf(path, sizeof(path), "%s/bin:/usr/bin", project);
	assert_int_equal(setenv("PATH", path, 1), 0);
	unit_ok(passover_later(project, &e), &e);
	assert_string_equal(getenv("PATH"), path);
	unit_ok(proc_path_settle(&e), &e);
	assert_string_equal(getenv("PATH"), "/usr/bin");
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "a store behind a link", a_store_behind_a_link },
		{ "later", later },
	};

	return unit_cases("passover", cases);
}
