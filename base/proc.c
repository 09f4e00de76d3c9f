#include "base/proc.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/procfs.h"
#include "base/scope.h"
#include "base/sys/sys.h"
#include "base/text.h"

enum {
	FD_SAFE = 10, /* copies go above what the child will use: 0 to 3 */
	FD_LIMIT = 4096,
	CHUNK = 64 << 10,
};

/* ---- between fork and exec: doors, fixed buffers and sys_exit() ---------- */

struct child {
	const struct proc_conf *conf;
	const char *path;
	int status_fd; /* takes a struct err when something fails */
};

static void default_signals(void)
{
	struct sigaction dfl = { .sa_handler = SIG_DFL };
	sigset_t none;

	for (int sig = 1; sig < _NSIG; sig++)
		(void)sys_sigaction(sig, &dfl, NULL); /* not for KILL and STOP */
	sigemptyset(&none);
	(void)sys_sigprocmask(SIG_SETMASK, &none, NULL);
}

/* Before 5.11 close_range() cannot mark; remove the loop with support for 5.10. */
static void mark_cloexec(unsigned first)
{
	if (!sys_close_range(first, ~0U, CLOSE_RANGE_CLOEXEC))
		return;
	for (int fd = (int)first; fd < FD_LIMIT; fd++)
		(void)sys_setfd(fd, FD_CLOEXEC);
}

static int place_fds(const struct proc_conf *conf)
{
	int from[4] = { conf->fds[0], conf->fds[1], conf->fds[2], conf->pass_fd };

	for (int i = 0; i < 4; i++) {
		if (from[i] < 0 && i == 3)
			break;
		if (from[i] < 0)
			from[i] = sys_open("/dev/null", O_RDWR);
		if (from[i] >= 0)
			from[i] = sys_dup(from[i], FD_SAFE);
		if (from[i] < 0)
			return from[i];
	}
	for (int i = 0; i < 4; i++) {
		int r = i == 3 && from[i] < 0 ? 0 : sys_dup2(from[i], i);

		if (r < 0)
			return r;
	}
	mark_cloexec(conf->pass_fd < 0 ? 3 : 4);
	return 0;
}

unsigned proc_files(unsigned n)
{
	struct rlimit lim;
	rlim_t was;

	if (sys_getrlimit(RLIMIT_NOFILE, &lim) < 0)
		return 0;
	was = lim.rlim_cur;
	lim.rlim_cur = MIN((rlim_t)n, lim.rlim_max);
	(void)sys_setrlimit(RLIMIT_NOFILE, &lim);
	return (unsigned)MIN(was, (rlim_t)UINT_MAX);
}

static _noreturn_ void child_run(const struct child *c)
{
	const struct proc_conf *conf = c->conf;
	int status_fd = sys_dup(c->status_fd, FD_SAFE);
	struct err e = ERR_NONE;
	int r;

	default_signals();
	r = conf->new_session ? sys_setsid() : 0;
	if (r >= 0 && conf->dir)
		r = sys_chdir(conf->dir);
	if (r >= 0)
		r = place_fds(conf);
	if (conf->files)
		(void)proc_files(conf->files);
	if (r >= 0)
		r = sys_execve(c->path, (char *const *)(uintptr_t)conf->argv,
			       conf->env ? (char *const *)(uintptr_t)conf->env
					 : environ);
	err_sys(&e, r, "cannot run '%s'", conf->argv[0]);
	(void)sys_write(status_fd, &e, sizeof(e));
	sys_exit(127);
}

/* ---- the parent ---------------------------------------------------------- */

/* Belongs to the process, as PATH does. */
static struct {
	proc_path_fn *settle;
	char about[PATH_MAX];
} path_later;

int proc_path_later(proc_path_fn *settle, const char *about, struct err *e)
{
	int r = proc_path_settle(e);

	if (r < 0)
		return r;
	r = text_copy(path_later.about, sizeof(path_later.about), about);
	if (r < 0)
		return err_sys(e, r, "cannot set PATH");
	path_later.settle = settle;
	/* A new variable may move the others from under a thread that reads them. */
	return getenv("PATH") ? 0 : proc_path_settle(e);
}

int proc_path_settle(struct err *e)
{
	proc_path_fn *settle = path_later.settle;
	int r;

	if (!settle)
		return 0;
	path_later.settle = NULL; /* it may look for programs itself */
	r = settle(path_later.about, e);
	if (r < 0)
		path_later.settle = settle;
	return r;
}

/* Also of a program whose path is known: it gets PATH with the environment. */
static int find_program(const char *name, char *ret, struct err *e)
{
	int r = proc_path_settle(e);

	if (r < 0)
		return r;
	r = strchr(name, '/') ? text_copy(ret, PATH_MAX, name) : proc_find(name, ret);
	return r < 0 ? err_sys(e, r, "cannot run '%s'", name) : 0;
}

/* The pipe closes at the exec, or brings the reason why there was none. */
static int await_exec(int status_fd, struct err *e)
{
	struct err got;
	ssize_t n = sys_read(status_fd, &got, sizeof(got));

	if (n == 0)
		return 0;
	if (n != sizeof(got))
		return err_sys(e, n < 0 ? (int)n : -EIO, "cannot start a process");
	*e = got;
	return e->code;
}

int proc_start(const struct proc_conf *conf, struct proc *ret, struct err *e)
{
	_cleanup_(proc_done) struct proc p = PROC_NONE;
	_cleanup_close_ int read_fd = -1, write_fd = -1;
	char path[PATH_MAX];
	int pipe_fds[2];
	int r = find_program(conf->argv[0], path, e);

	if (r < 0)
		return r;
	r = sys_pipe2(pipe_fds, 0);
	if (r < 0)
		return err_sys(e, r, "cannot start '%s'", conf->argv[0]);
	read_fd = pipe_fds[0];
	write_fd = pipe_fds[1];
	p.pid = sys_fork();
	if (!p.pid)
		child_run(&(struct child){ conf, path, write_fd });
	if (p.pid < 0)
		return err_sys(e, p.pid, "cannot start '%s'", conf->argv[0]);
	p.pidfd = sys_pidfd_open(p.pid);
	if (p.pidfd < 0)
		return err_sys(e, p.pidfd, "cannot watch '%s'", conf->argv[0]);
	scope_close(&write_fd);
	r = await_exec(read_fd, e);
	if (r < 0)
		return r;
	*ret = take(&p, PROC_NONE);
	return 0;
}

/* ---- a copy instead of another program ----------------------------------- */

static bool has_threads(void)
{
	struct stat st;

	/* Each thread is a directory; "." and the parent's entry count as well. */
	return sys_fstatat(AT_FDCWD, "/proc/self/task", &st, 0) < 0 || st.st_nlink != 3;
}

/* The kernel shows as command line what stands between two addresses: the strings of our
 * own argv. */
static void rename_self(const char *const *argv)
{
	struct procfs_stat st;
	char *at, *end;

	if (procfs_stat(AT_FDCWD, "/proc/self/stat", &st) < 0 || st.args >= st.args_end)
		return;
	at = (char *)(uintptr_t)st.args;
	end = (char *)(uintptr_t)st.args_end;
	memset(at, 0, (size_t)(end - at));
	for (int i = 0; i < 2 && argv[i]; i++) {
		size_t n = MIN(strlen(argv[i]), (size_t)(end - at - 1));

		memcpy(at, argv[i], n);
		at += n + (n < (size_t)(end - at - 1));
	}
}

static _noreturn_ void copy_run(const struct proc_conf *conf, int (*run)(void))
{
	default_signals();
	if ((conf->new_session && sys_setsid() < 0) || place_fds(conf) < 0)
		sys_exit(127);
	(void)sys_close_range(conf->pass_fd < 0 ? 3 : 4, ~0U, 0);
	rename_self(conf->argv);
	sys_exit(run());
}

int proc_fork(const struct proc_conf *conf, int (*run)(void), struct proc *ret,
	      struct err *e)
{
	_cleanup_(proc_done) struct proc p = PROC_NONE;

	if (has_threads())
		return err_set(e, -EBUSY, "cannot copy a process that has threads");
	p.pid = sys_fork();
	if (!p.pid)
		copy_run(conf, run);
	if (p.pid < 0)
		return err_sys(e, p.pid, "cannot start '%s'", conf->argv[0]);
	p.pidfd = sys_pidfd_open(p.pid);
	if (p.pidfd < 0)
		return err_sys(e, p.pidfd, "cannot watch '%s'", conf->argv[0]);
	*ret = take(&p, PROC_NONE);
	return 0;
}

/* Milliseconds for poll() until @deadline_ms; 0 = no deadline. */
static int poll_ms(uint64_t deadline_ms)
{
	uint64_t now = sys_now_ms();

	if (!deadline_ms)
		return -1;
	return now >= deadline_ms ? 0 : (int)MIN(deadline_ms - now, (uint64_t)INT_MAX);
}

static uint64_t deadline(int timeout_ms)
{
	return timeout_ms < 0 ? 0 : sys_now_ms() + (uint64_t)timeout_ms;
}

static int await_end(int pidfd, uint64_t deadline_ms)
{
	struct pollfd p = { .fd = pidfd, .events = POLLIN };

	for (;;) {
		int ms = poll_ms(deadline_ms);
		int r = sys_poll(&p, 1, ms);

		if (r > 0)
			return 0;
		if (r < 0 && r != -EINTR)
			return r;
		if (!r && !ms)
			return -ETIMEDOUT;
	}
}

static int reap(struct proc *p, int *status)
{
	siginfo_t si = { 0 };
	int r = sys_waitid(P_PID, (id_t)p->pid, &si, WEXITED);

	if (r < 0)
		return r;
	scope_close(&p->pidfd);
	*p = PROC_NONE;
	*status = si.si_code == CLD_EXITED ? si.si_status : 128 + si.si_status;
	return 0;
}

int proc_wait(struct proc *p, int timeout_ms, int *status, struct err *e)
{
	pid_t pid = p->pid;
	int r = await_end(p->pidfd, deadline(timeout_ms));

	if (!r)
		r = reap(p, status);
	if (r == -ETIMEDOUT)
		return err_set(e, r, "process %d still runs", pid);
	return r < 0 ? err_sys(e, r, "cannot wait for process %d", pid) : 0;
}

void proc_done(struct proc *p)
{
	int saved = errno, status;

	if (p->pid > 0) {
		/* By its number: it was not reaped, so the number is still its own. */
		(void)sys_kill(p->pid, SIGKILL);
		(void)reap(p, &status);
	}
	scope_close(&p->pidfd);
	*p = PROC_NONE;
	errno = saved;
}

/* ---- run to the end ------------------------------------------------------ */

/* The output of the program: a pipe and where its bytes go. */
struct sink {
	struct buf *buf; /* borrowed; NULL = not wanted */
	int fd;		 /* owned; -1 = at its end */
	int child_fd;	 /* owned; -1 = /dev/null */
};

static void sink_done(struct sink *s)
{
	scope_close(&s->fd);
	scope_close(&s->child_fd);
}

static int sink_open(struct sink *s, struct buf *b)
{
	int fds[2], r;

	if (!b)
		return 0;
	r = sys_pipe2(fds, 0);
	if (r < 0)
		return r;
	*s = (struct sink){ .buf = b, .fd = fds[0], .child_fd = fds[1] };
	return sys_setfl(s->fd, O_NONBLOCK);
}

/* Takes what is there; -1 goes into fd at the end. */
static int sink_drain(struct sink *s)
{
	while (s->fd >= 0) {
		size_t room = MIN(s->buf->max - s->buf->len, (size_t)CHUNK);
		char extra;
		ssize_t n;
		int r = buf_reserve(s->buf, room);

		if (r < 0)
			return r;
		n = room ? sys_read(s->fd, s->buf->data + s->buf->len, room)
			 : sys_read(s->fd, &extra, 1);
		if (n > 0 && !room)
			return -EMSGSIZE;
		if (n == -EAGAIN)
			return 0;
		if (n < 0)
			return (int)n;
		buf_commit(s->buf, (size_t)n);
		if (!n)
			scope_close(&s->fd);
	}
	return 0;
}

/* Until the program itself has ended: something that it left behind may keep the pipe
 * open for ever. */
static int collect(const struct proc *p, struct sink *s, uint64_t deadline_ms)
{
	for (;;) {
		struct pollfd fds[] = {
			{ .fd = p->pidfd, .events = POLLIN },
			{ .fd = s->fd, .events = POLLIN },
		};
		int ms = poll_ms(deadline_ms);
		int r = sys_poll(fds, ARRAY_SIZE(fds), ms);

		if (r == -EINTR)
			continue;
		if (!r && !ms)
			return -ETIMEDOUT;
		r = r < 0 ? r : sink_drain(s);
		if (r < 0 || fds[0].revents)
			return r;
	}
}

static int run_failed(const char *name, int code, int timeout_ms, struct err *e)
{
	if (code == -EMSGSIZE)
		return err_set(e, code, "'%s' printed more than expected", name);
	if (code == -ETIMEDOUT)
		return err_set(e, code, "'%s' did not end within %s", name,
			       text_ms((uint64_t)timeout_ms));
	return err_sys(e, code, "cannot run '%s'", name);
}

int proc_run(const char *const *argv, int timeout_ms, struct buf *out, struct err *e)
{
	_cleanup_(sink_done) struct sink s = { .fd = -1, .child_fd = -1 };
	_cleanup_proc_ struct proc p = PROC_NONE;
	struct proc_conf conf = { .argv = argv, .pass_fd = -1 };
	int r = sink_open(&s, out), status;

	if (r < 0)
		return err_sys(e, r, "cannot run '%s'", argv[0]);
	conf.fds[0] = conf.fds[2] = -1;
	conf.fds[1] = s.child_fd;
	r = proc_start(&conf, &p, e);
	if (r < 0)
		return r;
	scope_close(&s.child_fd);
	r = collect(&p, &s, deadline(timeout_ms));
	if (r >= 0)
		r = reap(&p, &status);
	return r < 0 ? run_failed(argv[0], r, timeout_ms, e) : status;
}

/* ---- where programs are -------------------------------------------------- */

static bool is_program(const char *path)
{
	struct stat st;

	return !sys_fstatat(AT_FDCWD, path, &st, 0) && S_ISREG(st.st_mode) &&
	       !sys_faccessat(AT_FDCWD, path, X_OK, AT_EACCESS);
}

/* Relative entries are passed over: the current directory belongs to the box. */
static int find_in(const char *dirs, const char *name, char *ret)
{
	char path[PATH_MAX];

	for (const char *d = dirs; d && *d;) {
		const char *end = strchrnul(d, ':');
		int n = snprintf(path, sizeof(path), "%.*s/%s", (int)(end - d), d,
				 name);

		if (*d == '/' && n > 0 && (size_t)n < sizeof(path) && is_program(path))
			return text_copy(ret, PATH_MAX, path);
		d = *end ? end + 1 : end;
	}
	return -ENOENT;
}

static const char usual_dirs[] =
	"/usr/local/sbin:/usr/sbin:/sbin:/usr/local/bin:/usr/bin:/bin";

int proc_find(const char *name, char *ret)
{
	int r = proc_path_settle(ERR_IGNORED);

	if (r < 0)
		return r;
	if (!*name || strchr(name, '/'))
		return -ENOENT;
	r = find_in(getenv("PATH"), name, ret);
	if (r < 0)
		r = find_in(usual_dirs, name, ret);
	return r;
}

enum { LINKS_MAX = 40 }; /* the kernel's */

static bool is_in(const char *path, const char *const *dirs)
{
	for (; *dirs; dirs++)
		if (text_is_in(path, *dirs))
			return true;
	return false;
}

/* Where a path leads, walked name by name as the kernel does it. */
struct way {
	char at[PATH_MAX];   /* so far, without a link; "" = the root */
	char rest[PATH_MAX]; /* what is left */
	size_t given;	     /* bytes at the end of rest that are not of a link */
	unsigned links;
};

/* The rest leads on from where the link @to points; false = it is too long. */
static bool follow(struct way *w, const char *to, const char *rest)
{
	char whole[PATH_MAX];
	int n = snprintf(whole, sizeof(whole), "%s/%s", to, rest);

	if (n < 0 || n >= PATH_MAX)
		return false;
	memcpy(w->rest, whole, (size_t)n + 1);
	w->given = strlen(rest);
	w->at[*to == '/' ? 0 : strrchr(w->at, '/') - w->at] = '\0';
	return true;
}

/* Asks about each name once: @plain is a path that was found to be without links, and what
 * lies above it is, too. A link that leads nowhere yet may lead anywhere tomorrow. */
static bool leads(struct way *w, const char *const *dirs, char plain[PATH_MAX])
{
	bool there = true;

	for (const char *p = w->rest; *(p += strspn(p, "/"));) {
		const char *end = strchrnul(p, '/'), *rest = end + (*end == '/');
		size_t len = strlen(w->at);
		char to[PATH_MAX];
		ssize_t n;

		if (strncmp(p, "..", (size_t)(end - p)) == 0) { /* or "." */
			if (end - p == 2)
				*(strrchr(w->at, '/') ?: w->at) = '\0';
			p = end;
			continue;
		}
		if (snprintf(w->at + len, PATH_MAX - len, "/%.*s", (int)(end - p), p) >=
		    (int)(PATH_MAX - len))
			return false; /* to the kernel, too */
		p = end;
		if (is_in(w->at, dirs))
			return true;
		if (!there || text_is_in(plain, w->at))
			continue;
		n = sys_readlinkat(AT_FDCWD, w->at, to, sizeof(to) - 1);
		if (n == -EINVAL) {
			memcpy(plain, w->at, strlen(w->at) + 1);
			continue;
		}
		there = n >= 0;
		if (!there && w->links && strlen(rest) >= w->given)
			return true;
		if (!there)
			continue;
		to[n] = '\0';
		if (++w->links > LINKS_MAX || !follow(w, to, rest))
			return true;
		p = w->rest;
	}
	return false;
}

static bool leads_into(const char *path, const char *const *dirs, char plain[PATH_MAX])
{
	struct way w = { .links = 0 };

	return text_copy(w.rest, sizeof(w.rest), path) == 0 && leads(&w, dirs, plain);
}

bool proc_path_is_usual(void)
{
	for (const char *d = getenv("PATH") ?: usual_dirs; *d; d += *d == ':') {
		size_t n = strcspn(d, ":");
		const char *at = usual_dirs;

		while (*at && (strcspn(at, ":") != n || strncmp(at, d, n) != 0))
			at += strcspn(at, ":"), at += *at == ':';
		if (!*at)
			return false;
		d += n;
	}
	return true;
}

bool proc_leads_into(const char *path, const char *dir)
{
	char plain[PATH_MAX] = "";

	return leads_into(path, (const char *const[]){ dir, NULL }, plain);
}

int proc_path_without(const char *const *dirs, struct buf *ret)
{
	_cleanup_free_ char *all = strdup(getenv("PATH") ?: usual_dirs);
	char plain[PATH_MAX] = "", *rest = all;
	int r = all ? 0 : -ENOMEM;

	for (const char *entry; r == 0 && (entry = strsep(&rest, ":"));)
		if (*entry == '/' && !leads_into(entry, dirs, plain))
			r = buf_addf(ret, "%s%s", ret->len ? ":" : "", entry);
	/* An empty one would mean the current directory to many. */
	return r < 0 || ret->len ? r : buf_adds(ret, usual_dirs);
}

int proc_self(char *ret, struct err *e)
{
	char path[PATH_MAX];
	ssize_t n = sys_readlinkat(AT_FDCWD, "/proc/self/exe", path, sizeof(path) - 1);

	if (n < 0)
		return err_sys(e, (int)n, "cannot read '/proc/self/exe'");
	path[n] = '\0';
	/* Replaced by an update while it runs: the link itself still leads to it. */
	if (text_ends(path, " (deleted)"))
		text_copy(path, sizeof(path), "/proc/self/exe");
	return text_copy(ret, PATH_MAX, path);
}
