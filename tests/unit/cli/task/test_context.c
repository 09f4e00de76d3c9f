#include "tests/unit/unit.h"

#include <fcntl.h>
#include <unistd.h>

#include "cli/task/context.h"

static const struct row {
	const char *name, *in;
	size_t len;
	const char *want;
	int ret;
} rows[] = {
	{ "some", "error: x\n", 9,
	  "explain\n\n[cubby: standard input of this command, 9 bytes:]\nerror: x\n",
	  1 },
	{ "nothing", "", 0, "explain", 0 },
	{ "no text", "a\0b\xff", 4,
	  "explain\n\n[cubby: standard input of this command, 4 bytes:]\n"
	  "a\xef\xbf\xbd"
	  "b\xef\xbf\xbd",
	  1 },
};

static void test(const void *p)
{
	const struct row *r = p;
	_cleanup_buf_ struct buf task = BUF_INIT(1 << 20);
	struct err e = ERR_NONE;
	int fds[2];

	assert_int_equal(pipe(fds), 0);
	assert_int_equal(write(fds[1], r->in, r->len), r->len);
	close(fds[1]);
	buf_adds(&task, "explain");
	assert_int_equal(context_waits(fds[0]), r->ret == 1);
	assert_int_equal(context_read(fds[0], &task, &e), r->ret);
	assert_string_equal(buf_cstr(&task), r->want);
	close(fds[0]);
}

static void a_long_file_loses_its_middle(void)
{
	_cleanup_buf_ struct buf task = BUF_INIT(1 << 20);
	struct err e = ERR_NONE;
	char path[256];
	int fd;

	snprintf(path, sizeof(path), "%s/log", unit_tmpdir());
	fd = open(path, O_CREAT | O_RDWR, 0600);
	for (int i = 0; i < 20000; i++)
		assert_int_equal(dprintf(fd, "line %05d\n", i), 11);
	lseek(fd, 0, SEEK_SET);
	assert_int_equal(context_read(fd, &task, &e), 1);
	close(fd);
	assert_non_null(strstr(task.data, " 220000 bytes:]\nline 00000\n"));
	assert_non_null(strstr(task.data, "[cubby: 120000 bytes are left out here]"));
	assert_non_null(strstr(task.data, "line 19999\n"));
	assert_true(task.len < CONTEXT_MOST + 200);
}

static void what_is_no_pipe_is_not_read(void)
{
	_cleanup_buf_ struct buf task = BUF_INIT(64);
	struct err e = ERR_NONE;
	int fd = open("/dev/zero", O_RDONLY), fds[2];

	assert_false(context_waits(fd));
	assert_int_equal(context_read(fd, &task, &e), 0);
	close(fd);
	assert_int_equal(pipe(fds), 0); /* open, and nobody writes */
	assert_int_equal(context_read(fds[0], &task, &e), -ETIMEDOUT);
	unit_err(&e, -ETIMEDOUT, "standard input says nothing and is not waited for");
	close(fds[0]);
	close(fds[1]);
	assert_int_equal(task.len, 0);
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "a long file loses its middle", a_long_file_loses_its_middle },
		{ "what is no pipe is not read", what_is_no_pipe_is_not_read },
	};

	return unit_rows("context_read", rows, test) + unit_cases("context", cases);
}
