/* What the processes hold together is between two sums. The sum of their resident pages
 * is cheap, and too high, for shared pages count for each; as long as that is within the
 * limit, the box is. Only then the kernel is asked for the shares (smaps_rollup), which
 * walks page tables.
 *
 * Memory can also lie in files that nobody has mapped: in the box's /tmp, /run and
 * /dev/shm, in segments of System V, in memfds. These are counted by the file. A page that
 * is in such a file and mapped is in both sums: of the shares, what is of this kind is
 * counted once, at the larger of the two. Semaphores and messages of System V have neither
 * pages nor a process: gigabytes of them are made in a moment. Tables of pages are counted
 * as well: a program can have gigabytes of them that lead to one page of zeros.
 *
 * A look holds up the monitor, so what it costs has an end: beyond so many descriptors in
 * the whole box who has many of them is killed unseen, for a memfd may be behind each; and
 * of the shares no more are asked for once they are too much and have taken a while. */
#include "runtime/cgroup/memwatch.h"

#include <errno.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/dirscan.h"
#include "base/file.h"
#include "base/num.h"
#include "base/procfs.h"
#include "base/scope.h"
#include "base/sys/sys.h"

enum {
	MEMWATCH_SOONEST_MS = 20,
	MEMWATCH_LATEST_MS = 500,
	/* How fast a program can fill memory: about 2 GiB a second. */
	MEMWATCH_PER_MS = 2 << 20,
	MEMWATCH_FORKS_PER_MS = 5,
	MEMWATCH_PATIENCE = 100,
	MEMWATCH_STUCK = 100,
	MEMWATCH_REAPED = 5,
	MEMWATCH_TEXT = 4096,
	MEMWATCH_SEGMENTS = 1 << 20, /* bytes of text about them: 10,000 arrays */
	MEMWATCH_SEM_BYTES = 64,
	MEMWATCH_MSG_BYTES = 64,  /* with nothing in it */
	MEMWATCH_ID_BYTES = 512,  /* of an array or a queue */
	MEMWATCH_FILES = 4096,	  /* memfds that are told apart */
	MEMWATCH_OPEN = 64 << 10, /* descriptors that one look counts; beyond them … */
	MEMWATCH_MANY = 1024,	  /* … so many of one process are too many, */
	MEMWATCH_FEW = 64,	  /* and beyond twice as many so few */
	MEMWATCH_SHARES_MS = 200,
	MEMWATCH_NEWEST = 4096 /* processes that one look can end */
};

/* The kernel's own mount, which memfds and nothing else of a box have files on. */
static dev_t shmem_device(void)
{
	_cleanup_close_ int fd = sys_memfd("cubby", 0);
	struct stat st;

	return fd >= 0 && sys_fstat(fd, &st) >= 0 ? st.st_dev : 0;
}

static bool is_on(int fd, long magic)
{
	struct statfs fs;

	return sys_fstatfs(fd, &fs) >= 0 && fs.f_type == magic;
}

static bool is_list(int fd)
{
	return fd < 0 || is_on(fd, PROC_SUPER_MAGIC);
}

int memwatch_open(const int fds[MEMWATCH_FDS], const struct memwatch_conf *limit,
		  struct memwatch *ret, struct err *e)
{
	struct memwatch w = MEMWATCH_NONE;

	for (int i = 0; i < MEMWATCH_FDS; i++)
		w.fds[i] = fds[i];
	if (!is_on(w.fds[MEMWATCH_PROC], PROC_SUPER_MAGIC) ||
	    (w.fds[MEMWATCH_TMP] >= 0 && !is_on(w.fds[MEMWATCH_TMP], TMPFS_MAGIC)) ||
	    !is_list(w.fds[MEMWATCH_SHM]) || !is_list(w.fds[MEMWATCH_SEM]) ||
	    !is_list(w.fds[MEMWATCH_MSG]))
		return err_set(e, -EBADMSG,
			       "cannot watch the memory of the box: no /proc of it");
	w.limit = *limit;
	w.shmem = shmem_device();
	*ret = w;
	return 0;
}

/* ---- what the kernel writes --------------------------------------------------------- */

static bool has_kib(const char *text, const char *key, uint64_t *ret)
{
	uint64_t n;

	if (!procfs_number(text, key, 10, &n) || n > INT64_MAX / 1024)
		return false;
	*ret = n * 1024;
	return true;
}

static uint64_t kib(const char *text, const char *key)
{
	uint64_t n = 0;

	(void)has_kib(text, key, &n);
	return n;
}

int memwatch_status(const char *text, struct memwatch_process *ret)
{
	if (!procfs_number(text, "Threads", 10, &ret->threads))
		return -EBADMSG;
	ret->shmem = kib(text, "RssShmem");
	ret->tables = kib(text, "VmPTE");
	ret->bytes = kib(text, "VmRSS") + kib(text, "VmSwap") + ret->tables;
	return 0;
}

int memwatch_rollup(const char *text, struct memwatch_process *ret)
{
	if (!has_kib(text, "Pss", &ret->bytes))
		return -EBADMSG;
	ret->threads = ret->tables = 0;
	ret->shmem = kib(text, "Pss_Shmem");
	ret->bytes += kib(text, "SwapPss");
	return 0;
}

/* The last two columns of each line but the first: what is resident and what is swapped. */
uint64_t memwatch_sysv(const char *text)
{
	uint64_t sum = 0;

	for (const char *line = strchr(text, '\n'); line;
	     line = strchr(line + 1, '\n')) {
		const char *end = strchr(line + 1, '\n'), *at = end;
		int columns = 0;

		while (end && at > line + 1 && columns < 2) {
			for (; at > line + 1 && at[-1] == ' '; at--)
				;
			for (; at > line + 1 && at[-1] != ' '; at--)
				;
			sum += strtoull(at, NULL, 10);
			columns++;
		}
	}
	return sum;
}

uint64_t memwatch_column(const char *text, unsigned n, uint64_t each)
{
	uint64_t sum = 0;

	for (const char *line = strchr(text, '\n'); line && line[1];
	     line = strchr(line + 1, '\n')) {
		char *at = (char *)(uintptr_t)(line + 1);
		uint64_t value = 0;

		for (unsigned i = 0; i <= n; i++)
			value = strtoull(at, &at, 10);
		sum += value + each;
	}
	return sum;
}

/* ---- one process -------------------------------------------------------------------- */

static int read_text(const struct memwatch *w, const char *pid, const char *file,
		     char ret[MEMWATCH_TEXT])
{
	return MIN(file_peek(w->fds[MEMWATCH_PROC], procfs_path("%s/%s", pid, file),
			     ret, MEMWATCH_TEXT),
		   0);
}

static int read_stat(const struct memwatch *w, const char *pid, struct procfs_stat *ret)
{
	return procfs_stat(w->fds[MEMWATCH_PROC], procfs_path("%.15s/stat", pid), ret);
}

/* It may have ended just now. */
static struct memwatch_process shares(const struct memwatch *w, const char *pid)
{
	struct memwatch_process p = { 0 }, all = { 0 };
	char text[MEMWATCH_TEXT];

	if (read_text(w, pid, "smaps_rollup", text) == 0)
		(void)memwatch_rollup(text, &p);
	if (read_text(w, pid, "status", text) == 0)
		(void)memwatch_status(text, &all);
	p.bytes += all.tables;
	return p;
}

/* A status that does not say all in its first page is one of many groups: it takes the
 * dear way. */
static struct memwatch_process resident(const struct memwatch *w, const char *pid)
{
	struct memwatch_process p = { 0 };
	struct procfs_stat st;
	char text[MEMWATCH_TEXT];

	if (read_text(w, pid, "status", text) < 0)
		return p; /* it has just ended */
	if (memwatch_status(text, &p) == 0)
		return p;
	p = shares(w, pid);
	if (read_stat(w, pid, &st) == 0)
		p.threads = st.threads;
	return p;
}

/* The directory of a process stands for it as a pidfd does (5.1). */
static bool kill_one(const struct memwatch *w, const char *pid)
{
	_cleanup_close_ int fd =
		sys_openat(w->fds[MEMWATCH_PROC], pid, O_RDONLY | O_DIRECTORY, 0);

	return fd >= 0 && sys_pidfd_send_signal(fd, SIGKILL) >= 0;
}

/* ---- files without a name ----------------------------------------------------------- */

struct files {
	ino_t seen[MEMWATCH_FILES];
	size_t n;
	uint64_t bytes;
	unsigned open; /* descriptors that were looked at */
};

static bool is_new(struct files *f, ino_t ino)
{
	for (size_t i = 0; i < f->n; i++)
		if (f->seen[i] == ino)
			return false;
	if (f->n < MEMWATCH_FILES)
		f->seen[f->n++] = ino;
	return true;
}

/* Its bytes; @all: in which each file counts once. */
static uint64_t open_file(const struct memwatch *w, int dir, const char *fd,
			  struct files *all)
{
	uint64_t bytes;
	struct stat st;

	if (sys_fstatat(dir, fd, &st, 0) < 0 || st.st_dev != w->shmem ||
	    !S_ISREG(st.st_mode))
		return 0;
	bytes = (uint64_t)st.st_blocks * 512;
	if (is_new(all, st.st_ino))
		all->bytes += bytes;
	return bytes;
}

/* How many of one process are too many after those of all that were looked at. */
static unsigned too_many(const struct files *all)
{
	if (all->open > 2 * MEMWATCH_OPEN)
		return MEMWATCH_FEW;
	return all->open > MEMWATCH_OPEN ? MEMWATCH_MANY : UINT_MAX;
}

/* From Linux 6.2 on the directory's size is the number of its names; to read one costs a tenth
 * of what it costs to look at a descriptor, and they come a thousand at a time. */
static bool has_too_many(int dir, struct files *all)
{
	struct dirscan scan;
	struct stat st;
	unsigned n = 0;

	if (sys_fstat(dir, &st) >= 0 && st.st_size > 0)
		return st.st_size >= too_many(all);
	dirscan_start(&scan, dir);
	while (n < too_many(all) && dirscan_next(&scan))
		n++;
	if (n < too_many(all))
		return false;
	all->open += n;
	return true;
}

/* What @pid has open of them. The directory of another user's process can be closed to us:
 * what it has mapped counts all the same. @many: it has too many, and no more of its are
 * looked at. */
static uint64_t open_files(const struct memwatch *w, const char *pid, struct files *all,
			   bool *many)
{
	_cleanup_close_ int dir =
		sys_openat(w->fds[MEMWATCH_PROC], procfs_path("%s/fd", pid),
			   O_RDONLY | O_DIRECTORY, 0);
	struct dirscan scan;
	uint64_t sum = 0;
	unsigned n = 0;

	if (dir >= 0 && too_many(all) != UINT_MAX)
		*many = has_too_many(dir, all);
	dirscan_start(&scan, dir);
	while (!*many && dirscan_next(&scan)) {
		sum += open_file(w, dir, scan.name, all);
		all->open++;
		*many = ++n >= too_many(all);
	}
	return sum;
}

/* ---- all of them -------------------------------------------------------------------- */

struct one {
	uint64_t started; /* clock ticks since boot */
	uint64_t threads;
	char pid[16];
};

struct sum {
	uint64_t bytes, shmem, pids, biggest;
	struct files files;
	char pid[16]; /* of the biggest; "" = none but init */
	bool victim;  /* the one that was killed last still holds memory */
};

typedef struct memwatch_process measure_fn(const struct memwatch *w, const char *pid);

static void add(struct sum *s, struct memwatch *w, const char *pid,
		const struct memwatch_process *p)
{
	uint64_t whole = p->bytes;
	bool many = false;

	s->bytes += p->bytes;
	s->shmem += p->shmem;
	s->pids += p->threads;
	if (w->limit.memory)
		whole += open_files(w, pid, &s->files, &many);
	if (many && strcmp(pid, "1") != 0 && kill_one(w, pid))
		w->kills++;
	if (whole && strcmp(pid, w->victim) == 0)
		s->victim = true;
	if (strcmp(pid, "1") == 0 || whole <= s->biggest)
		return;
	s->biggest = whole;
	snprintf(s->pid, sizeof(s->pid), "%.15s", pid);
}

/* Of @files what is not in the shares. */
static uint64_t with_files(const struct memwatch *w, const struct sum *s,
			   uint64_t files)
{
	return s->bytes + w->kernel + (files > s->shmem ? files - s->shmem : 0);
}

/* Who shares all of its memory with others is walked through for each of them. */
static bool is_enough(const struct memwatch *w, const struct sum *s, uint64_t files,
		      uint64_t began_ms)
{
	return with_files(w, s, files) > w->limit.memory &&
	       sys_now_ms() - began_ms > MEMWATCH_SHARES_MS;
}

static int add_up(struct memwatch *w, measure_fn *measure, uint64_t files,
		  struct sum *s)
{
	const uint64_t began_ms = sys_now_ms();
	struct dirscan scan;

	memset(s, 0, sizeof(*s));
	dirscan_start(&scan, w->fds[MEMWATCH_PROC]);
	while (dirscan_next(&scan)) {
		struct memwatch_process p;
		uint64_t pid;

		if (num_range(scan.name, 1, INT32_MAX, &pid) < 0)
			continue;
		p = measure(w, scan.name);
		add(s, w, scan.name, &p);
		if (measure == shares && is_enough(w, s, files, began_ms))
			break;
	}
	return scan.failed;
}

/* A list that is too long to be read is too much. */
static bool read_list(const struct memwatch *w, int fd, struct buf *ret, uint64_t *sum)
{
	int r = fd < 0 ? fd : sys_lseek(fd, 0, SEEK_SET) < 0 ? -EIO : 0;

	if (r == 0)
		r = file_read_fd(fd, ret, ERR_IGNORED);
	if (r == -EMSGSIZE)
		*sum += w->limit.memory;
	return r == 0;
}

/* What lies in the box's memory filesystem and its segments, mapped or not. */
static uint64_t stored(const struct memwatch *w)
{
	_cleanup_buf_ struct buf text = BUF_INIT(MEMWATCH_SEGMENTS);
	uint64_t sum = 0;
	struct statfs fs;

	if (w->fds[MEMWATCH_TMP] >= 0 && sys_fstatfs(w->fds[MEMWATCH_TMP], &fs) >= 0)
		sum += (uint64_t)(fs.f_blocks - fs.f_bfree) * (uint64_t)fs.f_bsize;
	if (read_list(w, w->fds[MEMWATCH_SHM], &text, &sum))
		sum += memwatch_sysv(buf_cstr(&text));
	return sum;
}

/* Behind key, id and mode: how many semaphores; or bytes, and how many messages. */
static uint64_t in_kernel(const struct memwatch *w)
{
	_cleanup_buf_ struct buf sem = BUF_INIT(MEMWATCH_SEGMENTS);
	_cleanup_buf_ struct buf msg = BUF_INIT(MEMWATCH_SEGMENTS);
	uint64_t sum = 0;

	if (read_list(w, w->fds[MEMWATCH_SEM], &sem, &sum))
		sum += MEMWATCH_SEM_BYTES *
		       memwatch_column(buf_cstr(&sem), 3,
				       MEMWATCH_ID_BYTES / MEMWATCH_SEM_BYTES);
	if (read_list(w, w->fds[MEMWATCH_MSG], &msg, &sum))
		sum += memwatch_column(buf_cstr(&msg), 3, MEMWATCH_ID_BYTES) +
		       MEMWATCH_MSG_BYTES * memwatch_column(buf_cstr(&msg), 4, 0);
	return sum;
}

static void kill_biggest(struct memwatch *w, const struct sum *s)
{
	if (s->victim && w->patience) {
		w->patience--; /* it takes a moment to give back what it had */
		return;
	}
	w->stuck++;
	if (!s->pid[0] || !kill_one(w, s->pid))
		return;
	w->stuck = 0;
	memcpy(w->victim, s->pid, sizeof(w->victim));
	w->patience = MEMWATCH_PATIENCE;
	w->kills++;
}

/* ---- too many ----------------------------------------------------------------------- */

static int newest_first(const void *a, const void *b)
{
	uint64_t x = ((const struct one *)a)->started;
	uint64_t y = ((const struct one *)b)->started;

	return (x < y) - (x > y);
}

/* It keeps its number until its parent has heard of it: which a parent that is dead, too,
 * leaves to init. */
static bool is_dead(const struct procfs_stat *st)
{
	return st->state == 'Z' || st->state == 'X';
}

static size_t list_all(const struct memwatch *w, struct one *ret)
{
	struct dirscan scan;
	size_t n = 0;

	dirscan_start(&scan, w->fds[MEMWATCH_PROC]);
	while (dirscan_next(&scan)) {
		struct procfs_stat st;
		uint64_t pid;

		if (num_range(scan.name, 2, INT32_MAX, &pid) < 0 ||
		    read_stat(w, scan.name, &st) < 0 || is_dead(&st))
			continue;
		/* full: a later one, by its place in the list of numbers, is as likely */
		if (n == MEMWATCH_NEWEST)
			n = MEMWATCH_NEWEST - 1;
		ret[n].started = st.started;
		ret[n].threads = st.threads;
		snprintf(ret[n++].pid, sizeof(ret->pid), "%.15s", scan.name);
	}
	return n;
}

/* What was there first stays: what makes too many of itself is among the last. As long as
 * they do not become more, the dead are given the time to be reaped. */
static void kill_newest(struct memwatch *w)
{
	_cleanup_free_ struct one *all = NULL;
	uint64_t left = w->pids;
	size_t n;

	if (w->pids <= w->pids_killed && w->pid_patience) {
		w->pid_patience--;
		return;
	}
	w->pids_killed = w->pids;
	w->pid_patience = MEMWATCH_REAPED;
	all = calloc(MEMWATCH_NEWEST, sizeof(*all));
	n = all ? list_all(w, all) : 0;
	if (n)
		qsort(all, n, sizeof(*all), newest_first);
	for (size_t i = 0; i < n && left > w->limit.pids; i++) {
		if (!kill_one(w, all[i].pid))
			continue;
		w->pid_kills++;
		left -= MIN(left, MAX(all[i].threads, 1));
	}
}

static unsigned when_next(uint64_t used, uint64_t limit, uint64_t per_ms)
{
	if (!limit)
		return MEMWATCH_LATEST_MS;
	return (unsigned)MAX(
		MIN((limit - MIN(used, limit)) / per_ms, (uint64_t)MEMWATCH_LATEST_MS),
		(uint64_t)MEMWATCH_SOONEST_MS);
}

unsigned memwatch_look(struct memwatch *w)
{
	_cleanup_free_ struct sum *s = calloc(1, sizeof(*s));
	uint64_t files, used;

	if (!s || add_up(w, resident, 0, s) < 0)
		return MEMWATCH_LATEST_MS;
	w->pids = s->pids;
	if (w->limit.pids && w->pids > w->limit.pids)
		kill_newest(w);
	files = (w->limit.memory ? stored(w) : 0) + s->files.bytes;
	w->kernel = w->limit.memory ? in_kernel(w) : 0;
	used = s->bytes + w->kernel + files;
	if (w->limit.memory && used > w->limit.memory) {
		if (add_up(w, shares, files, s) < 0)
			return MEMWATCH_SOONEST_MS;
		used = with_files(w, s, files);
	}
	w->used = used;
	w->peak = MAX(w->peak, used);
	if (w->limit.memory && used > w->limit.memory)
		kill_biggest(w, s);
	else
		w->stuck = 0;
	return MIN(when_next(used, w->limit.memory, MEMWATCH_PER_MS),
		   when_next(w->pids, w->limit.pids, MEMWATCH_FORKS_PER_MS));
}

bool memwatch_is_lost(const struct memwatch *w)
{
	return w->stuck > MEMWATCH_STUCK;
}
