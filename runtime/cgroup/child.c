#include <stdio.h>

#include "base/sys/sys.h"
#include "runtime/cgroup/cgroup.h"

/* What is in flight between sockets is counted by user, which a box may share with its
 * caller, and bounded by this limit; a program that closes all that it could have open, as
 * old ones do, is done sooner. */
enum { CHILD_FILES = 65536 };

static int set(int what, const char *name, uint64_t value, struct err *e)
{
	struct rlimit now;
	int r = sys_getrlimit(what, &now);

	if (r >= 0) {
		/* Only downwards: raising is not ours to do. */
		now.rlim_max = MIN(now.rlim_max, (rlim_t)value);
		now.rlim_cur = MIN(now.rlim_cur, now.rlim_max);
		r = sys_setrlimit(what, &now);
	}
	return r < 0 ? err_sys(e, r, "cannot limit %s", name) : 0;
}

/* With the box's memory in it. For a limit of 1 byte there is no core, and no program is
 * started that core_pattern names; for 0 it is. The filter keeps it (secfilter_table.c). */
static int no_core(struct err *e)
{
	struct rlimit now;
	int r = sys_getrlimit(RLIMIT_CORE, &now);

	if (r >= 0) {
		now.rlim_cur = now.rlim_max = MIN(now.rlim_max, (rlim_t)1);
		r = sys_setrlimit(RLIMIT_CORE, &now);
	}
	return r < 0 ? err_sys(e, r, "cannot limit cores") : 0;
}

/* Since 5.14 processes are counted for each user of each user namespace, those of the
 * box alone; before, together with the caller's whole session, for which no number is
 * right. Remove with support for 5.13. */
static bool counts_per_namespace(void)
{
	struct utsname u;
	int major, minor;

	return sys_uname(&u) >= 0 && sscanf(u.release, "%d.%d", &major, &minor) == 2 &&
	       (major > 5 || (major == 5 && minor >= 14));
}

/* What is counted by user, over all of its user namespaces: half is left to the caller's
 * other programs. Without pending signals no timer can be made. */
static int leave_half(int what, const char *name, struct err *e)
{
	struct rlimit now;
	int r = sys_getrlimit(what, &now);

	if (r < 0)
		return err_sys(e, r, "cannot limit %s", name);
	return now.rlim_max == RLIM_INFINITY ? 0 : set(what, name, now.rlim_max / 2, e);
}

int cgroup_child_limits(const struct limits *lim, bool keeps_pids, struct err *e)
{
	int r = no_core(e);

	if (r >= 0)
		r = set(RLIMIT_NOFILE, "open files", CHILD_FILES, e);
	if (r >= 0)
		r = leave_half(RLIMIT_SIGPENDING, "signals", e);
	if (r >= 0)
		r = leave_half(RLIMIT_MSGQUEUE, "queues", e);
	/* Memory has no limit here: programs reserve far more than they use (sanitizers
	 * terabytes, Go and Java as much as there is). The monitor adds up what they hold
	 * (memwatch.h), and counts those that take several users for their processes. */
	if (r >= 0 && !keeps_pids && lim->pids && counts_per_namespace())
		r = set(RLIMIT_NPROC, "processes", lim->pids, e);
	return r;
}
