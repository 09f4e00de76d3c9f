#include "agent/session/procs.h"

#include <dirent.h>
#include <elf.h>
#include <stdio.h>
#include <string.h>
#include <sys/sysmacros.h>

#include "base/file.h"
#include "base/scope.h"
#include "base/sys/sys.h"

enum { SMALL = 4096, PF_EXITING = 4, PF_FORKNOEXEC = 0x40 }; /* include/linux/sched.h */

static int read_task(pid_t pid, pid_t tid, const char *what, char *ret, size_t size)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/task/%d/%s", pid, tid, what);
	return file_peek(AT_FDCWD, path, ret, size);
}

int procs_stat(pid_t pid, pid_t tid, struct procs_stat *ret)
{
	char text[SMALL], *p;
	int r = read_task(pid, tid, "stat", text, sizeof(text)), ppid, pgrp, sid;
	unsigned long long user, kernel;
	unsigned flags;

	if (r < 0)
		return r;
	p = strrchr(text, ')'); /* the name before it may hold anything */
	if (!p || sscanf(p + 1, " %c %d %d %d %*d %*d %u %*u %*u %*u %*u %llu %llu",
			 &ret->state, &ppid, &pgrp, &sid, &flags, &user, &kernel) != 7)
		return -EPROTO;
	ret->ppid = ppid;
	ret->pgrp = pgrp;
	ret->sid = sid;
	ret->ends = ret->state == 'Z' || ret->state == 'X' || (flags & PF_EXITING);
	ret->copy = flags & PF_FORKNOEXEC;
	ret->ticks = user + kernel;
	return 0;
}

static void list_close(DIR **d)
{
	if (*d)
		closedir(*d);
}

int procs_tasks(pid_t pid, procs_fn *fn, void *ctx)
{
	char path[64];
	_cleanup_(list_close) DIR *d = NULL;
	int n = 0;

	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	d = opendir(path);
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

static int add_children(void *ctx, pid_t tid)
{
	struct queue *q = ctx;
	char text[SMALL];

	if (read_task(q->of, tid, "children", text, sizeof(text)) <= 0)
		return 0;
	for (char *p = text, *end; q->n < PROCS_MAX; p = end) {
		long pid = strtol(p, &end, 10);

		if (end == p)
			break;
		q->pids[q->n++] = (pid_t)pid;
	}
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
	char text[SMALL];
	int r = read_task(pid, pid, "children", text, sizeof(text));

	if (r < 0)
		return r;
	for (char *p = text, *end;; p = end) {
		long child = strtol(p, &end, 10);

		if (end == p || fn(ctx, (pid_t)child))
			return 0;
	}
}

int procs_call(pid_t pid, pid_t tid, struct procs_call *ret)
{
	char text[256];
	unsigned long long a[5] = { 0 };
	long nr = -1;
	int r = read_task(pid, tid, "syscall", text, sizeof(text));

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
	int r = read_task(pid, tid, "wchan", ret, size);

	if (r >= 0 && strcmp(ret, "0") == 0)
		*ret = '\0';
	return MIN(r, 0);
}

int procs_switches(pid_t pid, pid_t tid, uint64_t *ret)
{
	static const char key[] = "\nvoluntary_ctxt_switches:";
	char text[SMALL], *p;
	int r = read_task(pid, tid, "status", text, sizeof(text));

	if (r < 0)
		return r;
	p = strstr(text, key);
	if (!p)
		return -EPROTO;
	*ret = strtoull(p + sizeof(key) - 1, NULL, 10);
	return 0;
}

bool procs_catches(pid_t pid, int sig)
{
	static const char key[] = "\nSigCgt:";
	char text[SMALL], *p;

	if (read_task(pid, pid, "status", text, sizeof(text)) < 0)
		return false;
	p = strstr(text, key);
	return p && (strtoull(p + sizeof(key) - 1, NULL, 16) >> (sig - 1) & 1);
}

int procs_args(pid_t pid, char *ret, size_t size)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/cmdline", pid);
	return file_peek(AT_FDCWD, path, ret, size);
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
	static const char key[] = "\nNSpid:";
	char text[SMALL], *p, *end;
	int r = read_task(pid, pid, "status", text, sizeof(text));
	long inside = pid;

	if (r < 0)
		return r;
	p = strstr(text, key);
	if (!p)
		return -EPROTO;
	p += sizeof(key) - 1;
	p[strcspn(p, "\n")] = '\0';
	for (long n = strtol(p, &end, 10); end != p; n = strtol(p, &end, 10)) {
		inside = n;
		p = end;
	}
	return (int)inside;
}

bool procs_is_32bit(pid_t pid)
{
	char path[64];
	unsigned char id[EI_NIDENT] = { 0 };
	_cleanup_close_ int fd = -1;

	snprintf(path, sizeof(path), "/proc/%d/exe", pid);
	fd = sys_open(path, O_RDONLY);
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
	char path[64];
	_cleanup_close_ int copy = -1;
	int r;

	snprintf(path, sizeof(path), "/proc/%d/fd/%d", pid, fd);
	r = sys_fstatat(AT_FDCWD, path, st, 0);
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
	char path[64];
	_cleanup_(list_close) DIR *d = NULL;
	int best = -1, n = 0;

	snprintf(path, sizeof(path), "/proc/%d/fd", pid);
	d = opendir(path);
	if (!d)
		return -errno;
	for (struct dirent *de; (de = readdir(d)) && n < PROCS_MAX; n++) {
		int fd = (int)strtol(de->d_name, NULL, 10);

		if (de->d_name[0] != '.' && fd > best && is_ptmx(pid, fd))
			best = fd;
	}
	return best < 0 ? -ENOENT : copy_fd(pid, best);
}
