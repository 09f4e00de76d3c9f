#include "base/file.h"

#include <fcntl.h>
#include <sys/stat.h>

#include "base/sys/sys.h"
#include "tests/unit/unit.h"

static int replace(int dirfd, const char *name, const char *text, mode_t mode,
		   struct err *e)
{
	struct file_data d = { text, strlen(text), mode };

	return file_replace(dirfd, name, &d, e);
}

static size_t count_entries(int dirfd)
{
	char buf[4096];
	size_t n = 0;
	ssize_t len;
	_cleanup_close_ int fd = sys_openat(dirfd, ".", O_RDONLY | O_DIRECTORY, 0);

	while ((len = sys_getdents64(fd, buf, sizeof(buf))) > 0)
		for (ssize_t at = 0; at < len; n++) {
			unsigned short reclen; /* struct linux_dirent64, offset 16 */

			memcpy(&reclen, buf + at + 16, sizeof(reclen));
			at += reclen;
		}
	return n - 2; /* "." and ".." */
}

static void replace_then_read(void)
{
	_cleanup_close_ int dir = unit_top();
	_cleanup_buf_ struct buf b = BUF_INIT(10);
	struct err e = ERR_NONE;
	struct stat st;

	unit_ok(replace(dir, "f", "first", 0600, &e), &e);
	unit_ok(replace(dir, "f", "0123456789", 0666, &e), &e);
	unit_ok(file_read(dir, "f", &b, &e), &e); /* exactly the limit */
	assert_string_equal(buf_cstr(&b), "0123456789");
	buf_truncate(&b, 0);
	unit_ok(file_replace_soon(dir, "f", &(struct file_data){ "soon", 4, 0666 }, &e),
		&e);
	unit_ok(file_read(dir, "f", &b, &e), &e);
	assert_string_equal(buf_cstr(&b), "soon");
	assert_int_equal(sys_fstatat(dir, "f", &st, 0), 0);
	assert_int_equal(st.st_mode & 07777, 0666); /* whatever the umask */
	assert_int_equal(count_entries(dir), 1);    /* no draft stays */
}

static void read_limit(void)
{
	_cleanup_close_ int dir = unit_top();
	_cleanup_buf_ struct buf b = BUF_INIT(10);
	struct err e = ERR_NONE;

	unit_ok(replace(dir, "f", "0123456789", 0600, &e), &e);
	assert_int_equal(buf_adds(&b, "x"), 0);
	assert_int_equal(file_read(dir, "f", &b, &e), -EMSGSIZE);
	unit_err(&e, -EMSGSIZE, "cannot read 'f': larger than 10 B");
	assert_string_equal(buf_cstr(&b), "x"); /* untouched */
}

static void read_failures(void)
{
	_cleanup_close_ int dir = unit_top();
	_cleanup_buf_ struct buf b = BUF_INIT(10);
	struct err e = ERR_NONE;

	assert_int_equal(file_read(dir, "no\nne", &b, &e), -ENOENT);
	unit_err(&e, -ENOENT, "cannot open 'no\\nne': No such file or directory");
	assert_int_equal(file_read(dir, ".", &b, &e), -EISDIR);
	unit_err(&e, -EISDIR, "cannot read '.': Is a directory");
	assert_int_equal(sys_mknodat(dir, "fifo", S_IFIFO | 0600, 0), 0);
	assert_int_equal(file_read(dir, "fifo", &b, &e), -EINVAL);
	unit_err(&e, -EINVAL, "cannot read 'fifo': not a regular file");
	assert_int_equal(file_read_fd(-1, &b, &e), -EBADF);
	unit_err(&e, -EBADF, "cannot read it: Bad file descriptor");
}

static void a_look_at_how_it_begins(void)
{
	_cleanup_close_ int dir = unit_top();
	struct err e = ERR_NONE;
	char text[5] = "....";

	unit_ok(replace(dir, "f", "0123456789", 0600, &e), &e);
	unit_ok(replace(dir, "empty", "", 0600, &e), &e);
	assert_int_equal(file_peek(dir, "f", text, sizeof(text)), 4);
	assert_string_equal(text, "0123");
	assert_int_equal(file_peek(dir, "none", text, sizeof(text)), -ENOENT);
	assert_string_equal(text, "");
	text[0] = 'x';
	assert_int_equal(file_peek(dir, "empty", text, sizeof(text)), 0);
	assert_string_equal(text, "");
}

static void proc_files_have_no_size(void)
{
	_cleanup_buf_ struct buf b = BUF_INIT(100000);
	struct err e = ERR_NONE;

	unit_ok(file_read(AT_FDCWD, "/proc/self/status", &b, &e), &e);
	assert_int_equal(strncmp(buf_cstr(&b), "Name:", 5), 0);
}

/* One that has grown or shrunk since is read to where it ends now. */
static void a_size_is_no_end(void)
{
	_cleanup_close_ int dir = unit_top();
	struct err e = ERR_NONE;

	unit_ok(replace(dir, "f", "0123456789", 0600, &e), &e);
	for (uint64_t size = 0; size < 13; size += 4) {
		_cleanup_buf_ struct buf b = BUF_INIT(10);
		_cleanup_close_ int fd = sys_openat(dir, "f", O_RDONLY, 0);

		unit_ok(file_read_sized(fd, size, &b, &e), &e);
		assert_string_equal(buf_cstr(&b), "0123456789");
	}
}

static void a_size_saves_a_read(void)
{
	_cleanup_buf_ struct buf b = BUF_INIT(100);
	_cleanup_close_ int from = -1, into = -1;
	struct err e = ERR_NONE;
	int ends[2];

	/* a pipe that nobody closes: to ask for more would be to wait */
	assert_int_equal(sys_pipe2(ends, O_CLOEXEC), 0);
	from = ends[0];
	into = ends[1];
	buf_adds(&b, "01");
	assert_int_equal(write(into, "234", 3), 3);
	unit_ok(file_read_sized(from, 3, &b, &e), &e);
	assert_string_equal(buf_cstr(&b), "01234");
}

static void failed_replace_leaves_the_old(void)
{
	_cleanup_close_ int dir = unit_top();
	_cleanup_buf_ struct buf b = BUF_INIT(100);
	struct err e = ERR_NONE;

	assert_int_equal(replace(dir, "no/f", "x", 0600, &e), -ENOENT);
	unit_err(&e, -ENOENT, "cannot write 'no/f': No such file or directory");
	assert_int_equal(replace(dir, "d/..", "x", 0600, &e), -EINVAL);
	assert_int_equal(replace(dir, "", "x", 0600, &e), -EINVAL);
	unit_ok(file_mkdirs(dir, "d/e", 0700, &e), &e);
	assert_int_equal(replace(dir, "d", "x", 0600, &e), -EISDIR);
	unit_err(&e, -EISDIR, "cannot write 'd': Is a directory");
	assert_int_equal(count_entries(dir), 1);
	unit_ok(replace(dir, "d/e/f", "x", 0600, &e), &e);
	unit_ok(file_read(dir, "d/e/f", &b, &e), &e);
	assert_string_equal(buf_cstr(&b), "x");
}

static void mkdirs(void)
{
	_cleanup_close_ int dir = unit_top();
	struct err e = ERR_NONE;
	struct stat st;

	unit_ok(file_mkdirs(dir, "a//b/c/", 0700, &e), &e);
	unit_ok(file_mkdirs(dir, "a/b/c", 0700, &e), &e);
	assert_int_equal(sys_fstatat(dir, "a/b", &st, 0), 0);
	assert_int_equal(st.st_mode & 07777, 0700);
	unit_ok(replace(dir, "f", "", 0600, &e), &e);
	assert_int_equal(file_mkdirs(dir, "f", 0700, &e), -ENOTDIR);
	unit_err(&e, -ENOTDIR, "cannot make directory 'f': Not a directory");
	assert_int_equal(file_mkdirs(dir, "f/g/h", 0700, &e), -ENOTDIR);
	assert_int_equal(file_mkdirs(dir, "", 0700, &e), -ENOENT);
}

static void open_dir(void)
{
	_cleanup_close_ int dir = unit_top();
	struct err e = ERR_NONE;

	assert_int_equal(sys_symlinkat("/", dir, "link"), 0);
	assert_int_equal(file_open_dir(dir, "link", &e), -ENOTDIR);
	unit_err(&e, -ENOTDIR, "cannot open directory 'link': Not a directory");
}

static void write_waits_for_a_slow_reader(void)
{
	enum { MANY = 1 << 20 };
	_cleanup_free_ char *data = malloc(MANY);
	_cleanup_buf_ struct buf b = BUF_INIT(MANY);
	struct err e = ERR_NONE;
	int fds[2];
	pid_t pid;

	memset(data, 'x', MANY);
	assert_int_equal(sys_pipe2(fds, O_NONBLOCK), 0);
	pid = sys_fork();
	if (!pid) { /* more than a pipe holds, and the pipe does not block */
		close(fds[0]);
		sys_exit(file_write_fd(fds[1], data, MANY, &e) ? 1 : 0);
	}
	close(fds[1]);
	sys_setfl(fds[0], 0);
	unit_ok(file_read_fd(fds[0], &b, &e), &e);
	assert_int_equal(b.len, MANY);
	close(fds[0]);
	waitpid(pid, NULL, 0);
}

static void locks_exclude(void)
{
	_cleanup_close_ int dir = unit_top();
	struct err e = ERR_NONE;
	int held = file_lock(dir, "lock", false, &e), again;

	unit_ok(held, &e);
	assert_int_equal(file_lock(dir, "lock", false, &e), -EWOULDBLOCK);
	unit_err(&e, -EWOULDBLOCK, "cannot lock 'lock': another process has it");
	/* A lock on a file that was removed is no lock of the one made since. */
	assert_int_equal(sys_unlinkat(dir, "lock", 0), 0);
	again = file_lock(dir, "lock", false, &e);
	unit_ok(again, &e);
	close(held);
	assert_int_equal(file_lock(dir, "lock", false, &e), -EWOULDBLOCK);
	close(again);
	again = file_lock(dir, "lock", true, &e);
	unit_ok(again, &e);
	close(again);
}

static void lock_not_given_back(void)
{
	_cleanup_close_ int dir = unit_top();
	struct err e = ERR_NONE;
	_cleanup_close_ int held = file_lock(dir, "lock", false, &e);
	int again;

	unit_ok(held, &e);
	assert_int_equal(file_lock_within(dir, "lock", 20, &e), -EWOULDBLOCK);
	unit_err(&e, -EWOULDBLOCK, "cannot lock 'lock': another process has it");
	assert_int_equal(sys_unlinkat(dir, "lock", 0), 0);
	again = file_lock_within(dir, "lock", 20, &e);
	unit_ok(again, &e);
	close(again);
}

static void lock_given_back(void)
{
	_cleanup_close_ int dir = unit_top();
	struct err e = ERR_NONE;
	int held = file_lock(dir, "lock", false, &e), pipe_fds[2], status;
	char ready;
	pid_t pid;

	unit_ok(held, &e);
	assert_int_equal(sys_pipe2(pipe_fds, 0), 0);
	pid = sys_fork();
	if (!pid) {
		close(held); /* the lock is that of the open file, so ours too */
		(void)!write(pipe_fds[1], "", 1);
		sys_exit(file_lock_within(dir, "lock", 60000, &e) < 0);
	}
	assert_int_equal(read(pipe_fds[0], &ready, 1), 1);
	close(held);
	waitpid(pid, &status, 0);
	assert_int_equal(status, 0);
	close(pipe_fds[0]);
	close(pipe_fds[1]);
}

static void a_waiter_gets_the_new_file(void)
{
	_cleanup_close_ int dir = unit_top();
	struct err e = ERR_NONE;
	int held = file_lock(dir, "lock", false, &e), pipe_fds[2], status;
	char ready;
	pid_t pid;

	unit_ok(held, &e);
	assert_int_equal(sys_pipe2(pipe_fds, 0), 0);
	pid = sys_fork();
	if (!pid) {
		struct stat mine, named;
		int fd;

		close(held); /* the lock is that of the open file, so ours too */
		(void)!write(pipe_fds[1], "", 1);
		fd = file_lock(dir, "lock", true, &e);
		sys_exit(fd < 0 || sys_fstat(fd, &mine) ||
			 sys_fstatat(dir, "lock", &named, 0) ||
			 mine.st_ino != named.st_ino);
	}
	assert_int_equal(read(pipe_fds[0], &ready, 1), 1);
	assert_int_equal(sys_unlinkat(dir, "lock", 0), 0);
	close(held);
	waitpid(pid, &status, 0);
	assert_int_equal(status, 0);
	close(pipe_fds[0]);
	close(pipe_fds[1]);
}

static void make_dir(void)
{
	_cleanup_close_ int dir = unit_top(), made = -1, again = -1;
	struct err e = ERR_NONE;

	assert_false(file_is_there(dir, "a"));
	made = file_make_dir(dir, "a/b", 0700, &e);
	unit_ok(made, &e);
	again = file_make_dir(dir, "a/b", 0700, &e);
	unit_ok(again, &e);
	assert_true(file_is_there(dir, "a"));
	assert_int_equal(sys_symlinkat("nowhere", dir, "link"), 0);
	assert_true(file_is_there(dir, "link"));
	assert_int_equal(sys_symlinkat("a", dir, "to a"), 0);
	assert_int_equal(file_make_dir(dir, "to a", 0700, &e), -ENOTDIR);
	unit_err(&e, -ENOTDIR, "cannot open directory 'to a': Not a directory");
}

static void zeros(void)
{
	char bytes[4096] = "";

	assert_true(file_is_zeros(bytes, sizeof(bytes)));
	assert_true(file_is_zeros(bytes, 1));
	assert_true(file_is_zeros(bytes, 0));
	bytes[sizeof(bytes) - 1] = 1;
	assert_false(file_is_zeros(bytes, sizeof(bytes)));
	assert_true(file_is_zeros(bytes, sizeof(bytes) - 1));
	bytes[0] = 1;
	assert_false(file_is_zeros(bytes, 1));
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "replace, then read", replace_then_read },
		{ "the limit of a read", read_limit },
		{ "reads that fail", read_failures },
		{ "a look at how it begins", a_look_at_how_it_begins },
		{ "files of /proc have no size", proc_files_have_no_size },
		{ "a size is no end", a_size_is_no_end },
		{ "a size saves a read", a_size_saves_a_read },
		{ "a failed replace leaves the old", failed_replace_leaves_the_old },
		{ "mkdirs", mkdirs },
		{ "open_dir does not follow", open_dir },
		{ "a write waits for a slow reader", write_waits_for_a_slow_reader },
		{ "locks exclude", locks_exclude },
		{ "a lock that is not given back", lock_not_given_back },
		{ "a lock that is given back", lock_given_back },
		{ "a waiter gets the new file", a_waiter_gets_the_new_file },
		{ "a directory is made, and opened", make_dir },
		{ "zeros", zeros },
	};

	return unit_cases("file", cases);
}
