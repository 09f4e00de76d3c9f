#include "base/log.h"

#include <unistd.h>

#include "base/file.h"
#include "base/sys/sys.h"
#include "tests/unit/unit.h"

static const struct row {
	const char *name;
	enum log_level level;
	const char *want; /* of one debug line */
} rows[] = {
	{ "quiet", LOG_QUIET, "" },
	{ "info", LOG_INFO, "" },
	{ "debug", LOG_DEBUG, "cubby: box 7\\n\\x1b[0m\n" },
};

static void test_level(const void *data)
{
	const struct row *row = data;
	_cleanup_buf_ struct buf b = BUF_INIT(4096);
	int fds[2], saved = sys_dup(STDERR_FILENO, 10);
	struct err e = ERR_NONE;

	assert_int_equal(sys_pipe2(fds, 0), 0);
	sys_dup2(fds[1], STDERR_FILENO);
	log_set_level(row->level);
	errno = EXDEV;
	log_debug("box %d\n%s", 7, "\x1b[0m");
	assert_int_equal(errno, EXDEV);
	sys_dup2(saved, STDERR_FILENO);
	close(saved);
	close(fds[1]);
	unit_ok(file_read_fd(fds[0], &b, &e), &e);
	close(fds[0]);
	assert_string_equal(buf_cstr(&b), row->want);
	assert_int_equal(log_get_level(), row->level);
}

int main(void)
{
	return unit_rows("log", rows, test_level);
}
