#include "runtime/init/regular.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "tests/unit/unit.h"

static void refused(const char *path, int code, const char *msg)
{
	struct err e = ERR_NONE;
	struct stat st;

	assert_int_equal(regular_open(path, &st, &e), code);
	unit_err(&e, code, msg);
}

static void a_file_is_opened(void)
{
	struct err e = ERR_NONE;
	struct stat st;
	int fd = regular_open("/proc/self/stat", &st, &e);

	assert_true(fd >= 0);
	assert_true(S_ISREG(st.st_mode));
	close(fd);
}

static void what_is_none_is_not_waited_for(void)
{
	char dir[] = "/tmp/cubby-regular.XXXXXX";
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	char fifo[64], msg[128];
	int s = socket(AF_UNIX, SOCK_STREAM, 0);

	assert_non_null(mkdtemp(dir));
	snprintf(fifo, sizeof(fifo), "%s/f", dir);
	snprintf(a.sun_path, sizeof(a.sun_path), "%s/s", dir);
	assert_int_equal(mkfifo(fifo, 0600), 0);
	assert_int_equal(bind(s, (struct sockaddr *)&a, sizeof(a)), 0);
	snprintf(msg, sizeof(msg), "'%s' is not a regular file", fifo);
	refused(fifo, -EINVAL, msg);
	snprintf(msg, sizeof(msg), "'%s' is not a regular file", a.sun_path);
	refused(a.sun_path, -EINVAL, msg);
	snprintf(msg, sizeof(msg), "cannot read '%s': Is a directory", dir);
	refused(dir, -EISDIR, msg);
	refused("/dev/null", -EINVAL, "'/dev/null' is not a regular file");
	unlink(fifo);
	unlink(a.sun_path);
	rmdir(dir);
	close(s);
	snprintf(msg, sizeof(msg), "cannot open '%s': No such file or directory", dir);
	refused(dir, -ENOENT, msg);
}

static const struct unit_case cases[] = {
	{ "a file is opened", a_file_is_opened },
	{ "what is none is not waited for", what_is_none_is_not_waited_for },
};

int main(void)
{
	return unit_cases("regular", cases);
}
