/* cgroup - choosing the method, and everything that is the same for all of them. */
#include "runtime/cgroup/cgroup.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "base/sys/sys.h"
#include "runtime/cause/cause.h"
#include "runtime/cgroup/impl.h"

static const char *const methods[] = {
	[CGROUP_V2] = "v2",
	[CGROUP_SYSTEMD] = "systemd",
	[CGROUP_V1] = "v1",
	[CGROUP_RLIMIT] = "rlimits",
};

const char *cgroup_method_name(enum cgroup_method m)
{
	return (size_t)m < ARRAY_SIZE(methods) ? methods[m] : "unknown";
}

static bool good_name(const char *name)
{
	size_t n = strlen(name);

	return n > 0 && n < CGROUP_NAME &&
	       strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-") == n;
}

static enum cgroup_method choose(struct cgroup *cg, const char *name,
				 const struct limits *lim, struct buf *why)
{
	_cleanup_free_ struct cgroup_places *p = malloc(sizeof(*p));

	if (!p || cgroup_find_own(p, ERR_IGNORED) < 0)
		return CGROUP_RLIMIT;
	if (cgroup_v2_create(cg, p, name, why) >= 0)
		return CGROUP_V2;
	if (sys_geteuid() != 0 && cgroup_systemd_create(cg, p, name, why) >= 0)
		return CGROUP_SYSTEMD;
	return cgroup_v1_create(cg, p, name, lim, why) < 0 ? CGROUP_RLIMIT : CGROUP_V1;
}

static void add_reason(struct buf *why, enum probe_reason r)
{
	(void)cause_text_line(why, r, NULL, cause_distro());
	(void)buf_addc(why, '\n');
}

static void add_missing(const struct cgroup *cg, const struct limits *lim,
			struct buf *why)
{
	if (cg->method == CGROUP_RLIMIT) {
		add_reason(why, cgroup_missing(cg));
		return;
	}
	if (lim->cpu_milli && cgroup_missing_cpu(cg) != PROBE_NONE)
		add_reason(why, cgroup_missing_cpu(cg));
	if (lim->memory_bytes && !cg->has[CGROUP_MEMORY])
		(void)buf_adds(why, "no memory controller: --memory is best effort\n");
	if (lim->pids && !cg->has[CGROUP_PIDS])
		(void)buf_adds(why, "no pids controller: --pids is best effort\n");
}

int cgroup_create(const char *name, const struct limits *lim, struct cgroup **ret,
		  struct buf *why, struct err *e)
{
	_cleanup_cgroup_ struct cgroup *cg = NULL;
	_cleanup_buf_ struct buf worse = BUF_INIT(why->max);
	int r;

	if (!good_name(name))
		return err_set(e, -EINVAL, "bad cgroup name '%.64s'", name);
	cg = calloc(1, sizeof(*cg));
	if (!cg)
		return err_sys(e, -ENOMEM, "cgroup '%s'", name);
	cg->v2 = CGROUP_LEAF_NONE;
	for (unsigned i = 0; i < CGROUP_CONTROLLERS; i++)
		cg->v1[i] = CGROUP_LEAF_NONE;
	cg->method = choose(cg, name, lim, &worse);
	r = cgroup_update(cg, lim, e);
	if (r < 0)
		return err_wrap(e, "cgroup '%s'", name);
	/* A scope of systemd's, and v1 on a hybrid host, are as good as it gets: nothing
	 * is lost, so nothing is said. */
	if (cg->method == CGROUP_RLIMIT)
		(void)buf_adds(why, buf_cstr(&worse));
	add_missing(cg, lim, why);
	*ret = take(&cg, NULL);
	return 0;
}

/* SIGKILL for everything in it, however fast it forks. */
static void kill_all(struct cgroup *cg)
{
	static const enum cgroup_controller order[] = { CGROUP_FREEZER, CGROUP_PIDS,
							CGROUP_MEMORY };
	const struct cgroup_leaf *v1 = NULL;

	for (size_t i = ARRAY_SIZE(order); i-- > 0;)
		if (cg->v1[order[i]].dir >= 0)
			v1 = &cg->v1[order[i]];
	if (cg->v2.dir >= 0)
		(void)cgroup_leaf_kill(&cg->v2);
	else if (v1)
		(void)cgroup_leaf_kill(v1);
	/* A child that never came into the v2 leaf is still in v1's. */
	if (cg->v2.dir >= 0 && v1)
		(void)cgroup_leaf_signal(v1);
}

void cgroup_destroy(struct cgroup **cg)
{
	if (!*cg)
		return;
	kill_all(*cg);
	cgroup_leaf_remove(&(*cg)->v2);
	for (unsigned i = 0; i < CGROUP_CONTROLLERS; i++)
		cgroup_leaf_remove(&(*cg)->v1[i]);
	free(*cg);
	*cg = NULL;
}

bool cgroup_keeps_memory(const struct cgroup *cg)
{
	return cg->method != CGROUP_RLIMIT && cg->has[CGROUP_MEMORY];
}

bool cgroup_keeps_pids(const struct cgroup *cg)
{
	return cg->method != CGROUP_RLIMIT && cg->has[CGROUP_PIDS];
}

enum cgroup_method cgroup_get_method(const struct cgroup *cg)
{
	return cg->method;
}

enum probe_reason cgroup_missing(const struct cgroup *cg)
{
	if (cg->method != CGROUP_RLIMIT)
		return PROBE_NONE;
	return cg->crowded ? PROBE_CROWDED_CGROUP : PROBE_NO_CGROUP;
}

enum probe_reason cgroup_missing_cpu(const struct cgroup *cg)
{
	if (cg->method == CGROUP_RLIMIT)
		return cgroup_missing(cg);
	return cg->has[CGROUP_CPU] ? PROBE_NONE : PROBE_NO_CPU;
}

int cgroup_clone_fd(const struct cgroup *cg)
{
	return cg->v2.dir;
}

int cgroup_enter(struct cgroup *cg, pid_t pid, struct err *e)
{
	int r = cg->v2.dir < 0 ? 0 : cgroup_leaf_enter(&cg->v2, pid);

	if (r < 0)
		return err_sys(e, r, "cannot enter the cgroup");
	for (unsigned i = 0; i < CGROUP_CONTROLLERS; i++) {
		r = cg->v1[i].dir < 0 ? 0 : cgroup_leaf_enter(&cg->v1[i], pid);
		if (r < 0)
			return err_sys(e, r, "cannot enter the %s cgroup",
				       cgroup_find_names[i]);
	}
	return 0;
}

int cgroup_join(const struct cgroup *cg, struct err *e)
{
	for (unsigned i = 0; i < CGROUP_CONTROLLERS; i++) {
		int fd = cg->v1[i].tasks;
		int r = fd < 0 ? 0 : (int)sys_write(fd, "0", 1);

		if (r < 0)
			return err_sys(e, r, "cannot enter the %s cgroup",
				       cgroup_find_names[i]);
	}
	return 0;
}

int cgroup_update(struct cgroup *cg, const struct limits *lim, struct err *e)
{
	switch (cg->method) {
	case CGROUP_V2:
	case CGROUP_SYSTEMD:
		return cgroup_v2_limit(cg, lim, e);
	case CGROUP_V1:
		return cgroup_v1_limit(cg, lim, e);
	default:
		return 0; /* the payloads carry their rlimits */
	}
}

/* In v1 it is a controller of its own, which is used where there is no v2 beside it. */
static const struct cgroup_leaf *freezer(const struct cgroup *cg)
{
	return cg->v2.dir >= 0 ? &cg->v2 : &cg->v1[CGROUP_FREEZER];
}

int cgroup_freeze(const struct cgroup *cg, pid_t pid, unsigned timeout_ms)
{
	const struct cgroup_leaf *l = freezer(cg);

	return l->dir < 0 ? -ENOENT : cgroup_leaf_freeze(l, pid, timeout_ms);
}

void cgroup_thaw(const struct cgroup *cg)
{
	cgroup_leaf_thaw(freezer(cg));
}

uint64_t cgroup_oom_kills(const struct cgroup *cg)
{
	bool v1 = cg->method == CGROUP_V1 && cg->v1[CGROUP_MEMORY].dir >= 0;
	uint64_t n = 0;

	if (v1)
		(void)cgroup_leaf_field(cg->v1[CGROUP_MEMORY].dir, "memory.oom_control",
					"oom_kill", &n);
	else if (cg->v2.dir >= 0)
		(void)cgroup_leaf_field(cg->v2.dir, "memory.events", "oom_kill", &n);
	return n;
}

void cgroup_usage(struct cgroup *cg, struct cgroup_usage *ret)
{
	*ret = (struct cgroup_usage){ 0 };
	if (cg->v2.dir >= 0)
		cgroup_v2_usage(cg, ret);
	if (cg->method == CGROUP_V1)
		cgroup_v1_usage(cg, ret);
	ret->oom_kills = cgroup_oom_kills(cg);
}
