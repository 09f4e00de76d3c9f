#include "runtime/init/leader.h"

#include <stdlib.h>
#include <string.h>

#include "base/def.h"
#include "base/file.h"
#include "base/scope.h"
#include "base/sys/sys.h"

enum { LEADER_DEPTH = 64, LEADER_CHILDREN = 16 * 1024 };

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

static void signal_children(pid_t pid, int sig, unsigned depth);

static void signal_list(char *list, int sig, unsigned depth)
{
	char *save = NULL;

	for (char *word = strtok_r(list, " ", &save); word;
	     word = strtok_r(NULL, " ", &save)) {
		pid_t child = (pid_t)strtol(word, NULL, 10);

		if (child <= 1)
			continue;
		/* Its children first: once it is dead they are ours, and the next pass
		 * would find them, but one pass is better than two. */
		signal_children(child, sig, depth + 1);
		sys_kill(child, sig);
	}
}

static void signal_children(pid_t pid, int sig, unsigned depth)
{
	char path[64], list[LEADER_CHILDREN];

	if (depth > LEADER_DEPTH)
		return;
	snprintf(path, sizeof(path), "/proc/%d/task/%d/children", (int)pid, (int)pid);
	if (file_peek(AT_FDCWD, path, list, sizeof(list)) > 0)
		signal_list(list, sig, depth);
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
	pid_t self = sys_getpid();

	signal_children(self, SIGHUP, 0);
	signal_children(self, SIGCONT,
			0); /* a stopped job cannot act on it otherwise */
	signal_children(self, SIGTERM, 0);
	wait_children(set, report_fd, first, LEADER_GRACE_MS);
	while (!reap(report_fd, first)) {
		signal_children(self, SIGKILL, 0);
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
