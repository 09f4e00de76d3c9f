#include "runtime/gate/owner.h"

#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/dirscan.h"
#include "base/file.h"
#include "base/procfs.h"
#include "base/scope.h"
#include "base/sys/sys.h"

enum { RECENT = 8, LINK = 32 };

/* A process that held what was asked for. */
struct known {
	pid_t pid;     /* 0 = an empty place */
	int dir;       /* its directory in /proc; owned; no other's when it has ended */
	int32_t inner; /* its number in the box */
	char at[LINK]; /* the descriptor that was asked for, below @dir */
};

struct search {
	int proc; /* borrowed: the host's /proc */
	char want[LINK];
	unsigned descriptors; /* looked at so far */
	pid_t stack[GATE_OWNER_PROCESSES];
	unsigned n, pushed;
};

static bool is_wanted(const struct search *s, int dirfd, const char *name)
{
	char to[LINK];
	ssize_t n = sys_readlinkat(dirfd, name, to, sizeof(to) - 1);

	to[MAX(n, 0)] = '\0';
	return !strcmp(to, s->want);
}

static bool holds(struct search *s, struct known *k)
{
	_cleanup_close_ int fd = sys_openat(k->dir, "fd", O_RDONLY | O_DIRECTORY, 0);
	struct dirscan scan;

	dirscan_start(&scan, fd);
	while (s->descriptors < GATE_OWNER_DESCRIPTORS && dirscan_next(&scan)) {
		s->descriptors++;
		if (!is_wanted(s, fd, scan.name))
			continue;
		snprintf(k->at, sizeof(k->at), "fd/%.20s", scan.name);
		return true;
	}
	return false;
}

static int push(void *ctx, pid_t pid)
{
	struct search *s = ctx;

	if (s->pushed == GATE_OWNER_PROCESSES)
		return 1;
	s->pushed++;
	s->stack[s->n++] = pid;
	return 0;
}

/* Every thread has children of its own. */
static void push_descent(struct search *s, int dir)
{
	_cleanup_close_ int fd = sys_openat(dir, "task", O_RDONLY | O_DIRECTORY, 0);
	struct dirscan scan;

	dirscan_start(&scan, fd);
	while (dirscan_next(&scan))
		(void)procfs_children(fd, procfs_path("%.20s/children", scan.name),
				      push, s);
}

static void forget(struct known *k)
{
	if (k->pid)
		scope_close(&k->dir);
	*k = (struct known){ .pid = 0 };
}

/* The youngest first: who connects has mostly just been started. */
static bool descend(struct search *s, pid_t root, struct known *ret)
{
	push(s, root);
	while (s->n) {
		struct known k = { .pid = s->stack[--s->n] };

		k.dir = sys_openat(s->proc, procfs_path("%d", k.pid),
				   O_RDONLY | O_DIRECTORY, 0);
		if (k.dir < 0)
			continue;
		if (holds(s, &k)) {
			*ret = k;
			return true;
		}
		push_descent(s, k.dir);
		forget(&k);
	}
	return false;
}

/* Its name may change, its number never does. */
static void describe(struct known *k, struct gate_owner *ret)
{
	_cleanup_buf_ struct buf status = BUF_INIT(PROCFS_STATUS);
	_cleanup_close_ int fd = sys_openat(k->dir, "comm", O_RDONLY, 0);
	char comm[GATE_OWNER_NAME + 1];
	ssize_t n = fd < 0 ? fd : sys_read(fd, comm, sizeof(comm));

	if (n < 0)
		return;
	if (!k->inner && file_read(k->dir, "status", &status, ERR_IGNORED) == 0)
		k->inner = procfs_inner(buf_cstr(&status));
	if (!k->inner)
		return;
	n = MIN(n - (n > 0), GATE_OWNER_NAME - 1); /* its newline */
	memcpy(ret->name, comm, (size_t)n);
	ret->pid = k->inner;
}

/* Programs that connect often are asked first, and for the descriptor that they had the
 * last time. */
struct recent {
	struct known known[RECENT]; /* owned */
	unsigned next;
};

static struct known *find_recent(struct search *s, struct recent *r)
{
	for (size_t i = 0; i < RECENT; i++)
		if (r->known[i].pid && is_wanted(s, r->known[i].dir, r->known[i].at))
			return &r->known[i];
	for (size_t i = 0; i < RECENT; i++)
		if (r->known[i].pid && holds(s, &r->known[i]))
			return &r->known[i];
	return NULL;
}

static void find(int proc, struct recent *r, const struct gate_owner_query *q,
		 struct gate_owner *ret)
{
	_cleanup_free_ struct search *s = calloc(1, sizeof(*s));
	struct known *k, found;

	*ret = (struct gate_owner){ .id = q->id };
	if (!s || !q->inode || q->root <= 0)
		return;
	s->proc = proc;
	snprintf(s->want, sizeof(s->want), "socket:[%u]", q->inode);
	k = find_recent(s, r);
	if (!k && descend(s, q->root, &found)) {
		k = &r->known[r->next++ % RECENT];
		forget(k);
		*k = found;
	}
	if (k)
		describe(k, ret);
}

static void forget_all(struct recent *r)
{
	for (size_t i = 0; i < RECENT; i++)
		forget(&r->known[i]);
}

void gate_owner_find(const struct gate_owner_query *q, struct gate_owner *ret)
{
	_cleanup_close_ int proc = sys_open("/proc", O_RDONLY | O_DIRECTORY);
	_cleanup_(forget_all) struct recent r = { .next = 0 };

	find(proc, &r, q, ret);
}

/* The kernel lets the box's owner in. Without it those of the box's processes can be
 * seen that have the caller's own id. */
static void enter_users(int proc, pid_t root)
{
	_cleanup_close_ int fd =
		sys_openat(proc, procfs_path("%d/ns/user", root), O_RDONLY, 0);

	if (fd >= 0)
		(void)sys_setns(fd, CLONE_NEWUSER);
}

void gate_owner_serve(int fd)
{
	_cleanup_close_ int proc = sys_open("/proc", O_RDONLY | O_DIRECTORY);
	_cleanup_(forget_all) struct recent r = { .next = 0 };
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
