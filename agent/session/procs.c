#include "agent/session/procs.h"

#include <dirent.h>
#include <elf.h>
#include <stdio.h>
#include <string.h>
#include <sys/sysmacros.h>

#include "base/file.h"
#include "base/procfs.h"
#include "base/scope.h"
#include "base/sys/sys.h"

enum { SMALL = 4096, PF_EXITING = 4, PF_FORKNOEXEC = 0x40 }; /* include/linux/sched.h */

static int peek_task(pid_t pid, pid_t tid, const char *what, char *ret, size_t size)
{
	return file_peek(AT_FDCWD, procfs_path("/proc/%d/task/%d/%s", pid, tid, what),
			 ret, size);
}

static int read_status(pid_t pid, pid_t tid, struct buf *ret)
{
	return file_read(AT_FDCWD, procfs_path("/proc/%d/task/%d/status", pid, tid),
			 ret, ERR_IGNORED);
}

int procs_stat(pid_t pid, pid_t tid, struct procfs_stat *ret)
{
	return procfs_stat(AT_FDCWD, procfs_path("/proc/%d/task/%d/stat", pid, tid),
			   ret);
}

bool procs_ends(const struct procfs_stat *st)
{
	return st->state == 'Z' || st->state == 'X' || (st->flags & PF_EXITING);
}

bool procs_is_copy(const struct procfs_stat *st)
{
	return st->flags & PF_FORKNOEXEC;
}

static void list_close(DIR **d)
{
	if (*d)
		closedir(*d);
}

int procs_tasks(pid_t pid, procs_fn *fn, void *ctx)
{
	_cleanup_(list_close) DIR *d = opendir(procfs_path("/proc/%d/task", pid));
	int n = 0;

	if (!d)
		return -errno;
	for (struct dirent *de; (de = readdir(d)) && n < PROCS_MAX;) {
		pid_t tid = (pid_t)strtol(de->d_name, NULL, 10);

		if (tid > 0 && n++ >= 0 && fn(ctx, tid))
			break;
	}
	return 0;
}

struct queue {
	pid_t pids[PROCS_MAX];
	size_t n;
	pid_t of; /* whose tasks are being read */
};

static int add_child(void *ctx, pid_t pid)
{
	struct queue *q = ctx;

	if (q->n < PROCS_MAX)
		q->pids[q->n++] = pid;
	return q->n == PROCS_MAX;
}

static int add_children(void *ctx, pid_t tid)
{
	const struct queue *q = ctx;

	(void)procfs_children(AT_FDCWD,
			      procfs_path("/proc/%d/task/%d/children", q->of, tid),
			      add_child, ctx);
	return 0;
}

int procs_walk(pid_t root, procs_fn *fn, void *ctx)
{
	_cleanup_free_ struct queue *q = malloc(sizeof(*q));

	if (!q)
		return -ENOMEM;
	q->pids[0] = root;
	q->n = 1;
	for (size_t i = 0; i < q->n; i++) {
		int r;

		if (fn(ctx, q->pids[i]))
			return 0;
		q->of = q->pids[i];
		r = procs_tasks(q->of, add_children, q);
		if (r < 0 && i == 0)
			return r;
	}
	return 0;
}

int procs_children(pid_t pid, procs_fn *fn, void *ctx)
{
	return procfs_children(
		AT_FDCWD, procfs_path("/proc/%d/task/%d/children", pid, pid), fn, ctx);
}

int procs_call(pid_t pid, pid_t tid, struct procs_call *ret)
{
	char text[256];
	unsigned long long a[5] = { 0 };
	long nr = -1;
	int r = peek_task(pid, tid, "syscall", text, sizeof(text));

	if (r < 0)
		return r;
	if (sscanf(text, "%ld %llx %llx %llx %llx %llx", &nr, &a[0], &a[1], &a[2],
		   &a[3], &a[4]) != 6 ||
	    nr < 0)
		return 0;
	*ret = (struct procs_call){ nr, { a[0], a[1], a[2], a[3], a[4] } };
	return 1;
}

int procs_wchan(pid_t pid, pid_t tid, char *ret, size_t size)
{
	int r = peek_task(pid, tid, "wchan", ret, size);

	if (r >= 0 && strcmp(ret, "0") == 0)
		*ret = '\0';
	return MIN(r, 0);
}

int procs_switches(pid_t pid, pid_t tid, uint64_t *ret)
{
	_cleanup_buf_ struct buf text = BUF_INIT(PROCFS_STATUS);
	int r = read_status(pid, tid, &text);

	if (r < 0)
		return r;
	return procfs_number(buf_cstr(&text), "voluntary_ctxt_switches", 10, ret)
		       ? 0
		       : -EPROTO;
}

bool procs_catches(pid_t pid, int sig)
{
	_cleanup_buf_ struct buf text = BUF_INIT(PROCFS_STATUS);
	uint64_t caught;

	return read_status(pid, pid, &text) == 0 &&
	       procfs_number(buf_cstr(&text), "SigCgt", 16, &caught) &&
	       (caught >> (sig - 1) & 1);
}

int procs_args(pid_t pid, char *ret, size_t size)
{
	return file_peek(AT_FDCWD, procfs_path("/proc/%d/cmdline", pid), ret, size);
}

bool procs_same_args(pid_t a, pid_t b)
{
	char x[SMALL], y[SMALL];
	int n = procs_args(a, x, sizeof(x));

	return n >= 0 && n == procs_args(b, y, sizeof(y)) &&
	       memcmp(x, y, (size_t)n) == 0;
}

int procs_inside(pid_t pid)
{
	_cleanup_buf_ struct buf text = BUF_INIT(PROCFS_STATUS);
	int r = read_status(pid, pid, &text);

	return r < 0 ? r : procfs_inner(buf_cstr(&text)) ?: -EPROTO;
}

bool procs_is_32bit(pid_t pid)
{
	unsigned char id[EI_NIDENT] = { 0 };
	_cleanup_close_ int fd = sys_open(procfs_path("/proc/%d/exe", pid), O_RDONLY);

	return fd >= 0 && sys_read(fd, id, sizeof(id)) == sizeof(id) &&
	       memcmp(id, ELFMAG, SELFMAG) == 0 && id[EI_CLASS] == ELFCLASS32;
}

static int copy_fd(pid_t pid, int fd)
{
	_cleanup_close_ int pidfd = sys_pidfd_open(pid);

	return pidfd < 0 ? pidfd : sys_pidfd_getfd(pidfd, fd);
}

/* /proc/PID/fd is open to the process's own user alone. The owner of a box's user
 * namespace, who may trace its other users, gets a copy of the descriptor instead. */
static int stat_fd(pid_t pid, int fd, struct stat *st)
{
	_cleanup_close_ int copy = -1;
	int r = sys_fstatat(AT_FDCWD, procfs_path("/proc/%d/fd/%d", pid, fd), st, 0);

	if (r != -EACCES)
		return r;
	copy = copy_fd(pid, fd);
	return copy < 0 ? copy : sys_fstat(copy, st);
}

dev_t procs_fd_device(pid_t pid, int fd)
{
	struct stat st;

	if (stat_fd(pid, fd, &st) < 0 || !S_ISCHR(st.st_mode))
		return 0;
	return st.st_rdev;
}

/* Both names of the device: the host's /dev/ptmx is 5:2, as is that of a devpts. */
static bool is_ptmx(pid_t pid, int fd)
{
	return procs_fd_device(pid, fd) == makedev(5, 2);
}

int procs_master(pid_t pid)
{
	_cleanup_(list_close) DIR *d = opendir(procfs_path("/proc/%d/fd", pid));
	int best = -1, n = 0;

	if (!d)
		return -errno;
	for (struct dirent *de; (de = readdir(d)) && n < PROCS_MAX; n++) {
		int fd = (int)strtol(de->d_name, NULL, 10);

		if (de->d_name[0] != '.' && fd > best && is_ptmx(pid, fd))
			best = fd;
	}
	return best < 0 ? -ENOENT : copy_fd(pid, best);
}
