/* A leaf for real, by whatever method this host gives; leaf.c, v1.c,
 * v2.c and child.c with it. */
#include "runtime/cgroup/cgroup.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/scope.h"
#include "base/sys/sys.h"
#include "runtime/cgroup/impl.h"
#include "tests/unit/unit.h"

static const struct limits small = { .memory_bytes = 64 << 20,
				     .pids = 20,
				     .cpu_milli = 500 };

static struct cgroup *create(const struct limits *lim)
{
	struct cgroup *cg = NULL;
	struct buf why = BUF_INIT(8192);
	struct err e = ERR_NONE;
	char name[64];

	snprintf(name, sizeof(name), "cubby-unit-%d", getpid());
	unit_ok(cgroup_create(name, lim, &cg, &why, &e), &e);
	if (cgroup_get_method(cg) == CGROUP_RLIMIT) {
		assert_non_null(strstr(buf_cstr(&why), "no cgroup: memory"));
		cgroup_destroy(&cg);
		buf_done(&why);
		unit_skip("no cgroup can be made here");
	}
	buf_done(&why);
	return cg;
}

/* A child that joins @cg and then does @what. */
static pid_t start(struct cgroup *cg, void (*what)(void))
{
	struct clone_args args = { .exit_signal = SIGCHLD };
	struct err e = ERR_NONE;
	pid_t pid;

	if (cgroup_clone_fd(cg) >= 0) {
		args.flags = CLONE_INTO_CGROUP;
		args.cgroup = (uint64_t)cgroup_clone_fd(cg);
	}
	pid = sys_clone3(&args);
	assert_true(pid >= 0);
	if (pid)
		return pid;
	if (cgroup_join(cg, &e) < 0)
		_exit(99);
	what();
	_exit(0);
}

static void eat(void)
{
	enum { SIZE = 200 << 20 };
	char *p = malloc(SIZE);

	for (size_t i = 0; p && i < SIZE; i += 4096)
		((volatile char *)p)[i] = 1;
}

/* Ends with the number of children that it was allowed, all of them waiting. */
static void multiply(void)
{
	int n = 0;

	while (n < 100) {
		pid_t pid = fork();

		if (!pid)
			for (;;)
				pause();
		if (pid < 0)
			break;
		n++;
	}
	_exit(n);
}

static void linger(void)
{
	signal(SIGTERM, SIG_IGN);
	if (fork() == 0)
		setsid();
	for (;;)
		pause();
}

static void memory(void)
{
	struct cgroup *cg = create(&small);
	struct cgroup_usage u;
	int status;

	waitpid(start(cg, eat), &status, 0);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
	cgroup_usage(cg, &u);
	assert_int_equal(u.oom_kills, 1);
	assert_in_range(u.memory_peak_bytes, 32 << 20, 64 << 20);
	cgroup_destroy(&cg);
	assert_null(cg);
}

static void processes(void)
{
	struct cgroup *cg = create(&small);
	struct cgroup_usage u;
	int status;

	waitpid(start(cg, multiply), &status, 0);
	assert_int_equal(WEXITSTATUS(status), 19);
	cgroup_usage(cg, &u);
	assert_int_equal(u.pids, 19);
	assert_true(u.pids_refused > 0);
	cgroup_destroy(&cg);
}

static void update(void)
{
	struct limits lim = small;
	struct cgroup *cg = create(&small);
	struct err e = ERR_NONE;
	int status;

	lim.pids = 5;
	lim.memory_bytes = 0;
	lim.cpu_milli = 0;
	unit_ok(cgroup_update(cg, &lim, &e), &e);
	waitpid(start(cg, eat), &status, 0);
	assert_int_equal(status, 0);
	waitpid(start(cg, multiply), &status, 0);
	assert_int_equal(WEXITSTATUS(status), 4);
	cgroup_destroy(&cg);
}

static void kill_all(void)
{
	struct cgroup *cg = create(&small);
	pid_t pid = start(cg, linger);
	int status;

	cgroup_destroy(&cg);
	waitpid(pid, &status, 0);
	assert_true(WIFSIGNALED(status));
}

/* What a killed monitor leaves: full, under our name. */
static void left_behind(void)
{
	struct cgroup *old = create(&small), *cg;
	pid_t pid = start(old, linger);
	int status;

	cg = create(&small);
	waitpid(pid, &status, 0);
	assert_true(WIFSIGNALED(status));
	waitpid(start(cg, multiply), &status, 0);
	assert_int_equal(WEXITSTATUS(status), 19);
	cgroup_destroy(&cg);
	cgroup_destroy(&old);
}

static const struct row {
	const char *name, *leaf, *msg;
} rows[] = {
	{ "path as name", "../x", "bad cgroup name '../x'" },
	{ "empty name", "", "bad cgroup name ''" },
	{ "upper case", "Cubby", "bad cgroup name 'Cubby'" },
};

static void bad_name(const void *p)
{
	const struct row *row = p;
	struct cgroup *cg = NULL;
	struct buf why = BUF_INIT(64);
	struct err e = ERR_NONE;

	assert_int_equal(cgroup_create(row->leaf, &small, &cg, &why, &e), -EINVAL);
	unit_err(&e, -EINVAL, row->msg);
	assert_null(cg);
}

static int child_limits(bool keeps_pids)
{
	struct rlimit core, data, as, before, nproc, files;
	struct err e = ERR_NONE;

	getrlimit(RLIMIT_DATA, &before);
	if (cgroup_child_limits(&small, keeps_pids, &e) < 0)
		return 1;
	getrlimit(RLIMIT_CORE, &core);
	getrlimit(RLIMIT_DATA, &data);
	getrlimit(RLIMIT_AS, &as);
	getrlimit(RLIMIT_NPROC, &nproc);
	getrlimit(RLIMIT_NOFILE, &files);
	if (files.rlim_max > 65536 || files.rlim_cur > files.rlim_max)
		return 4;
	if (core.rlim_max > 1 || core.rlim_cur != core.rlim_max ||
	    data.rlim_max != before.rlim_max || as.rlim_max != RLIM_INFINITY)
		return 2;
	return (nproc.rlim_max == small.pids) == !keeps_pids ? 0 : 3;
}

static void rlimits(void)
{
	for (int keeps = 0; keeps < 2; keeps++) {
		int status;
		pid_t pid = fork();

		if (!pid)
			_exit(child_limits(keeps));
		waitpid(pid, &status, 0);
		assert_int_equal(status, 0);
	}
}

static const struct cpu_row {
	const char *name;
	struct cgroup cg;
	enum probe_reason want;
} cpu_rows[] = {
	{ "v2 keeps it",
	  { .method = CGROUP_V2, .has = { [CGROUP_CPU] = true } },
	  PROBE_NONE },
	{ "v1 keeps it",
	  { .method = CGROUP_V1, .has = { [CGROUP_CPU] = true } },
	  PROBE_NONE },
	{ "not delegated to a service manager's user",
	  { .method = CGROUP_SYSTEMD, .has = { [CGROUP_MEMORY] = true } },
	  PROBE_NO_CPU },
	{ "v1 without the controller",
	  { .method = CGROUP_V1, .has = { [CGROUP_PIDS] = true } },
	  PROBE_NO_CPU },
	{ "none at all", { .method = CGROUP_RLIMIT }, PROBE_NO_CGROUP },
	{ "none, in a container",
	  { .method = CGROUP_RLIMIT, .crowded = true },
	  PROBE_CROWDED_CGROUP },
};

static void who_keeps_cpu(const void *p)
{
	const struct cpu_row *row = p;

	assert_int_equal(cgroup_missing_cpu(&row->cg), row->want);
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "a process that eats too much is killed and counted", memory },
		{ "forks past the limit are refused and counted", processes },
		{ "limits change while it runs", update },
		{ "everything in it is killed", kill_all },
		{ "a leaf that was left behind is emptied and used", left_behind },
		{ "limits of a process, without cgroups", rlimits },
	};

	return unit_rows("cgroup", rows, bad_name) +
	       unit_rows("cgroup --cpus", cpu_rows, who_keeps_cpu) +
	       unit_cases("cgroup", cases);
}
