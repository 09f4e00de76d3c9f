#include "tests/unit/unit.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/scope.h"
#include "runtime/init/movedir.h"

enum { FILES = 5 };

static bool is_there(int dir, const char *where, int i)
{
	char name[32];

	snprintf(name, sizeof(name), "%s/%d", where, i);
	return faccessat(dir, name, F_OK, 0) == 0;
}

/* By the C library, which no fault meets. */
static void begin(int dir)
{
	char name[32];
	int fd;

	(void)mkdirat(dir, "a", 0755);
	(void)unlinkat(dir, "b", AT_REMOVEDIR);
	for (int i = 0; i < FILES; i++) {
		snprintf(name, sizeof(name), "b/%d", i);
		(void)unlinkat(dir, name, 0);
		snprintf(name, sizeof(name), "a/%d", i);
		close(openat(dir, name, O_WRONLY | O_CREAT | O_CLOEXEC, 0644));
	}
	(void)unlinkat(dir, "b", AT_REMOVEDIR);
	fd = openat(dir, "a", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	(void)fsetxattr(fd, "user.note", "one", 3, 0);
	close(fd);
}

/* Or the filesystem has none. */
static bool is_noted(int dir)
{
	_cleanup_close_ int fd = openat(dir, "b", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	return fgetxattr(fd, "user.note", NULL, 0) == 3 || errno == EOPNOTSUPP;
}

/* Whatever fails, every file is in one of the two; when entries could not be moved, all are
 * where they were. */
static int move(void *ctx, struct err *e)
{
	static const uint64_t words[2] = { 0, 0 };
	int dir = *(const int *)ctx, r, old = 0;

	begin(dir);
	r = movedir(&(struct movedir){ words, dir, dir, "a", "b" });
	for (int i = 0; i < FILES; i++) {
		assert_true(is_there(dir, "a", i) != is_there(dir, "b", i));
		old += is_there(dir, "a", i);
	}
	assert_int_equal(old, r == 0 || !is_there(dir, "a", 0) ? 0 : FILES);
	assert_true(r < 0 || is_noted(dir));
	return r < 0 ? err_sys(e, r, "moving") : 0;
}

static void nothing_is_lost(void)
{
	_cleanup_close_ int dir = unit_top();

	assert_true(dir >= 0);
	unit_faults(move, &dir);
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "nothing is lost", nothing_is_lost },
	};

	return unit_cases("fault movedir", cases);
}
