/* Without a cgroup, init is stopped first, which starts no more programs then; after it all
 * that are there, until a look finds nobody who runs. Who is stopped makes no more of
 * itself. They go on in the opposite order: a shell that heard of a stopped job finds one
 * that runs. */
#include "runtime/cgroup/still.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/dirscan.h"
#include "base/grow.h"
#include "base/num.h"
#include "base/procfs.h"
#include "base/scope.h"
#include "base/sys/sys.h"

enum { STILL_MS = 1000, STILL_VFORK_MS = 100, STILL_MOST = 1 << 16 };

/* ---- one process -------------------------------------------------------------------- */

/* Every thread of it: a first one that has ended leaves the others running. */
static bool all_stand(int proc, const char *pid, const char *still)
{
	_cleanup_close_ int tasks = sys_openat(proc, procfs_path("%s/task", pid),
					       O_RDONLY | O_DIRECTORY, 0);
	struct procfs_stat st;
	struct dirscan scan;

	dirscan_start(&scan, tasks);
	while (dirscan_next(&scan)) {
		if (procfs_stat(tasks, procfs_path("%.15s/stat", scan.name), &st) ==
			    0 &&
		    !strchr(still, st.state))
			return false;
	}
	return true;
}

/* The directory of a process stands for it as a pidfd does (5.1). */
static bool signal_one(const struct still *s, const struct still_process *p, int sig)
{
	_cleanup_close_ int fd = sys_openat(s->proc, p->pid, O_RDONLY | O_DIRECTORY, 0);
	struct procfs_stat st;

	return fd >= 0 && procfs_stat(fd, "stat", &st) == 0 &&
	       st.started == p->started && sys_pidfd_send_signal(fd, sig) >= 0;
}

/* ---- all of them ---------------------------------------------------------------------- */

static bool has(const struct still *s, const struct still_process *p)
{
	for (size_t i = 0; i < s->n; i++)
		if (s->v[i].started == p->started && !strcmp(s->v[i].pid, p->pid))
			return true;
	return false;
}

static int stop(struct still *s, const struct still_process *p)
{
	if (s->n == STILL_MOST)
		return -E2BIG;
	if (!grow_room(s->v, s->n))
		return -ENOMEM;
	s->v[s->n++] = *p;
	(void)signal_one(s, p, SIGSTOP);
	return 0;
}

/* How many run still. Who stands already was stopped by somebody else, and stays so. */
static int stop_all(struct still *s, bool late, struct err *e)
{
	struct dirscan scan;
	int run = 0, r = 0;

	dirscan_start(&scan, s->proc);
	while (r >= 0 && dirscan_next(&scan)) {
		struct still_process p;
		struct procfs_stat st;
		uint64_t pid;
		bool told;

		if (num_range(scan.name, 1, INT32_MAX, &pid) < 0 ||
		    procfs_stat(s->proc, procfs_path("%.15s/stat", scan.name), &st) < 0)
			continue;
		p.started = st.started;
		snprintf(p.pid, sizeof(p.pid), "%u", (unsigned)pid);
		told = has(s, &p);
		if (all_stand(s->proc, p.pid, "TtZX") ||
		    (late && told && all_stand(s->proc, p.pid, "TtZXD")))
			continue;
		run++;
		r = told ? 0 : stop(s, &p);
	}
	r = r ?: dirscan_failed(&scan, e);
	return r < 0 ? r : run;
}

/* Who waits in the kernel is stopped on its way out. A while later that may be for a child
 * by vfork(2), which is stopped itself. */
static int hold_each(struct still *s, struct err *e)
{
	const struct timespec moment = { .tv_nsec = 1000000 };
	uint64_t began = sys_now_ms(), now = began;
	int r;

	while ((r = stop_all(s, now > began + STILL_VFORK_MS, e)) > 0) {
		now = sys_now_ms();
		if (now > began + STILL_MS)
			return -ETIMEDOUT;
		(void)sys_nanosleep(&moment);
	}
	return r;
}

int still_hold(const struct cgroup *cg, int proc, pid_t init, struct still *ret,
	       struct err *e)
{
	struct still s = STILL_NONE;
	int r = s.proc = sys_dup(proc, 3);

	if (r >= 0) {
		r = cgroup_freeze(cg, init, STILL_MS);
		s.cg = r == 0 ? cg : NULL;
	}
	if (r < 0 && s.proc >= 0 && r != -ETIMEDOUT)
		r = hold_each(&s, e);
	if (r == 0) {
		*ret = s;
		return 0;
	}
	still_release(&s);
	*e = ERR_NONE;
	return err_set(e, -EBUSY,
		       "the box does not stand still: a process of it cannot be "
		       "stopped, or too many begin");
}

void still_release(struct still *s)
{
	if (s->cg)
		cgroup_thaw(s->cg);
	while (s->n)
		(void)signal_one(s, &s->v[--s->n], SIGCONT);
	free(s->v);
	scope_close(&s->proc);
	*s = STILL_NONE;
}
