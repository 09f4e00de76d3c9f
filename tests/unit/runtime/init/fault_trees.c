#include "tests/unit/unit.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/scope.h"
#include "runtime/init/trees.h"

/* By the C library, which no fault meets. */
static void begin(int dir)
{
	static const char *const files[] = { "a/x", "a/sub/y", "b/x", "b/sub/y" };
	static const char *const dirs[] = { "a/sub", "a", "b/sub", "b" };

	for (int i = 0; i < 4; i++)
		(void)unlinkat(dir, files[i], 0);
	for (int i = 0; i < 4; i++)
		(void)unlinkat(dir, dirs[i], AT_REMOVEDIR);
	assert_int_equal(mkdirat(dir, "a", 0755), 0);
	assert_int_equal(mkdirat(dir, "a/sub", 0755), 0);
	for (int i = 0; i < 2; i++) {
		int fd = openat(dir, files[i], O_WRONLY | O_CREAT | O_CLOEXEC, 0644);

		assert_int_equal(write(fd, "text", 4), 4);
		close(fd);
	}
}

static bool is_whole(int dir, const char *tree)
{
	static const char *const files[] = { "x", "sub/y" };
	char name[32];
	struct stat st;

	for (int i = 0; i < 2; i++) {
		snprintf(name, sizeof(name), "%s/%s", tree, files[i]);
		if (fstatat(dir, name, &st, 0) < 0 || st.st_size != 4)
			return false;
	}
	return true;
}

static int move(void *, struct err *e)
{
	char from[PATH_MAX], to[PATH_MAX];

	snprintf(from, sizeof(from), "%s/a", unit_tmpdir());
	snprintf(to, sizeof(to), "%s/b", unit_tmpdir());
	return trees_move(from, to, e);
}

/* Whatever fails, the tree is whole in one of the two places, and half in none that has
 * the new name. */
static int fails(void *ctx, struct err *e)
{
	int dir = *(const int *)ctx, r;

	begin(dir);
	r = move(ctx, e);
	assert_true(is_whole(dir, "a") || is_whole(dir, "b"));
	assert_true(faccessat(dir, "b", F_OK, 0) < 0 || is_whole(dir, "b"));
	if (r == 0)
		assert_true(faccessat(dir, "a", F_OK, 0) < 0);
	return r;
}

static void after(void *ctx)
{
	int dir = *(const int *)ctx;

	assert_true(is_whole(dir, "a") || is_whole(dir, "b"));
	assert_true(faccessat(dir, "b", F_OK, 0) < 0 || is_whole(dir, "b"));
	begin(dir);
}

static void each_fault(void)
{
	_cleanup_close_ int dir = unit_top();

	unit_faults(fails, &dir);
}

static void each_kill(void)
{
	_cleanup_close_ int dir = unit_top();

	begin(dir);
	unit_kills(move, after, &dir);
}

static const struct unit_case cases[] = {
	{ "a tree is whole in one place at each fault", each_fault },
	{ "and at each kill", each_kill },
};

int main(void)
{
	return unit_cases("trees faults", cases);
}
