/* One process, one test at a time; each with an empty directory that is removed after
 * it, whatever the test left there (directories without permissions included). */
#include "tests/unit/unit.h"

#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/json.h"

struct state {
	unit_row_fn *fn;
	const void *row;
	void (*run)(void);
};

/* Test programs are single-threaded and run one test at a time. */
static char tmpdir[64];

#ifdef __SANITIZE_ADDRESS__
const char *__asan_default_options(void);

/* What was freed is kept apart up to this, in place of 256 MiB: each fork() copies its
 * pages' tables, and where a test forks hundreds of times nothing else took so long. */
const char *__asan_default_options(void)
{
	return "quarantine_size_mb=4";
}
#endif

static int rm_entry(const char *path, const struct stat *, int, struct FTW *)
{
	return remove(path);
}

static int setup(void **)
{
	const char *begins = getenv("CUBBY_TEST_SHORT"); /* tests/on-journal */

	snprintf(tmpdir, sizeof(tmpdir), "%s-XXXXXX",
		 begins ? begins : "/tmp/cubby-unit");
	return mkdtemp(tmpdir) ? 0 : -1;
}

static int teardown(void **)
{
	return nftw(tmpdir, rm_entry, 16, FTW_DEPTH | FTW_PHYS);
}

const char *unit_tmpdir(void)
{
	return tmpdir;
}

int unit_top(void)
{
	int fd = open(tmpdir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	assert_true(fd >= 0);
	return fd;
}

void unit_put(int dir, const char *path, const char *text, mode_t mode)
{
	int fd = openat(dir, path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	assert_int_equal(fchmod(fd, mode), 0);
	assert_int_equal(close(fd), 0);
}

struct json *unit_json(const char *text)
{
	struct json *j = NULL;
	struct err e = ERR_NONE;

	unit_ok(json_parse(text, strlen(text), &j, &e), &e);
	return j;
}

void unit_skip(const char *why)
{
	printf("# SKIP %s\n", why);
	fflush(stdout);
	skip();
	abort(); /* skip() does not return */
}

static void run_one(void **state)
{
	const struct state *s = *state;

	if (s->fn)
		s->fn(s->row);
	else
		s->run();
}

static int run_all(const char *group, const struct state *states, const char **names,
		   size_t n)
{
	struct CMUnitTest *tests = calloc(n + 1, sizeof(*tests));
	int r;

	if (!n || !tests) {
		fprintf(stderr, "%s: no tests\n", group);
		free(tests);
		return 1;
	}
	for (size_t i = 0; i < n; i++)
		tests[i] = (struct CMUnitTest){ names[i], run_one, setup, teardown,
						(void *)(uintptr_t)&states[i] };
	r = _cmocka_run_group_tests(group, tests, n, NULL, NULL);
	free(tests);
	return r;
}

int unit_run_rows(const char *group, const void *rows, size_t n, size_t size,
		  unit_row_fn *fn)
{
	struct state *states = calloc(n + 1, sizeof(*states));
	const char **names = calloc(n + 1, sizeof(*names));
	int r;

	for (size_t i = 0; states && names && i < n; i++) {
		const char *row = (const char *)rows + i * size;

		states[i] = (struct state){ .fn = fn, .row = row };
		memcpy(&names[i], row, sizeof(names[i])); /* its first member */
	}
	r = states && names ? run_all(group, states, names, n) : 1;
	free(states);
	free(names);
	return r;
}

int unit_run_cases(const char *group, const struct unit_case *cases, size_t n)
{
	struct state *states = calloc(n + 1, sizeof(*states));
	const char **names = calloc(n + 1, sizeof(*names));
	int r;

	for (size_t i = 0; states && names && i < n; i++) {
		states[i] = (struct state){ .run = cases[i].run };
		names[i] = cases[i].name;
	}
	r = states && names ? run_all(group, states, names, n) : 1;
	free(states);
	free(names);
	return r;
}
