#include "tests/unit/unit.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "base/scope.h"
#include "rootfs/git/takeover.h"

/* By the C library, which no fault meets. */
static void set(int dir, const char *text)
{
	int fd = openat(dir, "file", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, 3), 3);
	close(fd);
}

static void expect(int dir, const char *text)
{
	int fd = openat(dir, "file", O_RDONLY | O_CLOEXEC);
	char now[8] = "";

	assert_true(fd >= 0);
	assert_int_equal(read(fd, now, sizeof(now)), 3);
	close(fd);
	assert_string_equal(now, text);
}

/* Whatever fails, what was there is there whole, or what was to come is; a lock that is
 * left over is the next one's to take away. */
static int put(void *ctx, struct err *e)
{
	static const struct takeover_file f = {
		.path = "file", .data = "two", .len = 3, .mode = 0644
	};
	int dir = *(const int *)ctx, r;

	set(dir, "one");
	r = takeover_put(dir, &f, e);
	expect(dir, r == 0 ? "two" : "one");
	return r;
}

static void old_or_new(void)
{
	_cleanup_close_ int dir = unit_top();

	assert_true(dir >= 0);
	unit_faults(put, &dir);
	expect(dir, "two");
	assert_int_equal(faccessat(dir, "file.lock", F_OK, 0), -1);
	assert_int_equal(faccessat(dir, "file.cubby", F_OK, 0), -1);
}

static int drop(void *ctx, struct err *e)
{
	int dir = *(const int *)ctx;

	set(dir, "one");
	return takeover_remove(dir, "file", e);
}

static void removed(void)
{
	_cleanup_close_ int dir = unit_top();

	assert_true(dir >= 0);
	unit_faults(drop, &dir);
	assert_int_equal(faccessat(dir, "file", F_OK, 0), -1);
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "put: the old file or the new one", old_or_new },
		{ "remove: gone or told", removed },
	};

	return unit_cases("faults of takeover", cases);
}
