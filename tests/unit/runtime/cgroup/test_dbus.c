#include "runtime/cgroup/dbus.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/unit/unit.h"

static const struct row {
	const char *name, *list, *want; /* NULL = -EINVAL */
} rows[] = {
	{ "a path", "unix:path=/run/user/1/bus", "/run/user/1/bus" },
	{ "with a guid", "unix:path=/run/bus,guid=abc", "/run/bus" },
	{ "a guid first", "unix:guid=abc,path=/run/bus", "/run/bus" },
	{ "abstract", "unix:abstract=/tmp/dbus-x,guid=1", "@/tmp/dbus-x" },
	{ "the second", "tcp:host=h,port=1;unix:path=/b", "/b" },
	{ "escaped", "unix:path=/with%20blank%2c", "/with blank," },
	{ "no list", "", NULL },
	{ "other transports", "tcp:host=path=/x;unixexec:path=/bin/sh", NULL },
	{ "a bad escape", "unix:path=/a%2", NULL },
	{ "a control character in an escape", "unix:path=/a%4\x11", NULL },
	{ "an escaped NUL", "unix:path=/a%00b", NULL },
	{ "a relative path", "unix:path=x", NULL },
	{ "too long", "unix:path=/aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", NULL },
};

static void address(const void *p)
{
	const struct row *row = p;
	char got[32] = "";

	assert_int_equal(dbus_address(row->list, got, sizeof(got)),
			 row->want ? 0 : -EINVAL);
	if (row->want)
		assert_string_equal(got, row->want);
}

/* A bus of one connection that says @lines: what it sends after each thing it read. */
static pid_t serve(const char *first, const void *second, size_t len)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM, 0), client;
	char bytes[4096];
	pid_t pid;

	snprintf(a.sun_path, sizeof(a.sun_path), "%s/bus", unit_tmpdir());
	assert_int_equal(bind(fd, (struct sockaddr *)&a, sizeof(a)), 0);
	assert_int_equal(listen(fd, 1), 0);
	setenv("XDG_RUNTIME_DIR", unit_tmpdir(), 1);
	unsetenv("DBUS_SESSION_BUS_ADDRESS");
	pid = fork();
	if (pid) {
		close(fd);
		return pid;
	}
	client = accept(fd, NULL, NULL);
	if (read(client, bytes, sizeof(bytes)) > 0 &&
	    write(client, first, strlen(first)) > 0 &&
	    (!len || (read(client, bytes, sizeof(bytes)) > 0 &&
		      write(client, second, len) > 0)))
		while (read(client, bytes, sizeof(bytes)) > 0)
			;
	_exit(0);
}

/* A return to serial 1 without a body, and an error to it. */
static const unsigned char yes[] = { 'l', 2, 1, 1, 0, 0, 0,   0, 1, 0, 0, 0,
				     8,	  0, 0, 0, 5, 1, 'u', 0, 1, 0, 0, 0 };
static const unsigned char no[] = { 'l', 3, 1, 1, 0, 0, 0,   0, 1, 0, 0, 0,
				    8,	 0, 0, 0, 5, 1, 'u', 0, 1, 0, 0, 0 };

static int open_bus(int timeout_ms, pid_t server, struct err *e)
{
	struct dbus d = DBUS_NONE;
	int r = dbus_open(timeout_ms, &d, e);

	dbus_close(&d);
	waitpid(server, NULL, 0);
	return r;
}

static void hello(void)
{
	struct err e = ERR_NONE;

	unit_ok(open_bus(5000, serve("OK 123\r\n", yes, sizeof(yes)), &e), &e);
}

static void refusals(void)
{
	static const struct {
		const char *first;
		const void *second;
		size_t len;
		int code;
		const char *msg;
	} cases[] = {
		{ "REJECTED EXTERNAL\r\n", NULL, 0, -EACCES,
		  "the user bus does not accept us" },
		{ "OK 1\r\n", no, sizeof(no), -EPROTO,
		  "the user bus refused our hello" },
		{ "OK 1\r\n", "garbage, not a message", 22, -EBADMSG,
		  "malformed message from the user bus" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct err e = ERR_NONE;
		char path[256];
		pid_t pid = serve(cases[i].first, cases[i].second, cases[i].len);

		assert_int_equal(open_bus(5000, pid, &e), cases[i].code);
		unit_err(&e, cases[i].code, cases[i].msg);
		snprintf(path, sizeof(path), "%s/bus", unit_tmpdir());
		unlink(path);
	}
}

static void silence(void)
{
	struct err e = ERR_NONE;

	assert_int_equal(open_bus(50, serve("OK 1\r\n", NULL, 0), &e), -ETIMEDOUT);
	unit_err(&e, -ETIMEDOUT, "the user bus does not answer");
}

static void nowhere(void)
{
	struct dbus d = DBUS_NONE;
	struct err e = ERR_NONE;

	unsetenv("DBUS_SESSION_BUS_ADDRESS");
	unsetenv("XDG_RUNTIME_DIR");
	assert_int_equal(dbus_open(50, &d, &e), -ENOENT);
	unit_err(&e, -ENOENT, "no user bus is known here");
	dbus_close(&d);
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "hello", hello },
		{ "a bus that refuses or talks nonsense", refusals },
		{ "a bus that says nothing", silence },
		{ "no bus", nowhere },
	};

	return unit_rows("dbus", rows, address) + unit_cases("dbus", cases);
}
