#include "tests/unit/unit.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/monitor/unlinked.h"

enum { BYTES = 1 << 20 };

/* Where process 7 is this one, and the box's root the mount that the test's files are on. */
static int make_proc(int top)
{
	assert_int_equal(mkdirat(top, "proc", 0700), 0);
	assert_int_equal(mkdirat(top, "proc/1", 0700), 0);
	assert_int_equal(symlinkat("../..", top, "proc/1/root"), 0);
	assert_int_equal(symlinkat("/proc/self", top, "proc/7"), 0);
	return openat(top, "proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

static int write_file(int dir, const char *name)
{
	static const char block[4096] = { 1 };
	int fd = openat(dir, name, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

	assert_true(fd >= 0);
	for (size_t n = 0; n < BYTES; n += sizeof(block))
		assert_int_equal(write(fd, block, sizeof(block)), sizeof(block));
	return fd;
}

static uint64_t held(int proc)
{
	struct err e = ERR_NONE;
	uint64_t bytes = 1;

	assert_int_equal(unlinked_bytes(proc, false, &bytes, &e), 0);
	return bytes;
}

static void counts_each_once(void)
{
	int top = unit_top(), proc = make_proc(top);
	int a = write_file(top, "a"), b = write_file(top, "b"), again = dup(a);

	assert_int_equal(held(proc), 0);
	assert_int_equal(unlinkat(top, "a", 0), 0);
	assert_in_range(held(proc), BYTES, BYTES + 65536);
	assert_int_equal(unlinkat(top, "b", 0), 0);
	assert_in_range(held(proc), 2 * BYTES, 2 * BYTES + 65536);
	close(a);
	assert_in_range(held(proc), 2 * BYTES, 2 * BYTES + 65536);
	close(again);
	close(b);
	assert_int_equal(held(proc), 0);
	close(proc);
	close(top);
}

/* A memfd has no name, and is on a mount of the kernel's. */
static void others_do_not_count(void)
{
	int top = unit_top(), proc = make_proc(top);
	int fd = memfd_create("held", MFD_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, BYTES), 0);
	assert_int_equal(write(fd, "x", 1), 1);
	assert_int_equal(held(proc), 0);
	close(fd);
	close(proc);
	close(top);
}

static void init_has_ended(void)
{
	int top = unit_top(), proc = make_proc(top);

	assert_int_equal(unlinkat(top, "proc/1/root", 0), 0);
	assert_int_equal(held(proc), 0);
	close(proc);
	close(top);
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "counts what has no name, each file once", counts_each_once },
		{ "other mounts do not count", others_do_not_count },
		{ "nothing is held when init has ended", init_has_ended },
	};

	return unit_cases("unlinked", cases);
}
