/* Theory of operation
 *
 * The kernel knows exactly who reads the terminal: the foreground group is asked of the
 * pty's master, and /proc says for every task of that group in which system call it
 * sleeps. A read of this terminal is a wait, whatever the mode. A poll is one only when
 * the terminal is in raw mode (programs of lines do not poll for them) and no other
 * task of the group is at work, or when the terminal is all that is polled for.
 *
 * Programs that put another program on a terminal of its own (sudo, script, apt for
 * dpkg) sit in raw mode and poll for both. They hold the master of that inner terminal,
 * which is then looked at in the same way. */
#include "agent/session/waiting.h"

#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/sysmacros.h>

#include "agent/session/procs.h"
#include "agent/session/waiting_calls.h"
#include "base/scope.h"
#include "base/sys/sys.h"

enum {
	DEPTH = 4, /* terminals within terminals */
	PTS_MAJOR = 136,
	PTS_PER_MAJOR = 256,
	INSIDE_MAX = 256,  /* processes of the foreground whose children are theirs */
	LONG_WAIT_S = 1,   /* shorter ones are over before anybody could answer */
	SELECT_SET = 1024, /* bits that are looked at */
	NEW_TICKS = 2	   /* of a processor; what a copy takes to be a program */
};

struct look {
	int master;  /* borrowed */
	dev_t tty;   /* the slave's device number */
	pid_t group; /* in the foreground */
	bool raw, no_echo;
	pid_t pid;		  /* whose tasks are looked at */
	pid_t inside[INSIDE_MAX]; /* the group and what is below it */
	size_t n_inside;
	bool busy;  /* a task of the group runs */
	int denied; /* what the kernel said instead of an answer */
	pid_t reader_pid, reader, poller_pid, poller; /* tasks; 0 = none yet */
	pid_t poller_only; /* one that polls for the terminal alone */
};

static bool is_tty(const struct look *l, int fd)
{
	dev_t dev = procs_fd_device(l->pid, fd);

	return dev && (dev == l->tty || dev == makedev(5, 0)); /* /dev/tty */
}

static bool read_memory(const struct look *l, uint64_t at, void *ret, size_t len)
{
	struct iovec to = { ret, len };
	struct iovec from = { (void *)(uintptr_t)at, len };

	return sys_process_vm_readv(l->pid, &to, &from) == (ssize_t)len;
}

/* Seconds are 64 bits in every 64-bit mode, in timeval as in timespec. NULL: for ever. */
static bool is_long(const struct look *l, uint64_t at)
{
	int64_t seconds;

	return !at || (read_memory(l, at, &seconds, sizeof(seconds)) &&
		       seconds >= LONG_WAIT_S);
}

static bool poll_is_long(const struct look *l, const struct procs_call *c)
{
	int ms = (int)c->args[2];

	if (waiting_calls_poll_ms(c->nr))
		return ms < 0 || ms >= LONG_WAIT_S * 1000;
	return is_long(l, c->args[2]);
}

/* Is this terminal all that is polled for, and for longer than a glance? */
static bool polls_tty_alone(const struct look *l, const struct procs_call *c)
{
	struct pollfd p;

	return c->args[1] == 1 && poll_is_long(l, c) &&
	       read_memory(l, c->args[0], &p, sizeof(p)) && (p.events & POLLIN) &&
	       is_tty(l, p.fd);
}

static bool selects_tty_alone(const struct look *l, const struct procs_call *c)
{
	unsigned char set[SELECT_SET / 8] = { 0 };
	size_t n = MIN((size_t)c->args[0], (size_t)SELECT_SET);
	int only = -1;

	if (!c->args[1] || !is_long(l, c->args[4]) ||
	    !read_memory(l, c->args[1], set, (n + 7) / 8))
		return false;
	for (size_t i = 0; i < n; i++) {
		if (!(set[i / 8] >> i % 8 & 1))
			continue;
		if (only >= 0)
			return false;
		only = (int)i;
	}
	return only >= 0 && is_tty(l, only);
}

static void look_at_call(struct look *l, pid_t tid, const struct procs_call *c)
{
	bool is_32bit = waiting_calls_both(c->nr) && procs_is_32bit(l->pid);
	enum waiting_call kind = waiting_calls_kind(c->nr, is_32bit);

	if (kind == WAITING_CALL_OTHER)
		return;
	if (kind == WAITING_CALL_READ) {
		if (!l->reader && is_tty(l, (int)c->args[0])) {
			l->reader = tid;
			l->reader_pid = l->pid;
		}
		return;
	}
	if (!l->poller) {
		l->poller = tid;
		l->poller_pid = l->pid;
	}
	if (!l->poller_only && !l->raw && !is_32bit &&
	    ((kind == WAITING_CALL_POLL && polls_tty_alone(l, c)) ||
	     (kind == WAITING_CALL_SELECT && selects_tty_alone(l, c)))) {
		l->poller_only = tid;
		l->reader_pid = l->pid;
	}
}

/* Where the call is not told, the function that the task sleeps in may be. */
static void look_at_wchan(struct look *l, pid_t tid)
{
	char name[64];

	if (procs_wchan(l->pid, tid, name, sizeof(name)) < 0 || !*name)
		return;
	l->denied = 0;
	if (strcmp(name, "n_tty_read") == 0 ||
	    (strcmp(name, "wait_woken") == 0 && is_tty(l, 0))) {
		l->reader = tid;
		l->reader_pid = l->pid;
	} else if (strstr(name, "poll") || strstr(name, "select")) {
		l->poller = tid;
		l->poller_pid = l->pid;
	}
}

static int look_at_task(void *ctx, pid_t tid)
{
	struct look *l = ctx;
	struct procfs_stat st;
	struct procs_call call;
	int r;

	if (procs_stat(l->pid, tid, &st) < 0)
		return 0;
	if (st.state == 'R' || st.state == 'D')
		l->busy = true;
	if (st.state != 'S')
		return 0;
	r = procs_call(l->pid, tid, &call);
	if (r > 0) {
		look_at_call(l, tid, &call);
	} else if (r == -EPERM || r == -EACCES || r == -ENOENT) {
		l->denied = r == -ENOENT ? -EPERM : r;
		look_at_wchan(l, tid);
	}
	return 0;
}

/* In the foreground group, or below it: "su -c" runs its command in a session of its
 * own, which reads the terminal all the same. */
static bool is_inside(struct look *l, pid_t pid, const struct procfs_stat *st)
{
	bool inside = st->pgrp == l->group;

	for (size_t i = 0; i < l->n_inside && !inside; i++)
		inside = l->inside[i] == st->ppid;
	if (inside && l->n_inside < INSIDE_MAX)
		l->inside[l->n_inside++] = pid;
	return inside;
}

static int look_at_process(void *ctx, pid_t pid)
{
	struct look *l = ctx;
	struct procfs_stat st;

	if (procs_stat(pid, pid, &st) == 0 && is_inside(l, pid, &st)) {
		l->pid = pid;
		procs_tasks(pid, look_at_task, l);
	}
	return 0;
}

static int look_at_terminal(int master, struct look *l)
{
	struct termios t;
	unsigned number;
	pid_t leader = sys_tcgetsid(master);
	int r;

	*l = (struct look){ .master = master };
	if (leader < 0)
		return (int)leader;
	l->group = sys_tcgetpgrp(master);
	if (l->group <= 0 || leader == 0)
		return -ESRCH;
	r = sys_tcgetattr(master, &t);
	if (r >= 0)
		r = sys_pty_number(master, &number);
	if (r < 0)
		return r;
	l->raw = !(t.c_lflag & ICANON);
	l->no_echo = !(t.c_lflag & ECHO);
	l->tty = makedev(PTS_MAJOR + number / PTS_PER_MAJOR, number % PTS_PER_MAJOR);
	return procs_walk(leader, look_at_process, l);
}

static void judge(const struct look *l, struct waiting_sample *ret)
{
	pid_t who = l->reader ? l->reader : l->poller_only;
	pid_t pid = l->reader_pid;

	if (!who && l->raw && !l->busy && l->poller) {
		who = l->poller;
		pid = l->poller_pid;
	}
	if (!who)
		return;
	ret->tid = who;
	ret->polls = !l->reader;
	ret->reason = l->raw	   ? WAITING_KEY
		      : l->no_echo ? WAITING_PASSWORD
				   : WAITING_LINE;
	if (procs_switches(pid, who, &ret->switches) < 0)
		ret->switches = 0;
}

bool waiting_unread(int master)
{
	_cleanup_close_ int peer =
		sys_pty_peer(master, O_RDONLY | O_NOCTTY | O_NONBLOCK);
	struct pollfd p = { peer, POLLIN, 0 };

	/* a poll also makes the kernel's worker hand on what the master has written
	 * (n_tty_poll(), tty_buffer_flush_work()) */
	return peer >= 0 && sys_poll(&p, 1, 0) > 0 && p.revents & POLLIN;
}

/* Has the program printed what its relay has not passed on yet? As above, the poll makes
 * the kernel hand it on first. */
static bool holds_output(int master)
{
	struct pollfd p = { master, POLLIN, 0 };

	return sys_poll(&p, 1, 0) > 0 && p.revents & POLLIN;
}

int waiting_look(int master, struct waiting_sample *ret)
{
	struct waiting_sample s = { .reason = WAITING_NOT };
	_cleanup_close_ int inner = -1;
	struct look l;
	int r = 0;

	for (int depth = 0; depth < DEPTH; depth++) {
		int next;

		r = look_at_terminal(master, &l);
		if (r < 0 || l.reader || !l.poller || !l.raw)
			break;
		next = procs_master(l.poller_pid);
		if (next < 0)
			break;
		scope_close(&inner);
		master = inner = next;
		if (holds_output(master)) {
			*ret = s;
			return 0;
		}
	}
	if (r < 0)
		return r;
	judge(&l, &s);
	if (s.reason != WAITING_NOT && waiting_unread(master))
		s.reason = WAITING_NOT;
	else if (s.reason == WAITING_NOT && l.denied)
		return l.denied;
	*ret = s;
	return 0;
}

struct takers {
	pid_t leader, group;
	bool any, copy;
};

/* A copy of a shell that may be about to become a program: it runs, or waits for its own
 * copy or for a disk. One that sleeps is a subshell, one that computes is, too. */
static bool is_new(pid_t pid, const struct procfs_stat *st)
{
	return procs_is_copy(st) && (st->state == 'R' || st->state == 'D') &&
	       st->ticks < NEW_TICKS && procs_catches(pid, SIGINT);
}

static int find_taker(void *ctx, pid_t pid)
{
	struct takers *t = ctx;
	struct procfs_stat st;

	if (procs_stat(pid, pid, &st) < 0 || procs_ends(&st))
		return 0;
	if (st.pgrp == t->group)
		t->any = true;
	else if (t->group != t->leader || st.ppid != t->leader)
		return 0; /* one of the shell's is about to be in the foreground */
	t->copy = is_new(pid, &st);
	return t->copy;
}

enum waiting_taker waiting_taker(int master)
{
	struct takers t = { sys_tcgetsid(master), sys_tcgetpgrp(master), false, false };

	if (t.leader <= 0 || t.group <= 0 || procs_walk(t.leader, find_taker, &t) < 0)
		return WAITING_TAKER;
	if (t.copy)
		return WAITING_NEW;
	return t.any ? WAITING_TAKER : WAITING_NOBODY;
}
