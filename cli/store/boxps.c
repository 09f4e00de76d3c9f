#include "cli/store/boxps.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/dirscan.h"
#include "base/file.h"
#include "base/grow.h"
#include "base/num.h"
#include "base/procfs.h"
#include "base/sys/sys.h"
#include "base/text.h"

enum {
	BOXPS_FILE = 64 << 10,
	BOXPS_MAX = 1 << 16,
	ENDED_AT_ONCE = 256 /* descriptors; of each look at all processes, too */
};

void boxps_done(struct boxps *p)
{
	free(p->v);
	*p = BOXPS_NONE;
}

/* A process may end between two reads: then there is nothing to say of it. */
static int read_file(int proc, pid_t pid, const char *name, struct buf *ret)
{
	return file_read(proc, procfs_path("%d/%s", pid, name), ret, ERR_IGNORED);
}

static int read_stat(int proc, struct boxps_proc *p)
{
	struct procfs_stat st;

	if (procfs_stat(proc, procfs_path("%d/stat", p->host_pid), &st) < 0)
		return -ESRCH;
	p->state = st.state;
	p->host_parent = st.ppid;
	p->has_tty = st.tty != 0;
	p->cpu_ms = st.ticks * 1000 / (uint64_t)sysconf(_SC_CLK_TCK);
	p->rss_bytes = st.rss * (uint64_t)sysconf(_SC_PAGESIZE);
	return 0;
}

static int read_status(int proc, struct boxps_proc *p)
{
	_cleanup_buf_ struct buf b = BUF_INIT(PROCFS_STATUS);

	if (read_file(proc, p->host_pid, "status", &b) < 0)
		return -ESRCH;
	p->pid = procfs_inner(buf_cstr(&b));
	return p->pid ? 0 : -ESRCH;
}

/* As it is: who shows it escapes it. */
static void put_command(struct boxps_proc *p, const struct buf *words)
{
	_cleanup_buf_ struct buf b = BUF_INIT(3 * BOXPS_FILE);
	const char more[] = "…";
	size_t n = sizeof(p->command) - sizeof(more);

	(void)text_utf8(&b, words->data, words->len);
	if (b.len >= sizeof(p->command)) {
		while (n && (b.data[n] & 0xc0) == 0x80)
			n--;
		buf_truncate(&b, n);
		buf_adds(&b, more);
	}
	(void)text_copy(p->command, sizeof(p->command), buf_cstr(&b));
}

static void read_command(int proc, struct boxps_proc *p)
{
	_cleanup_buf_ struct buf b = BUF_INIT(BOXPS_FILE);

	if (read_file(proc, p->host_pid, "cmdline", &b) < 0 || !b.len) {
		buf_truncate(&b, 0);
		if (read_file(proc, p->host_pid, "comm", &b) < 0)
			return;
	}
	for (size_t i = 0; i < b.len; i++)
		if (!b.data[i])
			b.data[i] = ' ';
	while (b.len && strchr(" \n", b.data[b.len - 1]))
		buf_truncate(&b, b.len - 1);
	put_command(p, &b);
}

static int add(struct boxps *all, const struct boxps_proc *p)
{
	if (all->n >= BOXPS_MAX)
		return -E2BIG;
	if (!grow_room(all->v, all->n))
		return -ENOMEM;
	all->v[all->n++] = *p;
	return 0;
}

static int open_proc(struct err *e)
{
	int proc = sys_open("/proc", O_RDONLY | O_DIRECTORY);

	return proc < 0 ? err_sys(e, proc, "cannot open '/proc'") : proc;
}

/* Every process of this machine that can be seen. */
static int read_all(int proc, struct boxps *ret, struct err *e)
{
	struct dirscan scan;
	int r;

	dirscan_start(&scan, proc);
	while (dirscan_next(&scan)) {
		struct boxps_proc p = { .pid = 0 };
		uint64_t pid;

		if (num_range(scan.name, 1, INT32_MAX, &pid) < 0)
			continue;
		p.host_pid = (pid_t)pid;
		if (read_stat(proc, &p) < 0)
			continue;
		r = add(ret, &p);
		if (r < 0)
			return err_sys(e, r, "cannot list processes");
	}
	return dirscan_failed(&scan, e);
}

static int by_host_pid(const void *a, const void *b)
{
	const struct boxps_proc *x = a, *y = b;

	return (x->host_pid > y->host_pid) - (x->host_pid < y->host_pid);
}

static int by_pid(const void *a, const void *b)
{
	const struct boxps_proc *x = a, *y = b;

	return (x->pid > y->pid) - (x->pid < y->pid);
}

static const struct boxps_proc *find(const struct boxps *all, pid_t host_pid)
{
	const struct boxps_proc key = { .host_pid = host_pid };

	return bsearch(&key, all->v, all->n, sizeof(key), by_host_pid);
}

/* Up from parent to parent; a list that changed meanwhile can hold no endless way. */
static bool descends(const struct boxps *all, const struct boxps_proc *p, pid_t init)
{
	for (size_t steps = 0; p && steps < all->n; steps++) {
		if (p->host_pid == init)
			return true;
		p = find(all, p->host_parent);
	}
	return false;
}

static int pick(int proc, const struct boxps *all, pid_t init, struct boxps *ret)
{
	for (size_t i = 0; i < all->n; i++) {
		struct boxps_proc p = all->v[i];
		int r;

		if (!descends(all, &p, init) || read_status(proc, &p) < 0)
			continue;
		read_command(proc, &p);
		r = add(ret, &p);
		if (r < 0)
			return r;
	}
	return ret->n ? 0 : -ESRCH;
}

static void name_parents(struct boxps *ps, const struct boxps *named)
{
	for (size_t i = 0; i < ps->n; i++) {
		const struct boxps_proc *parent = find(named, ps->v[i].host_parent);

		ps->v[i].parent = parent ? parent->pid : 0;
	}
}

bool boxps_is_own(const struct boxps *p, const struct boxps_proc *one)
{
	return strcmp(one->command, p->v[0].command) == 0;
}

int boxps_machine(struct boxps *ret, struct err *e)
{
	_cleanup_boxps_ struct boxps all = BOXPS_NONE;
	_cleanup_close_ int proc = open_proc(e);
	int r = proc < 0 ? proc : read_all(proc, &all, e);

	if (r < 0)
		return r;
	if (all.n)
		qsort(all.v, all.n, sizeof(*all.v), by_host_pid);
	*ret = take(&all, BOXPS_NONE);
	return 0;
}

int boxps_of(const struct boxps *machine, pid_t init, struct boxps *ret, struct err *e)
{
	_cleanup_boxps_ struct boxps ps = BOXPS_NONE;
	_cleanup_close_ int proc = open_proc(e);
	int r;

	if (proc < 0)
		return proc;
	r = pick(proc, machine, init, &ps);
	if (r < 0)
		return err_sys(e, r, "cannot list the box's processes");
	name_parents(&ps, &ps); /* still in the order of host pids */
	qsort(ps.v, ps.n, sizeof(*ps.v), by_pid);
	*ret = take(&ps, BOXPS_NONE);
	return 0;
}

int boxps_list(pid_t init, struct boxps *ret, struct err *e)
{
	_cleanup_boxps_ struct boxps all = BOXPS_NONE;
	int r = boxps_machine(&all, e);

	return r < 0 ? r : boxps_of(&all, init, ret, e);
}

static const struct boxps_proc *find_inside(const struct boxps *ps, pid_t pid)
{
	for (size_t i = 0; i < ps->n; i++)
		if (ps->v[i].pid == pid)
			return &ps->v[i];
	return NULL;
}

int boxps_signal(pid_t init, pid_t pid, int sig, struct err *e)
{
	_cleanup_boxps_ struct boxps ps = BOXPS_NONE;
	_cleanup_close_ int pidfd = -1;
	const struct boxps_proc *p;
	pid_t host_pid;
	int r;

	r = boxps_list(init, &ps, e);
	if (r < 0)
		return r;
	p = find_inside(&ps, pid);
	if (!p)
		return err_set(
			e, -ESRCH,
			"there is no process %d in the box; 'cubby ps' lists them",
			pid);
	if (p->host_pid == init)
		return err_set(e, -EPERM,
			       "process %d is the box itself; 'cubby stop' ends it",
			       pid);
	host_pid = p->host_pid;
	pidfd = sys_pidfd_open(host_pid);
	if (pidfd < 0)
		return err_sys(e, pidfd, "cannot signal process %d", pid);
	/* Only now the number cannot be given to another any more: is it still ours? */
	boxps_done(&ps);
	r = boxps_list(init, &ps, e);
	if (r < 0)
		return r;
	p = find_inside(&ps, pid);
	if (!p || p->host_pid != host_pid)
		return err_set(e, -ESRCH, "process %d has ended", pid);
	r = sys_pidfd_send_signal(pidfd, sig);
	return r < 0 ? err_sys(e, r, "cannot signal process %d", pid) : 0;
}

/* Has the box's init no child, and so the box nothing else? Asked of the kernel, where it
 * was built to tell: the list below looks at every process of this machine. */
static bool is_alone(pid_t init)
{
	return procfs_has_children(init) == 0;
}

static bool runs(const struct boxps_proc *p)
{
	return p->pid != 1 && p->state != 'Z' && p->state != 'X';
}

/* A number may have been given to another process since @p was listed, but not since @pidfd
 * was opened: @now came after that. */
static void end_one(const struct boxps_proc *p, int pidfd, const struct boxps *now,
		    int sig)
{
	const struct boxps_proc *still = find_inside(now, p->pid);

	if (pidfd < 0 || !still || still->host_pid != p->host_pid)
		return;
	sys_pidfd_send_signal(pidfd, sig);
	if (p->has_tty)
		sys_pidfd_send_signal(pidfd, SIGHUP);
	sys_pidfd_send_signal(pidfd, SIGCONT);
}

/* @n processes of the box, at most ENDED_AT_ONCE. */
static int end_some(pid_t init, const struct boxps_proc *v, size_t n, int sig,
		    struct err *e)
{
	_cleanup_boxps_ struct boxps now = BOXPS_NONE;
	int pidfds[ENDED_AT_ONCE], r;

	for (size_t i = 0; i < n; i++)
		pidfds[i] = runs(&v[i]) ? sys_pidfd_open(v[i].host_pid) : -1;
	r = boxps_list(init, &now, e);
	for (size_t i = 0; i < n; i++) {
		if (r == 0)
			end_one(&v[i], pidfds[i], &now, sig);
		scope_close(&pidfds[i]);
	}
	return r;
}

int boxps_end(pid_t init, int sig, struct err *e)
{
	_cleanup_boxps_ struct boxps all = BOXPS_NONE;
	int r = is_alone(init) ? 0 : boxps_list(init, &all, e), n = 0;

	for (size_t i = 0; r == 0 && i < all.n; i += ENDED_AT_ONCE)
		r = end_some(init, &all.v[i], MIN(all.n - i, (size_t)ENDED_AT_ONCE),
			     sig, e);
	for (size_t i = 0; i < all.n; i++)
		n += runs(&all.v[i]);
	return r < 0 ? r : n;
}

int boxps_count(pid_t init, struct err *e)
{
	_cleanup_boxps_ struct boxps all = BOXPS_NONE;
	int r = is_alone(init) ? 0 : boxps_list(init, &all, e), n = 0;

	for (size_t i = 0; i < all.n; i++)
		n += runs(&all.v[i]);
	return r < 0 ? r : n;
}
