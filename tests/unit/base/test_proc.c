#include "base/proc.h"

#include <limits.h>
#include <signal.h>

#include "base/file.h"
#include "base/sys/sys.h"
#include "tests/unit/unit.h"

static const struct row {
	const char *name;
	const char *script; /* of sh */
	int want;
	const char *out; /* NULL: the number of the process that it left */
	const char *msg;
} rows[] = {
	{ "status and output", "echo a; echo b >&2; exit 3", 3, "a\n", NULL },
	{ "signal", "kill -9 $$", 128 + 9, "", NULL },
	{ "no input", "cat", 0, "", NULL },
	{ "as much as fits", "printf %s 0123456789", 0, "0123456789", NULL },
	{ "too much", "printf %s 0123456789A", -EMSGSIZE, "0123456789",
	  "'sh' printed more than expected" },
	{ "too long", "echo x; exec sleep 100", -ETIMEDOUT, "x\n",
	  "'sh' did not end within 0.3s" },
	{ "left behind with the pipe", "sleep 1000 & echo $!", 0, NULL, NULL },
};

static void test_run(const void *data)
{
	const struct row *row = data;
	const char *argv[] = { "sh", "-c", row->script, NULL };
	_cleanup_buf_ struct buf out = BUF_INIT(10);
	int timeout_ms = row->want == -ETIMEDOUT ? 300 : -1;
	struct err e = ERR_NONE;

	assert_int_equal(proc_run(argv, timeout_ms, &out, &e), row->want);
	if (row->out)
		assert_string_equal(buf_cstr(&out), row->out);
	else
		assert_int_equal(sys_kill(atoi(buf_cstr(&out)), SIGKILL), 0);
	if (row->msg)
		unit_err(&e, row->want, row->msg);
}

static void output_may_be_thrown_away(void)
{
	const char *argv[] = { "sh", "-c", "echo x; echo y >&2; exit 1", NULL };
	struct err e = ERR_NONE;

	assert_int_equal(proc_run(argv, -1, NULL, &e), 1);
}

static void programs_that_are_not_there(void)
{
	const char *missing[] = { "no-such-program-here", NULL };
	const char *dir[] = { "/", NULL };
	struct err e = ERR_NONE;

	assert_int_equal(proc_run(missing, -1, NULL, &e), -ENOENT);
	unit_err(&e, -ENOENT,
		 "cannot run 'no-such-program-here': No such file or directory");
	assert_int_equal(proc_run(dir, -1, NULL, &e), -EACCES);
	unit_err(&e, -EACCES, "cannot run '/': Permission denied");
}

/* Only 0 to 2 and the passed one may be open, whatever the caller forgot to mark. */
static void descriptors(void)
{
	const char *argv[] = { "sh", "-c", "cat <&3; ls /proc/self/fd | tr '\\n' ' '",
			       NULL };
	const char *env[] = { "PATH=/usr/bin:/bin", NULL };
	struct proc_conf conf = { .argv = argv, .env = env, .fds = { -1, -1, -1 } };
	_cleanup_proc_ struct proc p = PROC_NONE;
	_cleanup_buf_ struct buf b = BUF_INIT(1000);
	struct err e = ERR_NONE;
	int out[2], in[2], status, leak;

	assert_int_equal(sys_pipe2(out, 0), 0);
	assert_int_equal(sys_pipe2(in, 0), 0);
	leak = fcntl(in[0], F_DUPFD, 50); /* inheritable on purpose */
	assert_int_equal(write(in[1], "hi ", 3), 3);
	close(in[1]);
	conf.fds[1] = out[1];
	conf.pass_fd = in[0];
	unit_ok(proc_start(&conf, &p, &e), &e);
	close(out[1]);
	close(in[0]);
	close(leak);
	unit_ok(file_read_fd(out[0], &b, &e), &e);
	close(out[0]);
	assert_string_equal(buf_cstr(&b), "hi 0 1 2 3 4 "); /* 4: the listing itself */
	unit_ok(proc_wait(&p, -1, &status, &e), &e);
	assert_int_equal(status, 0);
	assert_int_equal(p.pid, -1);
}

static void signals_are_reset(void)
{
	const char *argv[] = { "sh", "-c", "kill -PIPE $$; kill -TERM $$; exit 7",
			       NULL };
	struct err e = ERR_NONE;
	sigset_t set, old;

	signal(SIGPIPE, SIG_IGN);
	sigemptyset(&set);
	sigaddset(&set, SIGPIPE);
	sigprocmask(SIG_BLOCK, &set, &old);
	assert_int_equal(proc_run(argv, -1, NULL, &e), 128 + SIGPIPE);
	sigprocmask(SIG_SETMASK, &old, NULL);
	signal(SIGPIPE, SIG_DFL);
}

static void wait_gives_up_and_done_kills(void)
{
	const char *argv[] = { "sleep", "1000", NULL };
	struct proc_conf conf = {
		.argv = argv, .fds = { -1, -1, -1 }, .pass_fd = -1, .new_session = true
	};
	struct proc p = PROC_NONE;
	struct err e = ERR_NONE;
	int status = 4711;
	char want[100];
	pid_t pid;

	unit_ok(proc_start(&conf, &p, &e), &e);
	pid = p.pid;
	assert_int_equal(getsid(pid), pid);
	assert_int_equal(proc_wait(&p, 0, &status, &e), -ETIMEDOUT);
	snprintf(want, sizeof(want), "process %d still runs", pid);
	unit_err(&e, -ETIMEDOUT, want);
	assert_int_equal(status, 4711);
	proc_done(&p);
	assert_int_equal(sys_kill(pid, 0), -ESRCH);
	proc_done(&p); /* empty: nothing happens */
}

static void find(void)
{
	char *path = strdup(getenv("PATH")), ret[PATH_MAX] = "untouched",
	     want[PATH_MAX];

	setenv("PATH", ".::relative", 1);
	assert_int_equal(proc_find("unit", ret), -ENOENT);
	assert_string_equal(ret, "untouched");
	assert_int_equal(proc_find("sh", ret), 0); /* the usual directories */
	assert_string_equal(ret, "/usr/bin/sh");
	setenv("PATH", unit_tmpdir(), 1);
	snprintf(want, sizeof(want), "%s/sh", unit_tmpdir());
	assert_int_equal(sys_mkdirat(AT_FDCWD, want, 0755), 0);
	assert_int_equal(proc_find("sh", ret), 0); /* a directory is no program */
	assert_string_equal(ret, "/usr/bin/sh");
	assert_int_equal(rmdir(want), 0);
	close(open(want, O_CREAT | O_WRONLY | O_CLOEXEC, 0755));
	assert_int_equal(proc_find("sh", ret), 0);
	assert_string_equal(ret, want);
	assert_int_equal(proc_find("", ret), -ENOENT);
	assert_int_equal(proc_find("a/b", ret), -ENOENT);
	setenv("PATH", path, 1);
	free(path);
}

/* Each '@' of @pattern is @dir. */
static void with_dir(char ret[PATH_MAX], const char *pattern, const char *dir)
{
	size_t n = 0;

	for (; *pattern; pattern++)
		n += (size_t)snprintf(ret + n, PATH_MAX - n, "%.*s",
				      *pattern == '@' ? PATH_MAX : 1,
				      *pattern == '@' ? dir : pattern);
}

static void path_without(void)
{
	_cleanup_buf_ struct buf got = BUF_INIT(PATH_MAX);
	static const struct {
		const char *path, *want;
	} paths[] = {
		{ "/usr/bin:@/bin:/bin", "/usr/bin:/bin" },
		{ "@:/bin:", "/bin" },
		{ "/none-there:.:bin:/bin/../bin", "/none-there:/bin/../bin" },
		{ "@/out:/proc/self/cwd:/bin", "/bin" },
		{ "@-link/out:@-link/none:@-later/bin:/bin", "/bin" },
		{ "@-beside:/bin", "@-beside:/bin" },
		{ "@-through:/bin/./:/none-there/../bin",
		  "/bin/./:/none-there/../bin" },
		{ "@-beside/on:@-beside/on/none:/bin", "@-beside/on:@-beside/on/none:"
						       "/bin" },
		{ "@-beside/round:@-beside/back:/none/x:/bin", "/bin" },
		{ "@", "/usr/local/sbin:/usr/sbin:/sbin:/usr/local/bin:/usr/bin:"
		       "/bin" },
	};
	static const char *const links[] = {
		"link", "later", "through", "beside/on", "beside/round", "beside/back"
	};
	char *path = strdup(getenv("PATH")), *cwd = realpath(".", NULL),
	     *dir = realpath(unit_tmpdir(), NULL), text[PATH_MAX], to[PATH_MAX];

	snprintf(text, sizeof(text), "%s/out", dir);
	assert_int_equal(sys_symlinkat("/usr/bin", AT_FDCWD, text), 0);
	snprintf(text, sizeof(text), "%s/bin", dir);
	assert_int_equal(sys_mkdirat(AT_FDCWD, text, 0755), 0);
	snprintf(text, sizeof(text), "%s-beside", dir);
	assert_int_equal(sys_mkdirat(AT_FDCWD, text, 0755), 0);
	snprintf(text, sizeof(text), "%s-beside/on", dir);
	assert_int_equal(sys_symlinkat("/bin", AT_FDCWD, text), 0);
	snprintf(text, sizeof(text), "%s-beside/round", dir);
	assert_int_equal(sys_symlinkat("round", AT_FDCWD, text), 0);
	snprintf(text, sizeof(text), "%s-beside/back", dir);
	snprintf(to, sizeof(to), "../%s/out/../bin", strrchr(dir, '/') + 1);
	assert_int_equal(sys_symlinkat(to, AT_FDCWD, text), 0);
	/* out of it again, by a link that others may change */
	snprintf(text, sizeof(text), "%s-through", dir);
	snprintf(to, sizeof(to), "%s/out", dir);
	assert_int_equal(sys_symlinkat(to, AT_FDCWD, text), 0);
	snprintf(text, sizeof(text), "%s-link", dir);
	assert_int_equal(sys_symlinkat(dir, AT_FDCWD, text), 0);
	snprintf(text, sizeof(text), "%s-later", dir);
	assert_int_equal(sys_symlinkat("/none-there/yet", AT_FDCWD, text), 0);
	assert_int_equal(chdir(dir), 0);
	for (size_t i = 0; i < ARRAY_SIZE(paths); i++) {
		with_dir(text, paths[i].path, dir);
		setenv("PATH", text, 1);
		buf_truncate(&got, 0);
		assert_int_equal(
			proc_path_without((const char *const[]){ "/none", dir, NULL },
					  &got),
			0);
		with_dir(text, paths[i].want, dir);
		assert_string_equal(buf_cstr(&got), text);
	}
	for (size_t i = 0; i < ARRAY_SIZE(links); i++) {
		snprintf(text, sizeof(text), "%s-%s", dir, links[i]);
		assert_int_equal(unlink(text), 0);
	}
	snprintf(text, sizeof(text), "%s-beside", dir);
	assert_int_equal(rmdir(text), 0);
	assert_int_equal(chdir(cwd), 0);
	setenv("PATH", path, 1);
	free(path);
	free(cwd);
	free(dir);
}

static void path_of_the_system(void)
{
	static const struct {
		const char *path;
		bool usual;
	} paths[] = {
		{ "/bin", true },
		{ "/usr/bin:/bin:/usr/local/sbin", true },
		{ "", true },
		{ "/bin:", true },
		{ "/bi", false },
		{ "/usr/bin/", false },
		{ "/usr/local:/bin", false },
		{ "/bin:/opt/x", false },
		{ ":/bin", false },
		{ "/bin::/bin", false },
		{ ".:/bin", false },
	};
	char *path = strdup(getenv("PATH"));

	for (size_t i = 0; i < ARRAY_SIZE(paths); i++) {
		setenv("PATH", paths[i].path, 1);
		assert_int_equal(proc_path_is_usual(), paths[i].usual);
	}
	unsetenv("PATH");
	assert_true(proc_path_is_usual());
	setenv("PATH", path, 1);
	free(path);
}

/* Fails for "not yet", else PATH is what it is called about. */
static int settle(const char *about, struct err *e)
{
	if (strcmp(about, "not yet") == 0)
		return err_set(e, -EAGAIN, "not yet");
	assert_int_equal(setenv("PATH", about, 1), 0);
	return 0;
}

static void path_later(void)
{
	struct err e = ERR_NONE;
	char path[PATH_MAX];

	setenv("PATH", "/somewhere", 1);
	unit_ok(proc_path_later(settle, "/usr/bin:/a", &e), &e);
	assert_string_equal(getenv("PATH"), "/somewhere");
	assert_int_equal(proc_find("true", path), 0);
	assert_string_equal(getenv("PATH"), "/usr/bin:/a");
	/* once */
	setenv("PATH", "/usr/bin", 1);
	assert_int_equal(proc_find("true", path), 0);
	assert_string_equal(getenv("PATH"), "/usr/bin");
	/* another takes its turn first; a path asks, too, and a failure starts nothing */
	unit_ok(proc_path_later(settle, "/usr/bin:/b", &e), &e);
	unit_ok(proc_path_later(settle, "not yet", &e), &e);
	assert_string_equal(getenv("PATH"), "/usr/bin:/b");
	for (int i = 0; i < 2; i++) {
		const char *const by_path[] = { "/bin/true", NULL };

		assert_int_equal(proc_run(by_path, 1000, NULL, &e), -EAGAIN);
		assert_int_equal(proc_find("true", path), -EAGAIN);
	}
	assert_int_equal(proc_path_later(settle, "/usr/bin", &e), -EAGAIN);
}

static void no_path_is_not_left_for_later(void)
{
	struct err e = ERR_NONE;

	unsetenv("PATH");
	unit_ok(proc_path_later(settle, "/usr/bin:/c", &e), &e);
	assert_string_equal(getenv("PATH"), "/usr/bin:/c");
}

static void self(void)
{
	char ret[PATH_MAX];
	struct err e = ERR_NONE;

	unit_ok(proc_self(ret, &e), &e);
	assert_non_null(strstr(ret, "/test_proc"));
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "output may be thrown away", output_may_be_thrown_away },
		{ "programs that are not there", programs_that_are_not_there },
		{ "descriptors", descriptors },
		{ "signals are reset", signals_are_reset },
		{ "wait gives up, done kills", wait_gives_up_and_done_kills },
		{ "find", find },
		{ "PATH without a directory", path_without },
		{ "PATH of the system's alone", path_of_the_system },
		{ "self", self },
		{ "no PATH is not left for later", no_path_is_not_left_for_later },
		{ "PATH later", path_later }, /* last: it leaves one that cannot be */
	};

	return unit_rows("proc_run", rows, test_run) + unit_cases("proc", cases);
}
