#include "agent/server/conf/listen.h"

#include <stdio.h>

#include "base/scope.h"
#include "base/sys/sys.h"
#include "tests/unit/unit.h"

#define HINT "; such as 127.0.0.1:8000, [::1]:8000 or unix:/run/x.sock"

static const struct row {
	const char *name, *text;
	const char *shown, *wrong; /* one of them */
	bool here;
} rows[] = {
	{ "loopback", "127.0.0.1:8000", "http://127.0.0.1:8000", NULL, true },
	{ "all of loopback", "127.1.2.3:80", "http://127.1.2.3:80", NULL, true },
	{ "localhost", "localhost:1", "http://127.0.0.1:1", NULL, true },
	{ "v6 loopback", "[::1]:80", "http://[::1]:80", NULL, true },
	{ "everybody", "0.0.0.0:80", "http://0.0.0.0:80", NULL, false },
	{ "everybody, v6", "[::]:80", "http://[::]:80", NULL, false },
	{ "mapped is not believed", "[::ffff:127.0.0.1]:80",
	  "http://[::ffff:127.0.0.1]:80", NULL, false },
	{ "a path", "unix:/run/x", "unix:/run/x", NULL, true },
	{ "a relative path", "unix:x", NULL, "bad address 'unix:x'" HINT, false },
	{ "no port", "127.0.0.1", NULL, "bad address '127.0.0.1'" HINT, false },
	{ "no address", ":80", NULL, "bad address ':80'" HINT, false },
	{ "a name", "example.org:80", NULL, "bad address 'example.org:80'" HINT,
	  false },
	{ "a port too large", "127.0.0.1:65536", NULL,
	  "bad address '127.0.0.1:65536'" HINT, false },
};

static void test_parse(const void *p)
{
	const struct row *row = p;
	struct listen_address a;
	struct err e = ERR_NONE;
	char shown[160];
	int r = listen_parse(row->text, &a, &e);

	if (row->wrong) {
		assert_int_equal(r, -EINVAL);
		unit_err(&e, -EINVAL, row->wrong);
		return;
	}
	assert_int_equal(r, 0);
	listen_text(&a, false, shown, sizeof(shown));
	assert_string_equal(shown, row->shown);
	assert_int_equal(a.here, row->here);
}

static void ports(void)
{
	_cleanup_close_ int fd = -1, again = -1;
	struct listen_address a;
	struct err e = ERR_NONE;

	assert_int_equal(listen_parse("127.0.0.1:0", &a, &e), 0);
	fd = listen_open(&a, &e);
	assert_true(fd >= 0);
	assert_int_not_equal(a.a.v4.sin_port, 0);
	again = listen_open(&a, &e);
	assert_int_equal(again, -EADDRINUSE);
}

static void paths(void)
{
	_cleanup_close_ int fd = -1, again = -1, dir = -1;
	struct listen_address a;
	struct err e = ERR_NONE;
	struct stat st;
	char text[200];

	snprintf(text, sizeof(text), "unix:%s/s", unit_tmpdir());
	dir = sys_open(unit_tmpdir(), O_PATH | O_DIRECTORY);
	assert_int_equal(listen_parse(text, &a, &e), 0);
	a.dir = dir;
	fd = listen_open(&a, &e);
	assert_true(fd >= 0);
	assert_int_equal(sys_fstatat(AT_FDCWD, text + 5, &st, 0), 0);
	assert_int_equal(st.st_mode & 07777, 0600);
	again = listen_open(&a, &e);
	assert_int_equal(again, -EADDRINUSE);
	scope_close(&fd); /* nobody listens: the path is taken over */
	again = listen_open(&a, &e);
	assert_true(again >= 0);
	listen_remove(&a);
	assert_int_equal(sys_fstatat(AT_FDCWD, text + 5, &st, 0), -ENOENT);
}

/* connect(2) says of a file that nobody listens there, too. */
static void files(void)
{
	_cleanup_close_ int dir = sys_open(unit_tmpdir(), O_PATH | O_DIRECTORY),
			    file = -1;
	struct listen_address a;
	struct err e = ERR_NONE;
	struct stat st;
	char text[200];

	snprintf(text, sizeof(text), "unix:%s/file", unit_tmpdir());
	file = sys_openat(dir, "file", O_WRONLY | O_CREAT, 0600);
	assert_true(file >= 0);
	assert_int_equal(listen_parse(text, &a, &e), 0);
	a.dir = dir;
	assert_int_equal(listen_open(&a, &e), -EADDRINUSE);
	listen_remove(&a);
	assert_int_equal(sys_fstatat(dir, "file", &st, 0), 0);
}

static const struct unit_case cases[] = { { "ports", ports },
					  { "paths", paths },
					  { "files", files } };

int main(void)
{
	return unit_rows("listen_parse", rows, test_parse) +
	       unit_cases("listen_open", cases);
}
