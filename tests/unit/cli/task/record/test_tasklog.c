#include "tests/unit/unit.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "cli/task/record/tasklog.h"
#include "rootfs/store/store.h"

static struct boxdir open_box(void)
{
	struct boxdir b = BOXDIR_NONE;

	b.dirfd = unit_top();
	assert_true(b.dirfd >= 0);
	return b;
}

static void create(const struct boxdir *b, time_t at, const char *want)
{
	const struct timespec now = { .tv_sec = at };
	char name[TASKLOG_NAME];
	struct err e = ERR_NONE;
	int fd = tasklog_create(b, now, name, &e);

	unit_ok(fd, &e);
	assert_string_equal(name, want);
	assert_int_equal(write(fd, want, strlen(want)), strlen(want));
	close(fd);
}

static void opens(const struct boxdir *b, const char *name, const char *want)
{
	char found[TASKLOG_NAME], text[TASKLOG_NAME] = "";
	struct err e = ERR_NONE;
	int fd = tasklog_open(b, name, found, &e);

	unit_ok(fd, &e);
	assert_string_equal(found, want);
	assert_int_equal(read(fd, text, sizeof(text) - 1), strlen(want));
	assert_string_equal(text, want);
	close(fd);
}

static void a_terminal_beside_it(void)
{
	struct boxdir b = open_box();
	struct tasklog_list l = TASKLOG_LIST_NONE;
	struct err e = ERR_NONE;
	struct stat st;
	int fd;

	create(&b, 1000000000, "20010909-014640");
	fd = tasklog_terminal(&b, "20010909-014640", &e);
	unit_ok(fd, &e);
	assert_int_equal(fstat(fd, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	close(fd);
	assert_int_equal(tasklog_terminal(&b, "20010909-014640", &e), -EEXIST);
	unit_ok(tasklog_list(&b, &l, &e), &e);
	assert_int_equal(l.n, 1); /* it is no task */
	tasklog_list_done(&l);
	boxdir_close(&b);
}

/* On a full disk a task goes on without it; no row is left of which nothing is known. */
static void one_with_nothing_in_it_goes(void)
{
	struct boxdir b = open_box();
	struct tasklog_list l = TASKLOG_LIST_NONE;
	const struct timespec now = { .tv_sec = 1000000000 };
	char name[TASKLOG_NAME];
	struct err e = ERR_NONE;

	for (int written = 0; written < 2; written++) {
		int fd = tasklog_create(&b, now, name, &e);
		int tty = tasklog_terminal(&b, name, &e);

		unit_ok(fd, &e);
		unit_ok(tty, &e);
		assert_int_equal(write(fd, "{}\n", written ? 3 : 0), written ? 3 : 0);
		tasklog_end(&b, name, fd);
		unit_ok(tasklog_list(&b, &l, &e), &e);
		assert_int_equal(l.n, written);
		tasklog_list_done(&l);
		close(fd);
		close(tty);
	}
	tasklog_end(&b, name, -1);
	assert_int_equal(tasklog_terminal(&b, name, &e), -EEXIST);
	boxdir_close(&b);
}

/* Another process writes it until it ends, however it ends. */
static void the_writer_is_known(void)
{
	struct boxdir b = open_box();
	char name[TASKLOG_NAME];
	struct err e = ERR_NONE;
	int said[2], fd, status;
	pid_t pid;
	char c;

	assert_int_equal(pipe(said), 0);
	pid = fork();
	if (pid == 0) {
		const struct timespec now = { .tv_sec = 1000000000 };

		if (tasklog_create(&b, now, name, &e) >= 0 &&
		    write(said[1], "x", 1) == 1)
			pause();
		_exit(1);
	}
	assert_int_equal(read(said[0], &c, 1), 1);
	fd = tasklog_open(&b, NULL, name, &e);
	unit_ok(fd, &e);
	assert_int_equal(tasklog_writer(fd), pid);
	assert_int_equal(kill(pid, SIGKILL), 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(tasklog_writer(fd), 0);
	close(fd);
	close(said[0]);
	close(said[1]);
	boxdir_close(&b);
}

static void names_and_prefixes(void)
{
	struct boxdir b = open_box();
	char found[TASKLOG_NAME];
	struct err e = ERR_NONE;

	assert_int_equal(tasklog_open(&b, NULL, found, &e), -ENOENT);
	unit_err(&e, -ENOENT, "there is no task in this box yet");
	create(&b, 1000000000, "20010909-014640");
	create(&b, 1000000000, "20010909-014640-01");
	create(&b, 1100000000, "20041109-113320");
	opens(&b, NULL, "20041109-113320");
	opens(&b, "2004", "20041109-113320");
	opens(&b, "20010909-014640", "20010909-014640"); /* also begins another */
	assert_int_equal(tasklog_open(&b, "20", found, &e), -ENOTUNIQ);
	unit_err(&e, -ENOTUNIQ, "several tasks begin with '20'");
	assert_int_equal(tasklog_open(&b, "../x", found, &e), -ENOENT);
	unit_err(&e, -ENOENT, "there is no task '../x'; 'cubby log' lists them");
	boxdir_close(&b);
}

static void list_is_in_order(void)
{
	_cleanup_tasklog_list_ struct tasklog_list l = TASKLOG_LIST_NONE;
	struct boxdir b = open_box();
	struct err e = ERR_NONE;

	create(&b, 1100000000, "20041109-113320");
	create(&b, 1000000000, "20010909-014640");
	unit_ok(tasklog_list(&b, &l, &e), &e);
	assert_int_equal(l.n, 2);
	assert_string_equal(l.v[0], "20010909-014640");
	assert_string_equal(l.v[1], "20041109-113320");
	boxdir_close(&b);
}

static int copy_fails(const char *name, struct err *e)
{
	int r = tasklog_copy(name, e);

	assert_true(r < 0);
	return r;
}

/* As its record in the store says. */
static void a_box_writes(const char *dir)
{
	static const char key[] = "0123456789abcdef0123456789abcdef"
				  "0123456789abcdef0123456789abcdef";
	_cleanup_store_ struct store st = STORE_NONE;
	char path[128], text[PATH_MAX];
	struct err e = ERR_NONE;

	snprintf(text, sizeof(text), "%s/data", dir);
	assert_int_equal(setenv("XDG_DATA_HOME", text, 1), 0);
	unit_ok(store_open(&st, &e), &e);
	snprintf(path, sizeof(path), "%s/box.json", key);
	snprintf(text, sizeof(text), "{\"project\":\"%s\"}", dir);
	assert_int_equal(mkdirat(st.boxes, key, 0700), 0);
	unit_ok(file_replace(st.boxes, path,
			     &(struct file_data){ text, strlen(text), 0600 }, &e),
		&e);
}

static void a_copy_follows_no_link(void)
{
	const char *dir = unit_tmpdir();
	struct err e = ERR_NONE;
	struct stat st;
	int fd;

	assert_int_equal(chdir(dir), 0);
	a_box_writes(dir);
	fd = open("victim", O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	assert_int_equal(write(fd, "mine", 4), 4);
	close(fd);
	assert_int_equal(mkdir("real", 0700), 0);
	assert_int_equal(symlink("victim", "link"), 0);
	assert_int_equal(symlink("/", "out"), 0);
	assert_int_equal(mkfifo("pipe", 0600), 0);
	assert_int_equal(copy_fails("link", &e), -ELOOP);
	unit_err(&e, -ELOOP,
		 "'link' is a link or no plain file; remove it, or name another file");
	assert_int_equal(copy_fails("out/tmp/x", &e), -EXDEV);
	unit_err(&e, -EXDEV,
		 "'out/tmp/x' leads by a link out of a directory that a box can write; "
		 "name the place that you mean");
	assert_int_equal(copy_fails("pipe", &e), -ENXIO);
	assert_int_equal(copy_fails("real", &e), -EISDIR);
	assert_int_equal(copy_fails("absent/x", &e), -ENOENT);
	unit_err(&e, -ENOENT, "cannot open 'absent/x': No such file or directory");
	assert_int_equal(stat("victim", &st), 0);
	assert_int_equal(st.st_size, 4);
	fd = tasklog_copy("victim", &e); /* a file of that name begins anew */
	unit_ok(fd, &e);
	assert_int_equal(fstat(fd, &st), 0);
	assert_int_equal(st.st_size, 0);
	close(fd);
	fd = tasklog_copy("real/x", &e);
	unit_ok(fd, &e);
	close(fd);
	assert_int_equal(chdir("/"), 0);
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "one with nothing in it goes", one_with_nothing_in_it_goes },
		{ "names and prefixes", names_and_prefixes },
		{ "O2: a terminal beside it", a_terminal_beside_it },
		{ "the list is in order", list_is_in_order },
		{ "the writer is known", the_writer_is_known },
		{ "a copy follows no link", a_copy_follows_no_link },
	};

	return unit_cases("tasklog", cases);
}
