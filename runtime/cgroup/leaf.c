#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/num.h"
#include "base/scope.h"
#include "base/sys/sys.h"
#include "runtime/cgroup/impl.h"

enum {
	FILE_MAX = 64 << 10, /* of control files; cgroup.procs may have many lines */
	EMPTY_TIMEOUT_MS = 2000,
	KILL_ROUNDS = 1000
};

int cgroup_leaf_write(int dirfd, const char *file, const char *value)
{
	_cleanup_close_ int fd = sys_openat(dirfd, file, O_WRONLY, 0);
	ssize_t n = fd;

	if (fd >= 0)
		n = sys_write(fd, value, strlen(value));
	return n < 0 ? (int)n : 0;
}

static int read_text(int dirfd, const char *file, struct buf *ret)
{
	return file_read(dirfd, file, ret, ERR_IGNORED);
}

int cgroup_leaf_number(int dirfd, const char *file, uint64_t *ret)
{
	_cleanup_buf_ struct buf text = BUF_INIT(64);
	int r = read_text(dirfd, file, &text);

	if (r < 0)
		return r;
	buf_truncate(&text, strcspn(buf_cstr(&text), "\n"));
	return num_u64(buf_cstr(&text), ret);
}

int cgroup_leaf_field(int dirfd, const char *file, const char *key, uint64_t *ret)
{
	_cleanup_buf_ struct buf text = BUF_INIT(FILE_MAX);
	size_t n = strlen(key);
	int r = read_text(dirfd, file, &text);

	if (r < 0)
		return r;
	for (const char *p = buf_cstr(&text); *p;
	     p += strcspn(p, "\n"), p += *p == '\n')
		if (!strncmp(p, key, n) && p[n] == ' ')
			return sscanf(p + n, " %" SCNu64, ret) == 1 ? 0 : -EINVAL;
	return -ENOENT;
}

/* True when the file has this word. */
static bool cgroup_leaf_has(int dirfd, const char *file, const char *word)
{
	_cleanup_buf_ struct buf text = BUF_INIT(FILE_MAX);
	char *rest, *one;

	if (read_text(dirfd, file, &text) < 0 || !text.len)
		return false;
	rest = text.data;
	while ((one = strsep(&rest, " \n")))
		if (!strcmp(one, word))
			return true;
	return false;
}

int cgroup_leaf_enter(const struct cgroup_leaf *l, pid_t pid)
{
	char text[16];

	snprintf(text, sizeof(text), "%d", pid);
	/* A move waits for every running fork of the host: milliseconds that a child
	 * which was cloned into its leaf need not pay. */
	if (cgroup_leaf_has(l->dir, "cgroup.procs", text))
		return 0;
	return cgroup_leaf_write(l->dir, "cgroup.procs", text);
}

/* ---- killing -------------------------------------------------------------------- */

int cgroup_leaf_signal(const struct cgroup_leaf *l)
{
	_cleanup_buf_ struct buf text = BUF_INIT(4 << 20);
	char *rest, *one;
	int n = 0, r = read_text(l->dir, "cgroup.procs", &text);
	uint64_t pid;

	if (r < 0)
		return r;
	rest = text.data;
	while (rest && (one = strsep(&rest, "\n"))) {
		/* 0: a process of another pid namespace that we cannot name. */
		if (num_range(one, 1, INT32_MAX, &pid) < 0)
			continue;
		(void)sys_kill((pid_t)pid, SIGKILL);
		n++;
	}
	return n;
}

static int freeze(int dirfd, bool on)
{
	int r = cgroup_leaf_write(dirfd, "cgroup.freeze", on ? "1" : "0");

	return r < 0 ? cgroup_leaf_write(dirfd, "freezer.state",
					 on ? "FROZEN" : "THAWED")
		     : r;
}

/* Before 5.2 there is no cgroup.freeze. */
static bool is_frozen(int dirfd)
{
	uint64_t frozen = 0;

	(void)cgroup_leaf_field(dirfd, "cgroup.events", "frozen", &frozen);
	return frozen || cgroup_leaf_has(dirfd, "freezer.state", "FROZEN");
}

int cgroup_leaf_freeze(const struct cgroup_leaf *l, pid_t pid, unsigned timeout_ms)
{
	const struct timespec moment = { .tv_nsec = 1000000 };
	uint64_t end = sys_now_ms() + timeout_ms;
	char text[16];
	int r;

	snprintf(text, sizeof(text), "%d", pid);
	r = cgroup_leaf_has(l->dir, "cgroup.procs", text) ? freeze(l->dir, true)
							  : -ESRCH;
	while (r >= 0 && !is_frozen(l->dir)) {
		if (sys_now_ms() >= end) {
			(void)freeze(l->dir, false);
			return -ETIMEDOUT;
		}
		(void)sys_nanosleep(&moment);
	}
	return r;
}

void cgroup_leaf_thaw(const struct cgroup_leaf *l)
{
	(void)freeze(l->dir, false);
}

/* Before 5.14, and in v1, there is no cgroup.kill: freeze, so that nothing forks away,
 * signal everything, thaw, until nobody is left. Remove with support for v1. */
static int kill_by_rounds(const struct cgroup_leaf *l)
{
	const struct timespec moment = { .tv_nsec = 1000000 };
	int n = 1;

	for (unsigned i = 0; i < KILL_ROUNDS && n > 0; i++) {
		(void)freeze(l->dir, true);
		n = cgroup_leaf_signal(l);
		(void)freeze(l->dir, false);
		if (n > 0)
			(void)sys_nanosleep(&moment);
	}
	return n > 0 ? -EBUSY : n;
}

int cgroup_leaf_kill(const struct cgroup_leaf *l)
{
	int r = cgroup_leaf_write(l->dir, "cgroup.kill", "1");

	return r == -ENOENT || r == -EACCES ? kill_by_rounds(l) : r;
}

/* ---- making and removing -------------------------------------------------------- */

static int remove_when_empty(int parent, const char *name)
{
	const struct timespec moment = { .tv_nsec = 1000000 };
	uint64_t end = sys_now_ms() + EMPTY_TIMEOUT_MS;
	int r;

	/* The killed leave a moment later. No event says so in v1. */
	while ((r = sys_unlinkat(parent, name, AT_REMOVEDIR)) == -EBUSY &&
	       sys_now_ms() < end)
		(void)sys_nanosleep(&moment);
	return r;
}

void cgroup_leaf_remove(struct cgroup_leaf *l)
{
	if (l->dir >= 0)
		(void)remove_when_empty(l->parent, l->name);
	scope_close(&l->tasks);
	scope_close(&l->dir);
	scope_close(&l->parent);
	*l = CGROUP_LEAF_NONE;
}

/* What a dead monitor left under our name. */
static int clear(int parent, const char *name)
{
	struct cgroup_leaf old = { .parent = parent };
	int r;

	old.dir = sys_openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW, 0);
	if (old.dir < 0)
		return old.dir;
	r = cgroup_leaf_kill(&old);
	scope_close(&old.dir);
	return r < 0 ? r : remove_when_empty(parent, name);
}

int cgroup_leaf_open(int parent, const char *name, struct cgroup_leaf *ret)
{
	struct cgroup_leaf l = { .parent = parent, .dir = -1, .tasks = -1 };

	snprintf(l.name, sizeof(l.name), "%s", name);
	l.dir = sys_openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW, 0);
	if (l.dir < 0) {
		scope_close(&l.parent);
		return l.dir;
	}
	*ret = l;
	return 0;
}

int cgroup_leaf_make(int parent, const char *name, struct cgroup_leaf *ret)
{
	int r = sys_mkdirat(parent, name, 0755);

	if (r == -EEXIST) {
		r = clear(parent, name);
		if (r >= 0)
			r = sys_mkdirat(parent, name, 0755);
	}
	if (r < 0) {
		scope_close(&parent);
		return r;
	}
	return cgroup_leaf_open(parent, name, ret);
}
