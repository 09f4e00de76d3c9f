#include "runtime/gate/owner.h"

#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/dirscan.h"
#include "base/file.h"
#include "base/scope.h"
#include "base/sys/sys.h"

enum { RECENT = 8, PROC_FILE = 64 << 10, LINK = 32 };

struct search {
	int proc; /* borrowed: the host's /proc */
	char want[LINK];
	unsigned descriptors; /* looked at so far */
	pid_t stack[GATE_OWNER_PROCESSES];
	unsigned n, pushed;
};

static bool holds(struct search *s, pid_t pid)
{
	_cleanup_close_ int fd = -1;
	struct dirscan_entry it;
	struct dirscan scan;
	struct err e = ERR_NONE;
	char path[LINK];

	snprintf(path, sizeof(path), "%d/fd", pid);
	fd = sys_openat(s->proc, path, O_RDONLY | O_DIRECTORY, 0);
	if (fd < 0 || dirscan_start(&scan, fd, &e) < 0)
		return false;
	while (s->descriptors < GATE_OWNER_DESCRIPTORS &&
	       dirscan_next(&scan, &it, &e) > 0) {
		char to[LINK];
		ssize_t n = sys_readlinkat(fd, it.name, to, sizeof(to) - 1);

		s->descriptors++;
		to[MAX(n, 0)] = '\0';
		if (!strcmp(to, s->want))
			return true;
	}
	return false;
}

static void push(struct search *s, pid_t pid)
{
	if (s->pushed == GATE_OWNER_PROCESSES)
		return;
	s->pushed++;
	s->stack[s->n++] = pid;
}

static int read_text(int dirfd, const char *path, struct buf *ret)
{
	struct err e = ERR_NONE;

	return file_read(dirfd, path, ret, &e);
}

/* "12 34 56 " */
static void push_children(struct search *s, int tasks, const char *task)
{
	_cleanup_buf_ struct buf b = BUF_INIT(PROC_FILE);
	char path[LINK + 16];

	snprintf(path, sizeof(path), "%.20s/children", task);
	if (read_text(tasks, path, &b) < 0)
		return;
	for (const char *at = buf_cstr(&b); *at;) {
		char *end;
		long pid = strtol(at, &end, 10);

		if (end == at || pid <= 0)
			return;
		push(s, (pid_t)pid);
		at = end + (*end == ' ');
	}
}

/* Every thread has children of its own. */
static void push_descent(struct search *s, pid_t pid)
{
	_cleanup_close_ int fd = -1;
	struct dirscan_entry it;
	struct dirscan scan;
	struct err e = ERR_NONE;
	char path[LINK];

	snprintf(path, sizeof(path), "%d/task", pid);
	fd = sys_openat(s->proc, path, O_RDONLY | O_DIRECTORY, 0);
	if (fd < 0 || dirscan_start(&scan, fd, &e) < 0)
		return;
	while (dirscan_next(&scan, &it, &e) > 0)
		if (it.name[0] != '.')
			push_children(s, fd, it.name);
}

/* The youngest first: who connects has mostly just been started. */
static pid_t descend(struct search *s, pid_t root)
{
	push(s, root);
	while (s->n) {
		pid_t pid = s->stack[--s->n];

		if (holds(s, pid))
			return pid;
		push_descent(s, pid);
	}
	return 0;
}

/* Its number in the innermost namespace is the last one of the line. */
static int32_t inner_pid(const char *status)
{
	const char *line = strstr(status, "\nNSpid:");
	const char *at = line ? line + 1 + strcspn(line + 1, "\n") : NULL;

	while (at && at > line && at[-1] >= '0' && at[-1] <= '9')
		at--;
	return at ? (int32_t)strtol(at, NULL, 10) : 0;
}

static void describe(int proc, pid_t pid, struct gate_owner *ret)
{
	_cleanup_buf_ struct buf status = BUF_INIT(PROC_FILE);
	_cleanup_buf_ struct buf comm = BUF_INIT(PROC_FILE);
	char path[LINK];
	size_t len;

	snprintf(path, sizeof(path), "%d/status", pid);
	if (read_text(proc, path, &status) < 0)
		return;
	snprintf(path, sizeof(path), "%d/comm", pid);
	if (read_text(proc, path, &comm) < 0)
		return;
	len = MIN(comm.len - (comm.len > 0),
		  (size_t)GATE_OWNER_NAME - 1); /* its newline */
	memcpy(ret->name, comm.data, len);
	ret->pid = inner_pid(buf_cstr(&status));
}

/* Programs that connect often are asked first. */
struct recent {
	pid_t pid[RECENT]; /* 0 = an empty place */
	unsigned next;
};

static pid_t find_recent(struct search *s, const struct recent *r)
{
	for (size_t i = 0; i < RECENT; i++)
		if (r->pid[i] && holds(s, r->pid[i]))
			return r->pid[i];
	return 0;
}

static void find(int proc, struct recent *r, const struct gate_owner_query *q,
		 struct gate_owner *ret)
{
	_cleanup_free_ struct search *s = calloc(1, sizeof(*s));
	pid_t pid;

	*ret = (struct gate_owner){ .id = q->id };
	if (!s || !q->inode || q->root <= 0)
		return;
	s->proc = proc;
	snprintf(s->want, sizeof(s->want), "socket:[%u]", q->inode);
	pid = find_recent(s, r);
	if (!pid) {
		pid = descend(s, q->root);
		if (!pid)
			return;
		r->pid[r->next++ % RECENT] = pid;
	}
	describe(proc, pid, ret);
}

void gate_owner_find(const struct gate_owner_query *q, struct gate_owner *ret)
{
	_cleanup_close_ int proc = sys_open("/proc", O_RDONLY | O_DIRECTORY);
	struct recent r = { { 0 }, 0 };

	find(proc, &r, q, ret);
}

/* The kernel lets the box's owner in. Without it those of the box's processes can be
 * seen that have the caller's own id. */
static void enter_users(int proc, pid_t root)
{
	_cleanup_close_ int fd = -1;
	char path[LINK];

	snprintf(path, sizeof(path), "%d/ns/user", root);
	fd = sys_openat(proc, path, O_RDONLY, 0);
	if (fd >= 0)
		(void)sys_setns(fd, CLONE_NEWUSER);
}

void gate_owner_serve(int fd)
{
	_cleanup_close_ int proc = sys_open("/proc", O_RDONLY | O_DIRECTORY);
	struct recent r = { { 0 }, 0 };
	struct pollfd p = { .fd = fd, .events = POLLIN };
	bool entered = false;

	while (sys_poll(&p, 1, GATE_OWNER_IDLE_MS) > 0) {
		struct gate_owner_query q;
		struct gate_owner reply;

		if (sys_recv(fd, &q, sizeof(q), MSG_DONTWAIT) != sizeof(q))
			break;
		if (!entered)
			enter_users(proc, q.root);
		entered = true;
		find(proc, &r, &q, &reply);
		if (sys_send(fd, &reply, sizeof(reply), 0) < 0)
			break;
	}
	sys_exit(0);
}
