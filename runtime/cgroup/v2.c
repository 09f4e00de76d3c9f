#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/scope.h"
#include "base/sys/sys.h"
#include "runtime/cgroup/impl.h"

/* Below the root of the tree, where root makes its leaves: the caller's own cgroup has
 * processes, and such a one cannot hand controllers on. */
static const char top[] = "cubby";

static const enum cgroup_controller wanted[] = { CGROUP_MEMORY, CGROUP_PIDS,
						 CGROUP_CPU };

static bool has_word(const struct buf *text, const char *word)
{
	size_t n = strlen(word);

	for (const char *p = buf_cstr(text); *p; p += strcspn(p, " \n"), p += *p != 0)
		if (!strncmp(p, word, n) && strchr(" \n", p[n]))
			return true;
	return false;
}

/* True when @file is there and starts with @text, which for "" means empty: no more of it is
 * read, for a list of processes may be long. */
static bool reads(int dirfd, const char *file, const char *text)
{
	char is[16];
	int n = file_peek(dirfd, file, is, *text ? strlen(text) + 1 : 2);

	return n >= 0 && strcmp(is, text) == 0;
}

/* A cgroup with processes cannot hand controllers on, which the kernel says only of some:
 * pids and cpu it grants, and makes the cgroup a threaded domain, in which no box can live
 * (Documentation/admin-guide/cgroup-v2.rst, "Threads"). The top of the tree may always. */
static bool hands_on(int dirfd)
{
	if (sys_faccessat(dirfd, "cgroup.type", F_OK, 0) == -ENOENT)
		return true;
	return reads(dirfd, "cgroup.type", "domain\n") &&
	       reads(dirfd, "cgroup.procs", "");
}

bool cgroup_v2_controllers(int dirfd, bool has[CGROUP_CONTROLLERS])
{
	_cleanup_buf_ struct buf all = BUF_INIT(4096), on = BUF_INIT(4096);
	bool any = false, may;

	(void)file_read(dirfd, "cgroup.controllers", &all, ERR_IGNORED);
	for (size_t i = 0; i < ARRAY_SIZE(wanted); i++)
		any |= has_word(&all, cgroup_find_names[wanted[i]]);
	if (!any)
		return false;
	may = hands_on(dirfd);
	(void)file_read(dirfd, "cgroup.subtree_control", &on, ERR_IGNORED);
	for (size_t i = 0; i < ARRAY_SIZE(wanted); i++) {
		const char *name = cgroup_find_names[wanted[i]];
		char add[16];

		if (!has_word(&all, name))
			continue;
		snprintf(add, sizeof(add), "+%s", name);
		has[wanted[i]] =
			may &&
			(has_word(&on, name) ||
			 cgroup_leaf_write(dirfd, "cgroup.subtree_control", add) >= 0);
	}
	return true;
}

static bool enough(const bool has[CGROUP_CONTROLLERS])
{
	return has[CGROUP_MEMORY] || has[CGROUP_PIDS];
}

/* As root, one of ours below the top: -ENOENT when that has no controllers. @crowded: what
 * looks like the top is a container's own cgroup, with its processes in it. */
static int open_top(const struct cgroup_places *p, bool has[CGROUP_CONTROLLERS],
		    bool *crowded)
{
	bool ignored[CGROUP_CONTROLLERS] = { false };
	_cleanup_close_ int root = sys_open(p->v2_root, O_RDONLY | O_DIRECTORY);
	int r = root;

	if (root < 0)
		return r;
	if (!cgroup_v2_controllers(root, ignored))
		return -ENOENT;
	r = sys_mkdirat(root, top, 0755);
	if (r < 0 && r != -EEXIST)
		return r;
	/* only for who may write here: nobody else could move them */
	*crowded = !hands_on(root);
	r = sys_openat(root, top, O_RDONLY | O_DIRECTORY | O_NOFOLLOW, 0);
	if (r >= 0)
		(void)cgroup_v2_controllers(r, has);
	return r;
}

/* The directory that leaves are made in, with its controllers handed on: our own, if
 * it was delegated to us, or ours below the top. Where no limits can be had a leaf
 * still kills as a whole. */
static int open_parent(const struct cgroup_places *p, bool has[CGROUP_CONTROLLERS],
		       bool *crowded)
{
	_cleanup_close_ int own = -1;
	int r;

	if (p->v2_own[0])
		own = sys_open(p->v2_own, O_RDONLY | O_DIRECTORY);
	if (own >= 0)
		(void)cgroup_v2_controllers(own, has);
	if (own >= 0 && enough(has))
		return take(&own, -1);
	r = open_top(p, has, crowded);
	return r < 0 && own >= 0 ? take(&own, -1) : r;
}

int cgroup_v2_create(struct cgroup *cg, const struct cgroup_places *p, const char *name,
		     struct buf *why)
{
	bool has[CGROUP_CONTROLLERS] = { false };
	int parent, r;

	if (!p->v2_root[0])
		return -ENOENT;
	parent = open_parent(p, has, &cg->crowded);
	r = parent < 0 ? parent : cgroup_leaf_make(parent, name, &cg->v2);
	if (r < 0) {
		struct err e = ERR_NONE;

		err_sys(&e, r, "cgroup v2: no leaf can be made in '%s'",
			p->v2_own[0] ? p->v2_own : p->v2_root);
		(void)buf_addf(why, "%s\n", e.msg);
		return r;
	}
	if (!enough(has)) {
		(void)buf_adds(why, "cgroup v2: no controller is delegated\n");
		return -EOPNOTSUPP;
	}
	for (unsigned i = 0; i < CGROUP_CONTROLLERS; i++)
		cg->has[i] = has[i];
	return 0;
}

static int set_max(const struct cgroup *cg, const char *file, uint64_t value,
		   struct err *e)
{
	char text[24] = "max";
	int r;

	if (value)
		snprintf(text, sizeof(text), "%" PRIu64, value);
	r = cgroup_leaf_write(cg->v2.dir, file, text);
	return r < 0 ? err_sys(e, r, "cannot write %s to %s", text, file) : 0;
}

static int set_cpu(const struct cgroup *cg, uint32_t milli, struct err *e)
{
	char text[48];
	int r;

	if (milli)
		snprintf(text, sizeof(text), "%" PRIu64 " %d",
			 (uint64_t)milli * (CGROUP_PERIOD_US / 1000), CGROUP_PERIOD_US);
	else
		snprintf(text, sizeof(text), "max %d", CGROUP_PERIOD_US);
	r = cgroup_leaf_write(cg->v2.dir, "cpu.max", text);
	return r < 0 ? err_sys(e, r, "cannot write %s to cpu.max", text) : 0;
}

int cgroup_v2_limit(const struct cgroup *cg, const struct limits *lim, struct err *e)
{
	if (cg->has[CGROUP_MEMORY]) {
		int r = set_max(cg, "memory.max", lim->memory_bytes, e);

		if (r < 0)
			return r;
		/* Without swap the limit is one on memory, not on the time until the
		 * disk is full. The file is not there when the kernel does not count
		 * swap. */
		(void)cgroup_leaf_write(cg->v2.dir, "memory.swap.max",
					lim->memory_bytes ? "0" : "max");
	}
	return (cg->has[CGROUP_PIDS] ? set_max(cg, "pids.max", lim->pids, e) : 0)
		       ?: (cg->has[CGROUP_CPU] ? set_cpu(cg, lim->cpu_milli, e) : 0);
}

void cgroup_v2_usage(const struct cgroup *cg, struct cgroup_usage *ret)
{
	int dir = cg->v2.dir;

	(void)cgroup_leaf_number(dir, "memory.current", &ret->memory_bytes);
	(void)cgroup_leaf_number(dir, "memory.peak", &ret->memory_peak_bytes);
	(void)cgroup_leaf_number(dir, "pids.current", &ret->pids);
	(void)cgroup_leaf_field(dir, "cpu.stat", "usage_usec", &ret->cpu_us);
	(void)cgroup_leaf_field(dir, "pids.events", "max", &ret->pids_refused);
}
