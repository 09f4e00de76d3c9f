/* When the last program of a box has ended, what it made for git in the project is looked
 * at before its client is told (git.c, volumes.c). A person may then make a repository of
 * their own at once, while the box has not ended yet: that one must not be taken for the
 * box's. So the look that comes before the word is the last, where two of us agree that
 * nothing can make one after it: init says that nothing is left, and so does the kernel, of
 * which init is the box's only process, with one thread.
 *
 * A box that will not wait for another command has no use for init then: it is stopped
 * before the look, so that not even an init that was taken over gets between the look and
 * the end. A message to it lets it go on. One that goes on without a message, as by a timer
 * of its own, is looked after as before: at the end, too. */
#include <sys/epoll.h>

#include "base/procfs.h"
#include "base/sys/sys.h"
#include "runtime/monitor/impl.h"

enum { QUIET_SPINS = 64, QUIET_TRIES = 400, QUIET_NS = 20000, QUIET_SLACK_NS = 1000 };

/* The kernel's word. A process without a parent is init's; a directory has a link for each
 * thread, and two. */
static bool is_alone(pid_t init)
{
	struct stat st;

	return sys_fstatat(AT_FDCWD, procfs_path("/proc/%d/task", init), &st, 0) == 0 &&
	       st.st_nlink == 3 && procfs_has_children(init) == 0;
}

static bool heard(const struct monitor *m, int what)
{
	siginfo_t si = { 0 };

	return sys_waitid(P_PID, (id_t)m->run.init, &si, what | WNOHANG) == 0 &&
	       si.si_pid != 0;
}

/* It mostly sleeps, and stops within some microseconds. */
static bool stop(struct monitor *m)
{
	const struct timespec pause = { .tv_nsec = QUIET_NS };

	if (sys_kill(m->run.init, SIGSTOP) < 0)
		return false;
	m->stopped = true;
	for (int i = 0; i < QUIET_TRIES; i++) {
		if (heard(m, WSTOPPED))
			return true;
		/* Where init waits for our processor: not the 50 µs more that are usual. */
		if (i == QUIET_SPINS)
			(void)sys_prctl(PR_SET_TIMERSLACK, QUIET_SLACK_NS, 0, 0, 0);
		if (i >= QUIET_SPINS)
			sys_nanosleep(&pause);
	}
	return false;
}

bool monitor_quiet_runs(const struct monitor *m)
{
	for (const struct program *p = m->programs; p; p = p->next)
		if (p->state == PROGRAM_RUNS)
			return true;
	return false;
}

/* A view of the project shows the host's changes from the next start on; what a volume's
 * path leads to may be another by then. */
bool monitor_quiet_waits(const struct monitor *m)
{
	return m->linger_ms && m->wanted != PROJECT_REVIEW && m->mounts >= 0 &&
	       m->on_init && !json_len(m->spec.volumes);
}

void monitor_quiet_begin(struct monitor *m, const struct program *p)
{
	m->quiet = false;
	if ((!m->git && !m->volumes.len) || !p->exit.nothing_left || m->spec.keep ||
	    json_len(m->spec.publish) || monitor_quiet_runs(m))
		return;
	m->look_failed = false;
	m->quiet = (monitor_quiet_waits(m) || stop(m)) && is_alone(m->run.init);
}

int monitor_quiet_send(struct monitor *m, const struct outbox_message *o)
{
	const bool spawns = o->head.type == WIRE_SPAWN;
	int r;

	if (m->stopped) {
		sys_kill(m->run.init, SIGCONT);
		(void)heard(m, WCONTINUED);
	}
	if (m->stopped || spawns)
		m->quiet = false;
	m->stopped = false;
	r = outbox_put(&m->to_init, o);
	m->unheard = spawns ? o->head.id : 0;
	if (r > 0 && m->on_init)
		loop_modify(m->loop, m->on_init, EPOLLIN | EPOLLOUT);
	return MIN(r, 0);
}

bool monitor_quiet_is(struct monitor *m)
{
	if (m->quiet && (m->look_failed || (m->stopped && heard(m, WCONTINUED))))
		m->quiet = false; /* for good: it is heard of once */
	return m->quiet;
}
