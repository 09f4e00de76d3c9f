#include "tests/unit/unit.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "rootfs/store/du.h"

static void write_file(int dir, const char *name, size_t bytes)
{
	static const char block[4096] = { 1 };
	int fd = openat(dir, name, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

	assert_true(fd >= 0);
	for (size_t n = 0; n < bytes; n += sizeof(block))
		assert_int_equal(write(fd, block, sizeof(block)), sizeof(block));
	fsync(fd); /* blocks are only counted when they are there */
	close(fd);
}

static void counts_what_lies_below(void)
{
	int dir = unit_top();
	struct du before, after;

	assert_int_equal(mkdirat(dir, "a", 0700), 0);
	assert_int_equal(mkdirat(dir, "a/b", 0700), 0);
	before = du_tree(dir, "a");
	assert_false(before.partial);
	assert_int_equal(before.names, 2);
	write_file(dir, "a/b/f", 1 << 20);
	assert_int_equal(symlinkat("/", dir, "a/root"), 0);
	after = du_tree(dir, "a");
	assert_false(after.partial);
	assert_int_equal(after.names, 4);
	assert_in_range(after.bytes - before.bytes, 1 << 20, (1 << 20) + 65536);
	close(dir);
}

static void depth_has_a_limit(void)
{
	int dir = unit_top(), at = dup(dir);

	for (int i = 0; i < 300; i++) {
		int next;

		assert_int_equal(mkdirat(at, "d", 0700), 0);
		next = openat(at, "d", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		assert_true(next >= 0);
		close(at);
		at = next;
	}
	assert_true(du_tree(dir, "d").partial);
	close(at);
	close(dir);
}

static void nothing_is_nothing(void)
{
	int dir = unit_top();
	struct du du = du_tree(dir, "absent");

	assert_int_equal(du.bytes, 0);
	assert_int_equal(du.names, 0);
	assert_true(du.partial);
	close(dir);
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "counts what lies below", counts_what_lies_below },
		{ "depth has a limit", depth_has_a_limit },
		{ "nothing is nothing", nothing_is_nothing },
	};

	return unit_cases("du", cases);
}
