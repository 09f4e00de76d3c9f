/* cgroup_v1 - each controller by itself, as root: there is no delegation in v1. On
 * hybrid hosts the v2 leaf stays beside it, for clone and kill. Remove with support for
 * distributions that still boot with v1 (RHEL 8, Debian 10). */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/sys/sys.h"
#include "runtime/cgroup/impl.h"

/* systemd mounts cpu and cpuacct as one hierarchy: its leaf is made once. */
static bool is_made(const struct cgroup *cg, const struct cgroup_places *p,
		    enum cgroup_controller c)
{
	for (unsigned i = 0; i < c; i++)
		if (cg->has[i] && cg->v1[i].dir >= 0 && !strcmp(p->v1[i], p->v1[c]))
			return true;
	return false;
}

static int make(struct cgroup *cg, const struct cgroup_places *p,
		enum cgroup_controller c, const char *name)
{
	int parent, r;

	if (!p->v1[c][0])
		return -ENOENT;
	parent = sys_open(p->v1[c], O_RDONLY | O_DIRECTORY);
	if (parent < 0)
		return parent;
	r = is_made(cg, p, c) ? cgroup_leaf_open(parent, name, &cg->v1[c])
			      : cgroup_leaf_make(parent, name, &cg->v1[c]);
	if (r < 0)
		return r;
	cg->has[c] = true;
	cg->v1[c].tasks = sys_openat(cg->v1[c].dir, "tasks", O_WRONLY, 0);
	return MIN(cg->v1[c].tasks, 0);
}

/* Not every leaf is needed: each costs the start of a box some time. */
static bool is_needed(const struct cgroup *cg, enum cgroup_controller c,
		      const struct limits *lim)
{
	switch (c) {
	case CGROUP_MEMORY:
	case CGROUP_PIDS:
		return true;
	case CGROUP_CPU:
		return lim->cpu_milli != 0;
	case CGROUP_CPUACCT:
	case CGROUP_FREEZER:
		return cg->v2.dir < 0; /* which has cpu.stat, and kills */
	default:
		return false;
	}
}

int cgroup_v1_create(struct cgroup *cg, const struct cgroup_places *p, const char *name,
		     const struct limits *lim, struct buf *why)
{
	for (unsigned i = 0; i < CGROUP_CONTROLLERS; i++) {
		struct err e = ERR_NONE;
		int r = is_needed(cg, i, lim) && p->v1[i][0] ? make(cg, p, i, name) : 0;

		if (r >= 0)
			continue;
		err_sys(&e, r, "cgroup v1: no leaf can be made in '%s'", p->v1[i]);
		(void)buf_addf(why, "%s\n", e.msg);
	}
	return cg->has[CGROUP_MEMORY] || cg->has[CGROUP_PIDS] ? 0 : -EOPNOTSUPP;
}

static int write_number(const struct cgroup *cg, enum cgroup_controller c,
			const char *file, int64_t value)
{
	char text[24];

	snprintf(text, sizeof(text), "%" PRId64, value);
	return cgroup_leaf_write(cg->v1[c].dir, file, text);
}

/* Memory with swap may not become less than memory: in which order depends on whether
 * the limit falls or rises. Without swap accounting there is one file. */
static int set_memory(const struct cgroup *cg, uint64_t bytes, struct err *e)
{
	static const char limit[] = "memory.limit_in_bytes";
	static const char both[] = "memory.memsw.limit_in_bytes";
	int64_t value = bytes && bytes <= INT64_MAX ? (int64_t)bytes : -1;
	int r = write_number(cg, CGROUP_MEMORY, limit, value);

	if (r >= 0) {
		r = write_number(cg, CGROUP_MEMORY, both, value);
	} else {
		r = write_number(cg, CGROUP_MEMORY, both, value);
		if (r >= 0 || r == -ENOENT || r == -EACCES)
			r = write_number(cg, CGROUP_MEMORY, limit, value);
	}
	if (r < 0 && r != -ENOENT && r != -EACCES)
		return err_sys(e, r, "cannot write %" PRId64 " to %s", value, limit);
	return 0;
}

static int set_pids(const struct cgroup *cg, uint64_t pids, struct err *e)
{
	char text[24] = "max";
	int r;

	if (pids)
		snprintf(text, sizeof(text), "%" PRIu64, pids);
	r = cgroup_leaf_write(cg->v1[CGROUP_PIDS].dir, "pids.max", text);
	return r < 0 ? err_sys(e, r, "cannot write %s to pids.max", text) : 0;
}

static int set_cpu(const struct cgroup *cg, uint32_t milli, struct err *e)
{
	int64_t quota = milli ? (int64_t)milli * (CGROUP_PERIOD_US / 1000) : -1;
	int r = write_number(cg, CGROUP_CPU, "cpu.cfs_period_us", CGROUP_PERIOD_US);

	if (r >= 0)
		r = write_number(cg, CGROUP_CPU, "cpu.cfs_quota_us", quota);
	return r < 0 ? err_sys(e, r, "cannot write %" PRId64 " to cpu.cfs_quota_us",
			       quota)
		     : 0;
}

int cgroup_v1_limit(const struct cgroup *cg, const struct limits *lim, struct err *e)
{
	int r = 0;

	if (cg->has[CGROUP_MEMORY])
		r = set_memory(cg, lim->memory_bytes, e);
	if (r >= 0 && cg->has[CGROUP_PIDS])
		r = set_pids(cg, lim->pids, e);
	if (r >= 0 && cg->has[CGROUP_CPU])
		r = set_cpu(cg, lim->cpu_milli, e);
	return r;
}

void cgroup_v1_usage(const struct cgroup *cg, struct cgroup_usage *ret)
{
	int memory = cg->v1[CGROUP_MEMORY].dir, pids = cg->v1[CGROUP_PIDS].dir;
	uint64_t ns = 0;

	if (memory >= 0) {
		(void)cgroup_leaf_number(memory, "memory.usage_in_bytes",
					 &ret->memory_bytes);
		(void)cgroup_leaf_number(memory, "memory.max_usage_in_bytes",
					 &ret->memory_peak_bytes);
	}
	if (pids >= 0) {
		(void)cgroup_leaf_number(pids, "pids.current", &ret->pids);
		(void)cgroup_leaf_field(pids, "pids.events", "max", &ret->pids_refused);
	}
	if (cg->v1[CGROUP_CPUACCT].dir < 0)
		return;
	(void)cgroup_leaf_number(cg->v1[CGROUP_CPUACCT].dir, "cpuacct.usage", &ns);
	ret->cpu_us = ns / 1000;
}
