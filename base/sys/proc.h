/* sys_proc - doors for processes, signals, waiting, terminals. Included by base/sys/sys.h
 * alone. */
#ifndef BASE_SYS_PROC_H
#define BASE_SYS_PROC_H

#include <fcntl.h>
#include <grp.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include "base/sys/ret.h"

/**
 * sys_clone3() - clone with the flags of linux/sched.h; the child returns 0
 *
 * Like fork: no stack is given. Source: clone(2). -ENOSYS before 5.3 and under the
 * default filters of some container engines.
 */
static inline pid_t sys_clone3(struct clone_args *args)
{
	return (pid_t)sys_ret(syscall(SYS_clone3, args, sizeof(*args)));
}

/* The older call, for where clone3 is filtered. @pidfd may be NULL. */
static inline pid_t sys_clone(unsigned long flags, int *pidfd)
{
	if (pidfd)
		flags |= CLONE_PIDFD;
	return (pid_t)sys_ret(
		syscall(SYS_clone, flags | SIGCHLD, NULL, pidfd, NULL, NULL));
}

/* Shares its memory, so nothing is copied, and errno: it makes no call that can fail. */
static inline int sys_clone_hold_(void *parent)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
	while (getppid() == *(const pid_t *)parent)
		pause();
	_exit(0);
}

/**
 * sys_clone_hold() - a process that only holds the namespaces @flags until it is killed,
 * or its parent ends
 * @stack: of SYS_HOLD_STACK bytes, used until it has been waited for
 */
enum { SYS_HOLD_STACK = 16384 };

static inline pid_t sys_clone_hold(unsigned long flags, char *stack)
{
	pid_t *self = (void *)(stack + SYS_HOLD_STACK - 64);

	*self = getpid();
	return (pid_t)sys_ret(
		clone(sys_clone_hold_, self, (int)(flags | CLONE_VM | SIGCHLD), self));
}

static inline pid_t sys_fork(void)
{
	return (pid_t)sys_ret(fork());
}

static inline int sys_execve(const char *path, char *const argv[], char *const env[])
{
	return (int)sys_ret(execve(path, argv, env));
}

static inline int sys_execveat(int dirfd, const char *path, char *const argv[],
			       char *const env[], int flags)
{
	return (int)sys_ret(syscall(SYS_execveat, dirfd, path, argv, env, flags));
}

static inline _Noreturn void sys_exit(int status)
{
	_exit(status);
}

static inline int sys_waitid(idtype_t type, id_t id, siginfo_t *ret, int options)
{
	return (int)sys_retry(waitid(type, id, ret, options));
}

static inline int sys_kill(pid_t pid, int sig)
{
	return (int)sys_ret(kill(pid, sig));
}

static inline int sys_pidfd_open(pid_t pid)
{
	return (int)sys_ret(syscall(SYS_pidfd_open, pid, 0));
}

static inline int sys_pidfd_send_signal(int pidfd, int sig)
{
	return (int)sys_ret(syscall(SYS_pidfd_send_signal, pidfd, sig, NULL, 0));
}

static inline int sys_pidfd_getfd(int pidfd, int fd)
{
	return (int)sys_ret(syscall(SYS_pidfd_getfd, pidfd, fd, 0));
}

static inline pid_t sys_getpid(void)
{
	return (pid_t)sys_ret(getpid());
}

static inline uid_t sys_geteuid(void)
{
	return (uid_t)sys_ret(geteuid());
}

static inline gid_t sys_getegid(void)
{
	return (gid_t)sys_ret(getegid());
}

static inline pid_t sys_setsid(void)
{
	return (pid_t)sys_ret(setsid());
}

static inline pid_t sys_getpgid(pid_t pid)
{
	return (pid_t)sys_ret(getpgid(pid));
}

static inline int sys_setresuid(uid_t r, uid_t e, uid_t s)
{
	return (int)sys_ret(setresuid(r, e, s));
}

static inline int sys_setresgid(gid_t r, gid_t e, gid_t s)
{
	return (int)sys_ret(setresgid(r, e, s));
}

static inline int sys_getgroups(int n, gid_t *ret)
{
	return (int)sys_ret(getgroups(n, ret));
}

static inline int sys_setgroups(size_t n, const gid_t *groups)
{
	return (int)sys_ret(setgroups(n, groups));
}

static inline int sys_prctl(int op, unsigned long a, unsigned long b, unsigned long c,
			    unsigned long d)
{
	return (int)sys_ret(prctl(op, a, b, c, d));
}

static inline int sys_uname(struct utsname *ret)
{
	return (int)sys_ret(uname(ret));
}

static inline int sys_seccomp(unsigned op, unsigned flags, void *arg)
{
	return (int)sys_ret(syscall(SYS_seccomp, op, flags, arg));
}

/* Of Landlock only scopes are used; the headers of older systems do not have them. */
enum { LANDLOCK_SCOPE_ABSTRACT = 1 };

static inline int sys_landlock_abi(void)
{
	return (int)sys_ret(syscall(444 /* landlock_create_ruleset */, NULL, 0, 1));
}

static inline int sys_landlock_scope(uint64_t scopes)
{
	const uint64_t attr[3] = { [2] = scopes }; /* files, ports, scopes */

	return (int)sys_ret(syscall(444, attr, sizeof(attr), 0));
}

static inline int sys_landlock_restrict(int ruleset)
{
	return (int)sys_ret(syscall(446 /* landlock_restrict_self */, ruleset, 0));
}

/** sys_seccomp_listen() - install a filter that may answer "ask the listener"; returns the
 *  listener. @flags: more SECCOMP_FILTER_FLAG_… */
static inline int sys_seccomp_listen(unsigned flags, void *prog)
{
	return (int)sys_ret(syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER,
				    flags | SECCOMP_FILTER_FLAG_NEW_LISTENER, prog));
}

/* @ret is all zeros before. -ENOENT: whoever asked has gone meanwhile. */
static inline int sys_notif_recv(int listener, struct seccomp_notif *ret)
{
	return (int)sys_ret(ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, ret));
}

static inline int sys_notif_send(int listener, struct seccomp_notif_resp *resp)
{
	return (int)sys_ret(ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, resp));
}

/* 0 = the process that asked is still there, and waits. */
static inline int sys_notif_valid(int listener, uint64_t id)
{
	return (int)sys_ret(ioctl(listener, SECCOMP_IOCTL_NOTIF_ID_VALID, &id));
}

/* From 6.6 on: who asks and who answers take turns on one processor, which is several times
 * as fast. Headers of older systems do not have the number. */
static inline int sys_notif_in_turns(int listener)
{
	return (int)sys_ret(ioctl(listener, SECCOMP_IOW(4, uint64_t), 1));
}

/* Returns the number that the descriptor has there. */
static inline int sys_notif_addfd(int listener, struct seccomp_notif_addfd *add)
{
	return (int)sys_ret(ioctl(listener, SECCOMP_IOCTL_NOTIF_ADDFD, add));
}

/* The identity by which files are judged, of this thread alone. The call says nothing of
 * its success; a second one does. */
static inline int sys_setfsuid(uid_t uid)
{
	syscall(SYS_setfsuid, uid);
	return (uid_t)sys_ret(syscall(SYS_setfsuid, -1)) == uid ? 0 : -EPERM;
}

static inline int sys_setfsgid(gid_t gid)
{
	syscall(SYS_setfsgid, gid);
	return (gid_t)sys_ret(syscall(SYS_setfsgid, -1)) == gid ? 0 : -EPERM;
}

static inline int sys_chroot(const char *path)
{
	return (int)sys_ret(chroot(path));
}

static inline long sys_keyctl(int op, unsigned long a)
{
	return sys_ret(syscall(SYS_keyctl, op, a, 0, 0, 0));
}

static inline int sys_getrlimit(int what, struct rlimit *ret)
{
	return (int)sys_ret(getrlimit((__rlimit_resource_t)what, ret));
}

static inline int sys_setrlimit(int what, const struct rlimit *lim)
{
	return (int)sys_ret(setrlimit((__rlimit_resource_t)what, lim));
}

static inline int sys_close_range(unsigned first, unsigned last, unsigned flags)
{
	return (int)sys_ret(syscall(SYS_close_range, first, last, flags));
}

static inline int sys_sigprocmask(int how, const sigset_t *set, sigset_t *old)
{
	return (int)sys_ret(sigprocmask(how, set, old));
}

static inline int sys_sigaction(int sig, const struct sigaction *act,
				struct sigaction *old)
{
	return (int)sys_ret(sigaction(sig, act, old));
}

/* Also of 32 and 33, which libc keeps for itself: posix_spawn(3) leaves them ignored in
 * what it starts, and exec keeps that. */
static inline int sys_signal_default(int sig)
{
	const unsigned long plain[4] = { 0 }; /* handler, flags, restorer, mask */

	return (int)sys_ret(syscall(SYS_rt_sigaction, sig, plain, NULL, 8));
}

static inline int sys_signalfd(const sigset_t *set)
{
	return (int)sys_ret(signalfd(-1, set, SFD_CLOEXEC | SFD_NONBLOCK));
}

/* One signal of @set: its number, -EAGAIN when none came in time (NULL = no end), or
 * -EINTR. */
static inline int sys_sigtimedwait(const sigset_t *set, const struct timespec *timeout)
{
	return (int)sys_ret(timeout ? sigtimedwait(set, NULL, timeout)
				    : sigwaitinfo(set, NULL));
}

static inline int sys_eventfd(unsigned first)
{
	return (int)sys_ret(eventfd(first, EFD_CLOEXEC | EFD_NONBLOCK));
}

/* Monotonic; reads 8 bytes, the number of times that it fired. */
static inline int sys_timerfd(void)
{
	return (int)sys_ret(
		timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK));
}

/* Relative; all zero disarms. */
static inline int sys_timerfd_set(int fd, const struct itimerspec *when)
{
	return (int)sys_ret(timerfd_settime(fd, 0, when, NULL));
}

/* SIGALRM after it.it_value, then each it_interval; all zero disarms. */
static inline int sys_setitimer(const struct itimerval *it)
{
	return (int)sys_ret(setitimer(ITIMER_REAL, it, NULL));
}

static inline int sys_epoll_create(void)
{
	return (int)sys_ret(epoll_create1(EPOLL_CLOEXEC));
}

static inline int sys_epoll_ctl(int ep, int op, int fd, struct epoll_event *ev)
{
	return (int)sys_ret(epoll_ctl(ep, op, fd, ev));
}

/* Processors that this process may run on. */
static inline int sys_processors(void)
{
	cpu_set_t set;
	int r = (int)sys_ret(sched_getaffinity(0, sizeof(set), &set));

	return r < 0 ? r : CPU_COUNT(&set);
}

static inline int sys_epoll_wait(int ep, struct epoll_event *evs, int n, int timeout_ms)
{
	return (int)sys_ret(epoll_wait(ep, evs, n, timeout_ms));
}

static inline int sys_poll(struct pollfd *fds, unsigned n, int timeout_ms)
{
	return (int)sys_ret(poll(fds, n, timeout_ms));
}

static inline ssize_t sys_getrandom(void *buf, size_t n)
{
	return (ssize_t)sys_retry(getrandom(buf, n, 0));
}

static inline ssize_t sys_process_vm_readv(pid_t pid, const struct iovec *to,
					   const struct iovec *from)
{
	return (ssize_t)sys_ret(process_vm_readv(pid, to, 1, from, 1, 0));
}

static inline int sys_nanosleep(const struct timespec *t)
{
	return (int)sys_ret(nanosleep(t, NULL));
}

static inline int sys_isatty(int fd)
{
	return (int)sys_ret(ioctl(fd, TCGETS, &(struct termios){ 0 }));
}

static inline int sys_tcgetattr(int fd, struct termios *ret)
{
	return (int)sys_ret(tcgetattr(fd, ret));
}

static inline int sys_tcsetattr(int fd, int when, const struct termios *t)
{
	return (int)sys_ret(tcsetattr(fd, when, t));
}

static inline int sys_tcflush(int fd, int queue)
{
	return (int)sys_ret(tcflush(fd, queue));
}

static inline int sys_get_winsize(int fd, struct winsize *ret)
{
	return (int)sys_ret(ioctl(fd, TIOCGWINSZ, ret));
}

static inline int sys_set_winsize(int fd, const struct winsize *ws)
{
	return (int)sys_ret(ioctl(fd, TIOCSWINSZ, ws));
}

static inline pid_t sys_tcgetpgrp(int fd)
{
	return (pid_t)sys_ret(tcgetpgrp(fd));
}

/* The leader of the session whose terminal this is; a pty master may ask too. */
static inline pid_t sys_tcgetsid(int fd)
{
	return (pid_t)sys_ret(tcgetsid(fd));
}

static inline int sys_ctty(int fd)
{
	return (int)sys_ret(ioctl(fd, TIOCSCTTY, 0));
}

static inline int sys_pty_unlock(int fd)
{
	return (int)sys_ret(ioctl(fd, TIOCSPTLCK, &(int){ 0 }));
}

/* The number of a pty master: its other end is character device 136:number. */
static inline int sys_pty_number(int fd, unsigned *ret)
{
	return (int)sys_ret(ioctl(fd, TIOCGPTN, ret));
}

/* Opens the other end of a pty master without a path (4.13). */
static inline int sys_pty_peer(int fd, int flags)
{
	return (int)sys_ret(ioctl(fd, TIOCGPTPEER, flags | O_CLOEXEC));
}

static inline int sys_pending(int fd, int *ret)
{
	return (int)sys_ret(ioctl(fd, FIONREAD, ret));
}

/* Monotonic microseconds, milliseconds; cannot fail. */
static inline uint64_t sys_now_us(void)
{
	struct timespec t = { 0 };

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000 + (uint64_t)t.tv_nsec / 1000;
}

static inline uint64_t sys_now_ms(void)
{
	struct timespec t = { 0 };

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

/* Milliseconds of processor time that this thread has used; cannot fail. */
static inline uint64_t sys_cpu_ms(void)
{
	struct timespec t = { 0 };

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

/* Seconds and nanoseconds since 1970; cannot fail. */
static inline struct timespec sys_wall(void)
{
	struct timespec t = { 0 };

	clock_gettime(CLOCK_REALTIME, &t);
	return t;
}

/* When the computer was started, in seconds since 1970; cannot fail. */
static inline int64_t sys_boot_s(void)
{
	struct timespec t = { 0 };

	clock_gettime(CLOCK_BOOTTIME, &t);
	return sys_wall().tv_sec - t.tv_sec;
}

#endif
