/* Which cgroups may hand controllers on. The kernel's files are made of plain ones here;
 * tests/vm has the rows with a kernel. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/scope.h"
#include "base/sys/sys.h"
#include "runtime/cgroup/impl.h"
#include "tests/unit/unit.h"

static const struct row {
	const char *name;
	const char *type; /* of cgroup.type; NULL = the top of the tree has none */
	const char *procs, *on;
	bool any, has;
	const char *written; /* what is in cgroup.subtree_control then */
} rows[] = {
	{ "the top of the tree, with processes", NULL, "1\n2\n", "", true, true,
	  "+pids" },
	{ "an empty cgroup", "domain\n", "", "", true, true, "+pids" },
	{ "an empty cgroup that has done so", "domain\n", "", "pids\n", true, true,
	  "pids\n" },
	{ "a cgroup with processes", "domain\n", "77\n", "", true, false, "" },
	{ "a threaded domain", "domain threaded\n", "", "pids\n", true, false,
	  "pids\n" },
	{ "below a threaded domain", "domain invalid\n", "", "", true, false, "" },
};

static void controllers(const void *p)
{
	static const char *const files[] = { "cgroup.controllers", "cgroup.type",
					     "cgroup.procs", "cgroup.subtree_control" };
	const struct row *row = p;
	bool has[CGROUP_CONTROLLERS] = { false };
	struct buf on = BUF_INIT(64);
	struct err e = ERR_NONE;
	char path[] = "/tmp/cubby-unit-XXXXXX";
	int dir;

	assert_non_null(mkdtemp(path));
	dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert_true(dir >= 0);
	unit_put(dir, "cgroup.controllers", "cpuset io pids rdma\n", 0600);
	if (row->type)
		unit_put(dir, "cgroup.type", row->type, 0600);
	unit_put(dir, "cgroup.procs", row->procs, 0600);
	unit_put(dir, "cgroup.subtree_control", row->on, 0600);

	assert_int_equal(cgroup_v2_controllers(dir, has), row->any);
	assert_int_equal(has[CGROUP_PIDS], row->has);
	assert_false(has[CGROUP_MEMORY]); /* it is not in the list */
	unit_ok(file_read(dir, "cgroup.subtree_control", &on, &e), &e);
	assert_string_equal(buf_cstr(&on), row->written);

	buf_done(&on);
	for (size_t i = 0; i < ARRAY_SIZE(files); i++)
		(void)unlinkat(dir, files[i], 0);
	close(dir);
	assert_int_equal(rmdir(path), 0);
}

int main(void)
{
	return unit_rows("cgroup_v2_controllers", rows, controllers);
}
