/* Controllers that share a hierarchy, as cpu and cpuacct do wherever systemd mounted v1. */
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "base/file.h"
#include "base/scope.h"
#include "runtime/cgroup/impl.h"
#include "tests/unit/unit.h"

static const struct limits half = { .memory_bytes = 64 << 20, .cpu_milli = 500 };

static struct cgroup_places *find_places(void)
{
	struct cgroup_places *p = calloc(1, sizeof(*p));
	struct buf self = BUF_INIT(64 << 10), mounts = BUF_INIT(8 << 20);
	struct err e = ERR_NONE;

	assert_non_null(p);
	unit_ok(file_read(AT_FDCWD, "/proc/self/cgroup", &self, &e), &e);
	unit_ok(file_read(AT_FDCWD, "/proc/self/mountinfo", &mounts, &e), &e);
	cgroup_find(buf_cstr(&self), buf_cstr(&mounts), p);
	buf_done(&self);
	buf_done(&mounts);
	return p;
}

static struct cgroup *empty(void)
{
	struct cgroup *cg = calloc(1, sizeof(*cg));

	assert_non_null(cg);
	cg->v2 = CGROUP_LEAF_NONE;
	for (unsigned i = 0; i < CGROUP_CONTROLLERS; i++)
		cg->v1[i] = CGROUP_LEAF_NONE;
	cg->method = CGROUP_V1;
	return cg;
}

static void shared_hierarchy(void)
{
	struct cgroup_places *p = find_places();
	struct cgroup *cg = empty();
	struct buf why = BUF_INIT(8192);
	struct err e = ERR_NONE;
	char name[64], path[PATH_MAX + 128];
	uint64_t quota = 0;

	if (!p->v1[CGROUP_CPU][0] || !p->v1[CGROUP_MEMORY][0] ||
	    access(p->v1[CGROUP_CPU], W_OK) < 0 ||
	    access(p->v1[CGROUP_MEMORY], W_OK) < 0)
		unit_skip("no cpu and memory controllers of v1 for this user");
	memcpy(p->v1[CGROUP_CPUACCT], p->v1[CGROUP_CPU], sizeof(p->v1[0]));
	memcpy(p->v1[CGROUP_FREEZER], p->v1[CGROUP_CPU], sizeof(p->v1[0]));
	snprintf(name, sizeof(name), "cubby-unit-shared-%d", getpid());
	snprintf(path, sizeof(path), "%s/%s", p->v1[CGROUP_CPU], name);

	assert_int_equal(cgroup_v1_create(cg, p, name, &half, &why), 0);
	assert_string_equal(buf_cstr(&why), "");
	unit_ok(cgroup_update(cg, &half, &e), &e);
	unit_ok(cgroup_leaf_number(cg->v1[CGROUP_CPU].dir, "cpu.cfs_quota_us", &quota),
		&e);
	assert_int_equal(quota, 50000);
	cgroup_destroy(&cg);
	assert_int_equal(access(path, F_OK), -1);
	buf_done(&why);
	free(p);
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "two controllers in one hierarchy have one leaf", shared_hierarchy },
	};

	return unit_cases("cgroup_v1", cases);
}
