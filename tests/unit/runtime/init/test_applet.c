/* The applets as init runs them: in a child, with pipes. */
#include "runtime/init/applet.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/scope.h"
#include "tests/unit/unit.h"

struct run {
	int status;
	char out[4096], err[1024];
};

static void take_all(int fd, char *ret, size_t size)
{
	size_t n = 0;
	ssize_t r;

	while ((r = read(fd, ret + n, size - 1 - n)) > 0)
		n += (size_t)r;
	ret[n] = '\0';
	close(fd);
}

/* In the test's directory. */
static struct run run(const char *in, const char *const *args)
{
	int i[2], o[2], e[2], n = 0, status;
	char *argv[8];
	struct run ret;
	pid_t pid;

	while (args[n]) {
		argv[n] = strdup(args[n]);
		n++;
	}
	argv[n] = NULL;
	assert_int_equal(pipe(i) | pipe(o) | pipe(e), 0);
	fflush(NULL);
	pid = fork();
	if (pid == 0) {
		dup2(i[0], 0);
		dup2(o[1], 1);
		dup2(e[1], 2);
		close(i[1]);
		if (chdir(unit_tmpdir()) < 0)
			_exit(99);
		umask(022);
		_exit(applet_main(n, argv));
	}
	close(i[0]);
	close(o[1]);
	close(e[1]);
	assert_int_equal(write(i[1], in, strlen(in)), strlen(in));
	close(i[1]);
	take_all(o[0], ret.out, sizeof(ret.out));
	take_all(e[0], ret.err, sizeof(ret.err));
	assert_int_equal(waitpid(pid, &status, 0), pid);
	ret.status = WEXITSTATUS(status);
	while (n--)
		free(argv[n]);
	return ret;
}

#define RUN(in, ...) run(in, (const char *const[]){ __VA_ARGS__, NULL })

static const char *path(const char *name)
{
	static char full[256];

	snprintf(full, sizeof(full), "%s/%s", unit_tmpdir(), name);
	return full;
}

static void expect_file(const char *name, const char *want, mode_t mode)
{
	_cleanup_buf_ struct buf b = BUF_INIT(4096);
	struct err e = ERR_NONE;
	struct stat st;

	unit_ok(file_read(AT_FDCWD, path(name), &b, &e), &e);
	assert_string_equal(buf_cstr(&b), want);
	assert_int_equal(stat(path(name), &st), 0);
	assert_int_equal(st.st_mode & 07777, mode);
}

static int count_entries(const char *name)
{
	char cmd[300];
	FILE *f;
	int n = -1;

	snprintf(cmd, sizeof(cmd), "ls -A %s | wc -l", path(name));
	f = popen(cmd, "re");
	assert_int_equal(fscanf(f, "%d", &n), 1);
	pclose(f);
	return n;
}

static void put_makes_parents(void)
{
	struct run r = RUN("hello", "put", "a/b/c", "5");

	assert_string_equal(r.err, "");
	assert_int_equal(r.status, 0);
	expect_file("a/b/c", "hello", 0644);
	assert_int_equal(count_entries("a/b"), 1);
}

static void put_keeps_the_mode(void)
{
	assert_int_equal(RUN("one", "put", "f", "3").status, 0);
	assert_int_equal(chmod(path("f"), 0750), 0);
	assert_int_equal(RUN("three", "put", "f", "5").status, 0);
	expect_file("f", "three", 0750);
}

/* Who is not mapped in a box, and may not be told from whoever has that number. */
static void put_keeps_an_owner_that_has_no_number(void)
{
	struct stat before, after;

	if (geteuid() != 0)
		unit_skip("only root gives files away");
	assert_int_equal(RUN("one and more", "put", "f", "12").status, 0);
	assert_int_equal(chown(path("f"), 0, 65534), 0);
	assert_int_equal(chmod(path("f"), 0664), 0);
	assert_int_equal(stat(path("f"), &before), 0);
	assert_int_equal(RUN("three", "put", "f", "5").status, 0);
	expect_file("f", "three", 0664);
	assert_int_equal(stat(path("f"), &after), 0);
	assert_int_equal(after.st_gid, 65534);
	assert_int_equal(after.st_ino, before.st_ino);		/* the file itself */
	assert_int_equal(RUN("tw", "put", "f", "3").status, 1); /* nothing is lost */
	expect_file("f", "three", 0664);
	assert_int_equal(count_entries("."), 1);
}

static void put_follows_links(void)
{
	assert_int_equal(RUN("one", "put", "d/f", "3").status, 0);
	assert_int_equal(symlink("f", path("d/l")), 0);
	assert_int_equal(symlink("d/l", path("m")), 0);
	assert_int_equal(symlink("new", path("dangling")), 0);
	assert_int_equal(RUN("two", "put", "m", "3").status, 0);
	expect_file("d/f", "two", 0644);
	assert_int_equal(RUN("new", "put", "dangling", "3").status, 0);
	expect_file("new", "new", 0644);
}

static void put_of_less_changes_nothing(void)
{
	struct run r;

	assert_int_equal(RUN("one", "put", "f", "3").status, 0);
	r = RUN("tw", "put", "f", "3");
	assert_int_equal(r.status, 1);
	assert_string_equal(r.err, "32 the content was cut off: Broken pipe\n");
	expect_file("f", "one", 0644);
	assert_int_equal(count_entries("."), 1);
}

static const struct row {
	const char *name, *args[4];
	int status;
	const char *err;
} rows[] = {
	{ "put on a directory",
	  { "put", "dir", "0" },
	  1,
	  "21 cannot write 'dir': Is a directory\n" },
	{ "put below a file", { "put", "file/x", "0" }, 1, NULL },
	{ "put nowhere",
	  { "put", "dir/", "0" },
	  1,
	  "21 cannot write 'dir/': Is a directory\n" },
	{ "put through a loop",
	  { "put", "loop", "0" },
	  1,
	  "40 cannot follow 'loop': Too many levels of symbolic links\n" },
	{ "put with a bad size", { "put", "x", "-1" }, 1, "22 bad size '-1'\n" },
	{ "get nothing",
	  { "get", "none", "9" },
	  1,
	  "2 cannot open 'none': No such file or directory\n" },
	{ "get a directory",
	  { "get", "dir", "9" },
	  1,
	  "21 cannot read 'dir': Is a directory\n" },
	{ "get a FIFO",
	  { "get", "fifo", "9" },
	  1,
	  "22 'fifo' is not a regular file\n" },
	{ "stat nothing",
	  { "stat", "none" },
	  1,
	  "2 cannot look at 'none': No such file or directory\n" },
	{ "too few arguments", { "get", "x" }, 2, "22 wrong number of arguments\n" },
	{ "unknown", { "rm", "x" }, 127, "38 unknown applet\n" },
};

static void test_row(const void *p)
{
	const struct row *row = p;
	struct run r;

	assert_int_equal(mkdir(path("dir"), 0755), 0);
	assert_int_equal(mkfifo(path("fifo"), 0600), 0);
	assert_int_equal(symlink("loop", path("loop")), 0);
	assert_int_equal(RUN("x", "put", "file", "1").status, 0);
	r = run("", row->args);
	assert_int_equal(r.status, row->status);
	if (row->err)
		assert_string_equal(r.err, row->err);
	assert_string_equal(r.out, "");
	assert_int_equal(count_entries("."), 4);
}

static void get_and_stat(void)
{
	assert_int_equal(RUN("hello", "put", "f", "5").status, 0);
	assert_string_equal(RUN("", "get", "f", "100").out, "100644 5\nhello");
	assert_string_equal(RUN("", "get", "f", "3").out, "100644 5\nhel");
	assert_string_equal(RUN("", "stat", "f").out, "100644 5\n");
}

/* A link that leads to itself is no path that is missing. */
static void a_search_says_what_failed(void)
{
	static const char *const applets[] = { "grep", "glob" };

	assert_int_equal(symlink("loop", path("loop")), 0);
	for (size_t i = 0; i < ARRAY_SIZE(applets); i++) {
		struct run r = RUN("", applets[i], "x", "loop/a", "a", "10");

		assert_int_equal(r.status, 1);
		assert_string_equal(r.out, "");
		assert_string_equal(r.err, "40 cannot open 'loop/a': Too many levels "
					   "of symbolic links\n");
	}
	assert_string_equal(RUN("", "grep", "x", "none", "", "10").err,
			    "2 Path not found\n");
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "F1: put makes parents", put_makes_parents },
		{ "F1: put keeps the mode", put_keeps_the_mode },
		{ "F1: put keeps an owner that has no number",
		  put_keeps_an_owner_that_has_no_number },
		{ "put keeps an owner that has no number",
		  put_keeps_an_owner_that_has_no_number },
		{ "put follows links", put_follows_links },
		{ "F1: less than announced changes nothing",
		  put_of_less_changes_nothing },
		{ "get and stat", get_and_stat },
		{ "a search says what failed", a_search_says_what_failed },
	};

	return unit_rows("applet (F1)", rows, test_row) + unit_cases("applet", cases);
}
