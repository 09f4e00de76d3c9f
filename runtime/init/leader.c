#include "runtime/init/leader.h"

#include "base/def.h"
#include "base/procfs.h"
#include "base/sys/sys.h"

enum { LEADER_DEPTH = 64 };

static void report(int fd, pid_t pid, const siginfo_t *end)
{
	struct leader_report r = { .pid = pid };

	if (end) {
		r.ended = 1;
		r.signal = end->si_code == CLD_EXITED ? 0 : end->si_status;
		r.status = r.signal ? 128 + r.signal : end->si_status;
	}
	sys_write(fd, &r, sizeof(r)); /* init gone: so is everything else, soon */
}

/* ---- ending the tree --------------------------------------------------------------- */

struct descent {
	int sig;
	unsigned depth;
};

/* Its children first: once it is dead they are ours, and the next pass would find them,
 * but one pass is better than two. */
static int signal_child(void *ctx, pid_t child)
{
	const struct descent *d = ctx;
	struct descent below = { d->sig, d->depth + 1 };

	if (d->depth < LEADER_DEPTH)
		(void)procfs_children(
			AT_FDCWD,
			procfs_path("/proc/%d/task/%d/children", child, child),
			signal_child, &below);
	sys_kill(child, d->sig);
	return 0;
}

static void signal_children(int sig)
{
	const pid_t self = sys_getpid();

	(void)procfs_children(AT_FDCWD,
			      procfs_path("/proc/%d/task/%d/children", self, self),
			      signal_child, &(struct descent){ sig, 0 });
}

/* True when no child is left. */
static bool reap(int report_fd, pid_t first)
{
	siginfo_t si;

	for (;;) {
		si.si_pid = 0;
		if (sys_waitid(P_ALL, 0, &si, WEXITED | WNOHANG) < 0)
			return true; /* -ECHILD */
		if (!si.si_pid)
			return false;
		if (si.si_pid == first)
			report(report_fd, first, &si);
	}
}

static void wait_children(const sigset_t *set, int report_fd, pid_t first, uint64_t ms)
{
	uint64_t end = sys_now_ms() + ms;

	for (;;) {
		uint64_t now = sys_now_ms();
		struct timespec left = { 0 };

		if (reap(report_fd, first) || now >= end)
			return;
		left.tv_sec = (time_t)((end - now) / 1000);
		left.tv_nsec = (long)((end - now) % 1000) * 1000000;
		sys_sigtimedwait(set, &left);
	}
}

static void end_tree(const sigset_t *set, int report_fd, pid_t first)
{
	signal_children(SIGHUP);
	signal_children(SIGCONT); /* a stopped job cannot act on it otherwise */
	signal_children(SIGTERM);
	wait_children(set, report_fd, first, LEADER_GRACE_MS);
	while (!reap(report_fd, first)) {
		signal_children(SIGKILL);
		wait_children(set, report_fd, first, 10);
	}
}

void leader_main(int report_fd, void (*run)(void *ctx), void *ctx)
{
	sigset_t set;
	pid_t first;

	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	sigaddset(&set, SIGTERM);
	sys_sigprocmask(SIG_SETMASK, &set, NULL);
	sys_prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
	first = sys_fork();
	if (first == 0)
		run(ctx);
	/* The terminal and the pipes belong to the program alone: an end of file must not
	 * wait for this process. */
	report_fd = sys_dup2(report_fd, 0);
	sys_close_range(1, ~0U, 0);
	report(report_fd, first, NULL);
	while (first > 0 && !reap(report_fd, first)) {
		if (sys_sigtimedwait(&set, NULL) == SIGTERM) {
			end_tree(&set, report_fd, first);
			break;
		}
	}
	sys_exit(0);
}
