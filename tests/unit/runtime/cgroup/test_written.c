#include "tests/unit/unit.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/scope.h"
#include "runtime/cgroup/written.h"

/* A /proc of up to three processes: "PID" is a directory, what it has stands in "PID/io". */
static const struct row {
	const char *name;
	struct {
		const char *pid, *io; /* NULL = there is no such file */
	} v[3];
	int want;
	uint64_t sum;
	const char *msg;
} rows[] = {
	{ "as the kernel writes it, of two",
	  { { "1", "rchar: 1\nwchar: 2\nread_bytes: 4\nwrite_bytes: 4096\n"
		   "cancelled_write_bytes: 7\n" },
	    { "20", "write_bytes: 8192\n" } },
	  0,
	  12288,
	  NULL },
	{ "what is no process is passed over",
	  { { "self", "write_bytes: 1\n" }, { "7", "write_bytes: 2\n" } },
	  0,
	  2,
	  NULL },
	{ "a kernel that does not count",
	  { { "1", NULL } },
	  -ENOENT,
	  0,
	  "this kernel does not count what processes write (TASK_IO_ACCOUNTING)" },
	{ "one that lacks the line",
	  { { "1", "cancelled_write_bytes: 7\n" } },
	  -ENOENT,
	  0,
	  "this kernel does not count what processes write (TASK_IO_ACCOUNTING)" },
	{ "what cannot be read is not nothing",
	  { { "1", "write_bytes: x\n" } },
	  -EINVAL,
	  0,
	  "cannot read what process 1 wrote: Invalid argument" },
	{ "nobody", { { NULL } }, 0, 0, NULL },
};

static int make(const struct row *r)
{
	for (size_t i = 0; i < ARRAY_SIZE(r->v) && r->v[i].pid; i++) {
		char path[512];
		FILE *f;

		snprintf(path, sizeof(path), "%s/%s", unit_tmpdir(), r->v[i].pid);
		assert_int_equal(mkdir(path, 0700), 0);
		if (!r->v[i].io)
			continue;
		snprintf(path, sizeof(path), "%s/%s/io", unit_tmpdir(), r->v[i].pid);
		f = fopen(path, "w");
		assert_non_null(f);
		assert_true(fputs(r->v[i].io, f) >= 0);
		assert_int_equal(fclose(f), 0);
	}
	return unit_top();
}

static void test(const void *row)
{
	const struct row *r = row;
	_cleanup_close_ int proc = make(r);
	struct err e = ERR_NONE;
	uint64_t sum = 99;

	assert_int_equal(written_bytes(proc, &sum, &e), r->want);
	if (r->want < 0)
		unit_err(&e, r->want, r->msg);
	assert_int_equal(sum, r->want < 0 ? 99 : r->sum);
}

int main(void)
{
	return unit_rows("written_bytes", rows, test);
}
