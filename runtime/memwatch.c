/* What the processes hold together is between two sums. The sum of their resident pages
 * is cheap, and too high, for shared pages count for each; as long as that is within the
 * limit, the box is. Only then the kernel is asked for the shares (smaps_rollup), which
 * walks page tables. */
#include "runtime/memwatch.h"

#include <inttypes.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/dirscan.h"
#include "base/num.h"
#include "base/scope.h"
#include "base/sys.h"

enum {
	MEMWATCH_SOONEST_MS = 20,
	MEMWATCH_LATEST_MS = 500,
	/* How fast a program can fill memory: about 2 GiB a second. */
	MEMWATCH_PER_MS = 2 << 20,
	MEMWATCH_PATIENCE = 100,
	MEMWATCH_TEXT = 4096
};

int memwatch_open(int proc, uint64_t limit, struct memwatch *ret, struct err *e)
{
	_cleanup_close_ int owned = proc;
	struct statfs fs;

	if (owned < 0 || sys_fstatfs(owned, &fs) < 0 || fs.f_type != PROC_SUPER_MAGIC)
		return err_set(e, -EBADMSG,
			       "cannot watch the memory of the box: no /proc of it");
	*ret = (struct memwatch){ .proc = take(&owned, -1), .limit = limit };
	return 0;
}

void memwatch_close(struct memwatch *w)
{
	scope_close(&w->proc);
	*w = MEMWATCH_NONE;
}

/* ---- one process -------------------------------------------------------------------- */

static int read_text(const struct memwatch *w, const char *pid, const char *file,
		     char ret[MEMWATCH_TEXT])
{
	char path[64];
	_cleanup_close_ int fd = -1;
	ssize_t n;

	snprintf(path, sizeof(path), "%s/%s", pid, file);
	fd = sys_openat(w->proc, path, O_RDONLY, 0);
	n = fd < 0 ? fd : sys_read(fd, ret, MEMWATCH_TEXT - 1);
	ret[MAX(n, 0)] = '\0';
	return (int)MIN(n, 0);
}

/* Resident pages, and of these the ones with a file or shared memory behind them. */
static uint64_t resident(const struct memwatch *w, const char *pid)
{
	char text[MEMWATCH_TEXT];
	uint64_t pages = 0;

	if (read_text(w, pid, "statm", text) < 0 ||
	    sscanf(text, "%*u %" SCNu64, &pages) != 1)
		return 0; /* it has just ended */
	return pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

int64_t memwatch_pss(const char *text)
{
	const char *line = strstr(text, "\nPss:");
	uint64_t kib;

	if (!line || sscanf(line, "\nPss: %" SCNu64 " kB", &kib) != 1 ||
	    kib > INT64_MAX / 1024)
		return -1;
	return (int64_t)(kib * 1024);
}

static uint64_t share(const struct memwatch *w, const char *pid)
{
	char text[MEMWATCH_TEXT];
	int64_t pss = -1;

	if (read_text(w, pid, "smaps_rollup", text) == 0)
		pss = memwatch_pss(text);
	return pss < 0 ? resident(w, pid) : (uint64_t)pss;
}

/* ---- all of them -------------------------------------------------------------------- */

struct sum {
	uint64_t bytes, pids, biggest;
	char pid[16]; /* of the biggest; "" = none but init */
	bool victim;  /* the one that was killed last still holds memory */
};

typedef uint64_t measure_fn(const struct memwatch *w, const char *pid);

static int add_up(const struct memwatch *w, measure_fn *measure, struct sum *ret)
{
	struct dirscan_entry entry;
	struct dirscan scan;
	struct err ignored = ERR_NONE;
	struct sum s = { 0 };
	int r = dirscan_start(&scan, w->proc, &ignored);

	while (r >= 0 && (r = dirscan_next(&scan, &entry, &ignored)) > 0) {
		uint64_t bytes, number;

		if (num_range(entry.name, 1, INT32_MAX, &number) < 0)
			continue;
		bytes = measure(w, entry.name);
		s.bytes += bytes;
		s.pids++;
		if (bytes && strcmp(entry.name, w->victim) == 0)
			s.victim = true;
		if (number == 1 || bytes <= s.biggest)
			continue;
		s.biggest = bytes;
		snprintf(s.pid, sizeof(s.pid), "%.15s", entry.name);
	}
	if (r == 0)
		*ret = s;
	return r;
}

/* The directory of a process stands for it as a pidfd does (5.1). */
static void kill_biggest(struct memwatch *w, const struct sum *s)
{
	_cleanup_close_ int fd = -1;

	if (s->victim && w->patience) {
		w->patience--; /* it takes a moment to give back what it had */
		return;
	}
	if (!s->pid[0])
		return;
	fd = sys_openat(w->proc, s->pid, O_RDONLY | O_DIRECTORY, 0);
	if (fd < 0 || sys_pidfd_send_signal(fd, SIGKILL) < 0)
		return;
	memcpy(w->victim, s->pid, sizeof(w->victim));
	w->patience = MEMWATCH_PATIENCE;
	w->kills++;
}

unsigned memwatch_look(struct memwatch *w)
{
	struct sum s;
	uint64_t left;

	if (add_up(w, resident, &s) < 0)
		return MEMWATCH_LATEST_MS;
	if (s.bytes > w->limit && add_up(w, share, &s) < 0)
		return MEMWATCH_SOONEST_MS;
	w->used = s.bytes;
	w->peak = MAX(w->peak, s.bytes);
	w->pids = s.pids;
	if (s.bytes > w->limit) {
		kill_biggest(w, &s);
		return MEMWATCH_SOONEST_MS;
	}
	left = (w->limit - s.bytes) / MEMWATCH_PER_MS;
	return (unsigned)MAX(MIN(left, (uint64_t)MEMWATCH_LATEST_MS),
			     (uint64_t)MEMWATCH_SOONEST_MS);
}
