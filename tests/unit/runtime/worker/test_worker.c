#include "runtime/worker/worker.h"

#include <stdio.h>
#include <sys/ioctl.h>

#include "base/file.h"
#include "base/scope.h"
#include "base/sys/sys.h"
#include "rootfs/store/tree.h"
#include "tests/unit/tarmake.h"
#include "tests/unit/unit.h"
#include "tests/unit/upward.h"

static struct idmap best_map(void)
{
	_cleanup_buf_ struct buf why = BUF_INIT(64 << 10);
	struct err e = ERR_NONE;
	struct idmap map;

	if (idmap_choose(NULL, &map, &why, &e) < 0)
		unit_skip(e.msg);
	return map;
}

/* The archive as a file whose offset is at its start. */
static int archive(int dir, struct tarmake *t)
{
	int fd = sys_openat(dir, "in.tar", O_RDWR | O_CREAT | O_TRUNC, 0600);
	struct err e;

	assert_true(fd >= 0);
	tarmake_end(t);
	unit_ok(file_write_fd(fd, t->out.data, t->out.len, &e), &e);
	assert_int_equal(sys_lseek(fd, 0, SEEK_SET), 0);
	return fd;
}

static int run(const struct idmap *map, const char *job, const char *arg, int dir,
	       int in, struct json **ret, struct err *e)
{
	_cleanup_worker_ struct worker h = WORKER_NONE;
	struct worker_job j = {
		.name = job, .arg = arg, .map = map, .dir = dir, .in = in
	};
	int r = worker_start(&j, &h, e);

	return r < 0 ? r : worker_wait(&h, 30000, ret, e);
}

static int stage(int dir, const struct idmap *map)
{
	struct err e;
	int fd;

	assert_int_equal(sys_mkdirat(dir, "stage", 0700), 0);
	fd = sys_openat(dir, "stage", O_RDONLY | O_DIRECTORY, 0);
	unit_ok(worker_own(map, fd, &e), &e);
	return fd;
}

static void clean(int dir, struct idmap *map)
{
	struct err e = ERR_NONE;

	unit_ok(worker_rmtree(map, dir, "stage", &e), &e);
	assert_int_equal(sys_faccessat(dir, "stage", F_OK, AT_SYMLINK_NOFOLLOW),
			 -ENOENT);
}

static void unpacks_as_box_root(void)
{
	struct idmap map = best_map();
	_cleanup_tarmake_ struct tarmake t = TARMAKE_NONE;
	_cleanup_json_ struct json *result = NULL;
	_cleanup_close_ int dir = unit_top();
	_cleanup_close_ int at = stage(dir, &map);
	_cleanup_close_ int in = -1;
	struct err e = ERR_NONE;
	uint32_t uid = 0;
	struct stat st;

	tarmake_file(&t, "f", "text");
	tarmake_add(
		&t,
		&(struct tarmake_entry){
			.name = "d", .type = '5', .uid = 33, .gid = 33, .mode = 0750 });
	tarmake_file(&t, "d/in", "in");
	in = archive(dir, &t);
	unit_ok(run(&map, "unpack", NULL, at, in, &result, &e), &e);
	assert_int_equal(json_get_int(result, "entries", 0), 3);
	assert_int_equal(json_get_int(result, "bytes", 0), 6);
	assert_int_equal(sys_fstatat(at, "rootfs/d", &st, 0), 0);
	if (map.kind == IDMAP_SINGLE) {
		uid = sys_geteuid();
		assert_int_equal(st.st_mode & 07777, 0750);
	} else {
		unit_ok(idmap_host_uid(&map, 33, &uid), &e);
	}
	assert_int_equal(st.st_uid, uid);
	clean(dir, &map);
}

static void what_fails_inside_is_told(void)
{
	struct idmap map = best_map();
	_cleanup_tarmake_ struct tarmake t = TARMAKE_NONE;
	_cleanup_close_ int dir = unit_top();
	_cleanup_close_ int at = stage(dir, &map);
	_cleanup_close_ int in = -1;
	struct err e = ERR_NONE;

	tarmake_file(&t, "../x", "x");
	in = archive(dir, &t);
	assert_int_equal(run(&map, "unpack", NULL, at, in, NULL, &e), -EINVAL);
	unit_err(&e, -EINVAL, "entry '../x': has a '..' component");
	clean(dir, &map);
}

static void links_lead_nowhere(void)
{
	struct idmap map = best_map();
	_cleanup_tarmake_ struct tarmake t = TARMAKE_NONE;
	_cleanup_close_ int dir = unit_top();
	_cleanup_close_ int at = stage(dir, &map);
	_cleanup_close_ int in = -1;
	struct err e = ERR_NONE;

	tarmake_symlink(&t, "l", unit_tmpdir());
	tarmake_file(&t, "l/escaped", "x");
	in = archive(dir, &t);
	assert_int_equal(run(&map, "unpack", NULL, at, in, NULL, &e), -ENOENT);
	assert_int_equal(sys_faccessat(dir, "escaped", F_OK, 0), -ENOENT);
	clean(dir, &map);
}

static void a_bad_job_is_refused(void)
{
	struct idmap map = best_map();
	_cleanup_close_ int dir = unit_top();
	struct err e = ERR_NONE;

	assert_int_equal(run(&map, "cook", NULL, dir, -1, NULL, &e), -EINVAL);
	unit_err(&e, -EINVAL, "__helper is for cubby's own use");
	if (map.kind == IDMAP_ROOT) /* a directory that it may write to */
		return;
	assert_int_equal(run(&map, "rmtree", "a/b", dir, -1, NULL, &e), -EINVAL);
	unit_err(&e, -EINVAL, "bad name of a tree to remove");
}

/* Its standard input never ends: it must be gone when its client gives up. */
static void giving_up_ends_it(void)
{
	struct idmap map = best_map();
	_cleanup_close_ int dir = unit_top();
	_cleanup_close_ int at = stage(dir, &map);
	_cleanup_worker_ struct worker h = WORKER_NONE;
	struct err e = ERR_NONE;
	int fds[2];
	struct worker_job j = { .name = "unpack", .map = &map, .dir = at };
	struct pollfd p = { .events = 0 };

	assert_int_equal(sys_pipe2(fds, 0), 0);
	j.in = fds[0];
	unit_ok(worker_start(&j, &h, &e), &e);
	close(fds[0]);
	assert_int_equal(worker_wait(&h, 50, NULL, &e), -ETIMEDOUT);
	worker_done(&h);
	p.fd = fds[1]; /* no reader is left */
	assert_int_equal(sys_poll(&p, 1, 10000), 1);
	assert_true(p.revents & POLLERR);
	close(fds[1]);
	clean(dir, &map);
}

/* A client that was killed while its helper was just being executed sends no signal. */
static void one_that_nobody_waits_for_does_nothing(void)
{
	struct idmap map = best_map();
	_cleanup_close_ int dir = unit_top();
	_cleanup_close_ int at = stage(dir, &map);
	_cleanup_json_ struct json *j = idmap_to_json(&map);
	_cleanup_buf_ struct buf text = BUF_INIT(4096);
	_cleanup_proc_ struct proc p = PROC_NONE;
	char self[PATH_MAX];
	const char *argv[] = { self, "__helper", "rmtree", NULL, "f", NULL };
	struct proc_conf conf = { .argv = argv, .fds = { -1, -1, -1 }, .pass_fd = at };
	struct err e = ERR_NONE;
	int fds[2], status = 0;

	assert_int_equal(json_print(j, false, &text), 0);
	argv[3] = buf_cstr(&text);
	unit_ok(proc_self(self, &e), &e);
	assert_int_equal(sys_mkdirat(at, "f", 0755), 0);
	assert_int_equal(sys_pipe2(fds, 0), 0);
	close(fds[0]);
	conf.fds[1] = fds[1];
	unit_ok(proc_start(&conf, &p, &e), &e);
	close(fds[1]);
	unit_ok(proc_wait(&p, 30000, &status, &e), &e);
	assert_int_equal(sys_faccessat(at, "f", F_OK, 0), 0);
	clean(dir, &map);
}

/* The worker is the keeper's only child. 0 = not there (yet). */
static pid_t worker_of(pid_t keeper)
{
	_cleanup_buf_ struct buf b = BUF_INIT(4096);
	struct err e = ERR_NONE;
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/task/%d/children", (int)keeper,
		 (int)keeper);
	return file_read(AT_FDCWD, path, &b, &e) < 0
		       ? 0
		       : (pid_t)strtol(buf_cstr(&b), NULL, 10);
}

/* It has confined itself once it reads its input. */
static void the_host_is_not_above_its_root(void)
{
	struct idmap map = best_map();
	_cleanup_close_ int dir = unit_top();
	_cleanup_close_ int at = stage(dir, &map);
	_cleanup_worker_ struct worker h = WORKER_NONE;
	struct worker_job j = { .name = "unpack", .map = &map, .dir = at };
	struct err e = ERR_NONE;
	int fds[2], left = 1;
	pid_t worker;

	assert_int_equal(sys_pipe2(fds, 0), 0);
	j.in = fds[0];
	unit_ok(worker_start(&j, &h, &e), &e);
	close(fds[0]);
	assert_int_equal(sys_write(fds[1], "x", 1), 1);
	for (int i = 0; i < 1000 && left; i++) {
		sys_poll(NULL, 0, 10);
		assert_int_equal(ioctl(fds[1], FIONREAD, &left), 0);
	}
	assert_int_equal(left, 0);
	worker = worker_of(h.proc.pid);
	assert_true(worker > 0);
	upward_shut(worker);
	worker_done(&h);
	close(fds[1]);
	clean(dir, &map);
}

/* A library that cannot be loaded is in the way of those jobs alone that need it. */
static void only_archives_load_their_library(void)
{
	struct idmap map = best_map();
	_cleanup_tarmake_ struct tarmake t = TARMAKE_NONE;
	_cleanup_close_ int dir = unit_top();
	_cleanup_close_ int at = stage(dir, &map);
	_cleanup_close_ int fake = -1, in = -1;
	struct err e = ERR_NONE;

	fake = sys_openat(dir, "libarchive.so.13", O_WRONLY | O_CREAT, 0644);
	assert_true(fake >= 0);
	tarmake_file(&t, "f", "text");
	in = archive(dir, &t);
	setenv("LD_LIBRARY_PATH", unit_tmpdir(), 1);
	unit_ok(run(&map, "count", ".", at, -1, NULL, &e), &e);
	unit_ok(run(&map, "rmtree", "nothing", at, -1, NULL, &e), &e);
	assert_true(run(&map, "unpack", NULL, at, in, NULL, &e) < 0);
	unsetenv("LD_LIBRARY_PATH");
	clean(dir, &map);
}

int main(int argc, char **argv)
{
	static const struct unit_case cases[] = {
		{ "unpacks as box root", unpacks_as_box_root },
		{ "what fails inside is told", what_fails_inside_is_told },
		{ "links lead nowhere", links_lead_nowhere },
		{ "a bad job is refused", a_bad_job_is_refused },
		{ "giving up ends it", giving_up_ends_it },
		{ "one that nobody waits for does nothing",
		  one_that_nobody_waits_for_does_nothing },
		{ "the host is not above its root", the_host_is_not_above_its_root },
		{ "only archives load their library",
		  only_archives_load_their_library },
	};

	if (argc > 1 && !strcmp(argv[1], "__helper"))
		return worker_main(argc - 1, argv + 1);
	return unit_cases("helper", cases);
}
