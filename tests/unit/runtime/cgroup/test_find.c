#include "runtime/cgroup/find.h"

#include "tests/unit/unit.h"

static const struct row {
	const char *name, *self, *mounts;
	const char *v2_root, *v2_own, *memory, *pids, *cpu;
} rows[] = {
	{ "nothing mounted", "0::/\n", "23 1 0:1 / / rw - ext4 /dev/a rw\n", "", "", "",
	  "", "" },
	{ "v2", "0::/user.slice/x.scope\n",
	  "31 23 0:28 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw\n",
	  "/sys/fs/cgroup", "/sys/fs/cgroup/user.slice/x.scope", "", "", "" },
	{ "v2 in a container with its own namespace", "0::/\n",
	  "31 23 0:28 / /sys/fs/cgroup rw - cgroup2 cgroup rw\n", "/sys/fs/cgroup",
	  "/sys/fs/cgroup", "", "", "" },
	{ "v2 mounted from below", "0::/docker/abc/in\n",
	  "31 23 0:28 /docker/abc /sys/fs/cgroup rw - cgroup2 cgroup rw\n",
	  "/sys/fs/cgroup", "/sys/fs/cgroup/in", "", "", "" },
	{ "v2 mounted from elsewhere", "0::/docker/abcd\n",
	  "31 23 0:28 /docker/abc /sys/fs/cgroup rw - cgroup2 cgroup rw\n",
	  "/sys/fs/cgroup", "", "", "", "" },
	{ "outside of the namespace", "0::/../other\n",
	  "31 23 0:28 / /sys/fs/cgroup rw - cgroup2 cgroup rw\n", "/sys/fs/cgroup", "",
	  "", "", "" },
	{ "hybrid, a path for each",
	  "9:name=systemd:/\n8:pids:/p\n4:memory:/a/b\n1:cpu,cpuacct:/\n0::/u\n",
	  "32 31 0:29 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n"
	  "35 31 0:32 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n"
	  "39 31 0:36 / /sys/fs/cgroup/pids rw - cgroup cgroup rw,pids\n"
	  "41 31 0:38 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n",
	  "/sys/fs/cgroup/unified", "/sys/fs/cgroup/unified/u",
	  "/sys/fs/cgroup/memory/a/b", "/sys/fs/cgroup/pids/p",
	  "/sys/fs/cgroup/cpu,cpuacct" },
	{ "a name that only sounds so", "3:memory:/\n",
	  "35 31 0:32 / /sys/fs/cgroup/memory rw - tmpfs cgroup rw,memory\n"
	  "36 31 0:33 / /x rw - cgroup cgroup rw,memory2\n",
	  "", "", "", "", "" },
	{ "escapes", "0::/a\n",
	  "31 23 0:28 / /mnt/with\\040blank\\134 rw - cgroup2 cgroup rw\n",
	  "/mnt/with blank\\", "/mnt/with blank\\/a", "", "", "" },
	{ "cut lines", "0::\n0:\n:::\n",
	  "31 23 0:28 / /sys/fs/cgroup rw - cgroup2\n31 23\n - cgroup2 a b\n", "", "",
	  "", "", "" },
};

static void find(const void *p)
{
	const struct row *row = p;
	struct cgroup_places *got = malloc(sizeof(*got));

	assert_non_null(got);
	cgroup_find(row->self, row->mounts, got);
	assert_string_equal(got->v2_root, row->v2_root);
	assert_string_equal(got->v2_own, row->v2_own);
	assert_string_equal(got->v1[CGROUP_MEMORY], row->memory);
	assert_string_equal(got->v1[CGROUP_PIDS], row->pids);
	assert_string_equal(got->v1[CGROUP_CPU], row->cpu);
	free(got);
}

int main(void)
{
	return unit_rows("cgroup_find", rows, find);
}
